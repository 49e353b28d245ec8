#include "sim/cli/output_file.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "sim/base/error.h"

namespace systole {

namespace fs = std::filesystem;

namespace {

// Paths of the temporary files that exist, where a signal handler can read them.
struct Pending {
    std::atomic<bool> used{false};
    std::array<char, PATH_MAX> path{};
};

std::array<Pending, 8> pending;

void remember(const fs::path& path) {
    for (Pending& slot : pending) {
        if (!slot.used && path.native().size() < slot.path.size()) {
            path.native().copy(slot.path.data(), path.native().size());
            slot.path[path.native().size()] = '\0';
            slot.used = true;
            return;
        }
    }
}

void forget(const fs::path& path) {
    for (Pending& slot : pending) {
        if (slot.used && path.native() == slot.path.data()) {
            slot.used = false;
        }
    }
}

[[noreturn]] void fail(const fs::path& path, const char* what, int error) {
    throw EnvironmentError(fmt::format("{}: {}: {}", path.string(), what, std::strerror(error)));
}

void write_all(int descriptor, std::string_view text, const fs::path& path) {
    while (!text.empty()) {
        const ssize_t count = ::write(descriptor, text.data(), text.size());
        if (count < 0 && errno != EINTR) {
            fail(path, "cannot be written", errno);
        }
        text.remove_prefix(count < 0 ? 0 : static_cast<std::size_t>(count));
    }
}

// A symbolic link stays one: what it points to is replaced.
fs::path behind_links(const fs::path& path) {
    std::error_code error;
    const fs::path real = fs::is_symlink(path, error) ? fs::canonical(path, error) : path;
    return error || real.empty() ? path : real;
}

} // namespace

OutputFile::OutputFile(const fs::path& path) : path_(behind_links(path)) {
    struct stat status {};
    const bool exists = ::stat(path_.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) {
        fail(path_, "cannot be written", EISDIR);
    }
    if (exists && !S_ISREG(status.st_mode)) {
        descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
        if (descriptor_ < 0) {
            fail(path_, "cannot be written", errno);
        }
        return;
    }
    open_temporary();
    if (exists) {
        // Keeps the permissions of the file that is replaced; where that is not allowed the default ones do.
        static_cast<void>(::fchmod(descriptor_, status.st_mode & 07777));
    }
}

void OutputFile::open_temporary() {
    if (path_.filename().empty()) {
        fail(path_, "cannot be written", ENOENT);
    }
    temporary_ = path_.parent_path() / fmt::format(".{}.{}.tmp", path_.filename().string(), ::getpid());
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0) {
        const int error = errno;
        temporary_.clear(); // not ours
        fail(path_, "cannot be written", error);
    }
    remember(temporary_);
}

OutputFile::~OutputFile() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
    if (!temporary_.empty()) {
        ::unlink(temporary_.c_str());
        forget(temporary_);
    }
}

ForeignTemporary::ForeignTemporary(fs::path path) : path_(std::move(path)) { remember(path_); }

ForeignTemporary::~ForeignTemporary() { forget(path_); }

void OutputFile::commit(const std::string& text) {
    write_all(descriptor_, text, path_);
    const int closed = ::close(descriptor_);
    descriptor_ = -1;
    if (closed != 0) {
        fail(path_, "cannot be written", errno);
    }
    if (temporary_.empty()) {
        return;
    }
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
        fail(path_, "cannot be replaced", errno);
    }
    forget(temporary_);
    temporary_.clear();
}

void remove_temporaries_in_signal_handler() noexcept {
    for (const Pending& slot : pending) {
        if (slot.used) {
            ::unlink(slot.path.data());
        }
    }
}

} // namespace systole
