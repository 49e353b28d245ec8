#include "sim/sweep/worker.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "sim/base/error.h"

namespace systole {

namespace {

struct AnswerHead {
    std::int64_t task;
    std::uint64_t bytes;
};

[[noreturn]] void fail(const char* what) {
    throw EnvironmentError(fmt::format("{} for a worker: {} (use fewer --workers)", what, std::strerror(errno)));
}

bool write_all(int descriptor, const char* bytes, std::size_t size) {
    while (size > 0) {
        const ssize_t count = ::write(descriptor, bytes, size);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return false;
        }
        bytes += count;
        size -= static_cast<std::size_t>(count);
    }
    return true;
}

bool read_all(int descriptor, char* bytes, std::size_t size) {
    while (size > 0) {
        const ssize_t count = ::read(descriptor, bytes, size);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return false;
        }
        bytes += count;
        size -= static_cast<std::size_t>(count);
    }
    return true;
}

// The whole life of a worker: it ends with the parent's end of the pipe.
[[noreturn]] void serve(int tasks, int answers, const std::function<std::string(std::int64_t)>& work) {
    std::int64_t task = 0;
    while (read_all(tasks, reinterpret_cast<char*>(&task), sizeof task)) {
        std::string answer(sizeof(AnswerHead), '\0');
        answer += work(task);
        const AnswerHead head{task, answer.size() - sizeof(AnswerHead)};
        std::memcpy(answer.data(), &head, sizeof head);
        if (!write_all(answers, answer.data(), answer.size())) {
            break;
        }
    }
    ::_exit(0); // no destructors: what the parent has open is the parent's
}

} // namespace

Worker::Worker(const std::function<std::string(std::int64_t)>& work, const std::vector<int>& siblings) {
    std::array<int, 2> down{-1, -1};
    std::array<int, 2> up{-1, -1};
    if (::pipe2(down.data(), O_CLOEXEC) != 0) {
        fail("no pipe");
    }
    if (::pipe2(up.data(), O_CLOEXEC) != 0) {
        ::close(down[0]);
        ::close(down[1]);
        fail("no pipe");
    }
    const pid_t parent = ::getpid();
    process_ = ::fork();
    if (process_ == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) {
            ::_exit(1); // it died before the line above
        }
        std::signal(SIGINT, SIG_IGN); // Ctrl-C goes to all; the parent decides
        std::signal(SIGTERM, SIG_DFL);
        for (const int descriptor : siblings) {
            ::close(descriptor);
        }
        ::close(down[1]);
        ::close(up[0]);
        serve(down[0], up[1], work);
    }
    ::close(down[0]);
    ::close(up[1]);
    to_worker_ = down[1];
    from_worker_ = up[0];
    if (process_ < 0) {
        const int error = errno;
        ::close(to_worker_);
        ::close(from_worker_);
        errno = error;
        fail("no process");
    }
    ::fcntl(from_worker_, F_SETFL, O_NONBLOCK);
    last_ = std::chrono::steady_clock::now();
}

Worker::~Worker() {
    if (process_ > 0) {
        ::kill(process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
    }
    finish();
    ::close(from_worker_);
}

void Worker::give(std::int64_t task) {
    if (tasks_.empty()) {
        last_ = std::chrono::steady_clock::now();
    }
    tasks_.push_back(task);
    static_cast<void>(write_all(to_worker_, reinterpret_cast<const char*>(&task), sizeof task)); // receive() will tell
}

void Worker::finish() {
    if (to_worker_ >= 0) {
        ::close(to_worker_);
        to_worker_ = -1;
    }
}

std::vector<int> Worker::descriptors() const {
    return to_worker_ >= 0 ? std::vector{to_worker_, from_worker_} : std::vector{from_worker_};
}

bool Worker::receive(const std::function<void(std::int64_t, std::string)>& done) {
    std::array<char, 1 << 16> chunk{};
    bool open = true;
    for (;;) {
        const ssize_t count = ::read(from_worker_, chunk.data(), chunk.size());
        if (count > 0) {
            buffer_.append(chunk.data(), static_cast<std::size_t>(count));
            continue;
        }
        if (count < 0 && errno == EINTR) {
            continue;
        }
        open = count < 0 && errno == EAGAIN;
        break;
    }
    std::size_t begin = 0;
    std::size_t answers = 0;
    AnswerHead head{};
    while (buffer_.size() - begin >= sizeof head) {
        std::memcpy(&head, buffer_.data() + begin, sizeof head);
        if (buffer_.size() - begin - sizeof head < head.bytes) {
            break;
        }
        if (tasks_.empty() || tasks_.front() != head.task) {
            throw InternalError("a worker answered what it was not asked");
        }
        tasks_.pop_front();
        ++answers;
        done(head.task, buffer_.substr(begin + sizeof head, head.bytes));
        begin += sizeof head + head.bytes;
    }
    buffer_.erase(0, begin);
    note_time(answers);
    return open;
}

void Worker::note_time(std::size_t answers) {
    if (answers == 0) {
        return;
    }
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count() / static_cast<double>(answers);
    last_ = now;
    seconds_per_task_ = seconds_per_task_ == 0 ? seconds : 0.7 * seconds_per_task_ + 0.3 * seconds;
}

std::string Worker::how_it_ended() {
    int status = 0;
    if (process_ <= 0 || ::waitpid(process_, &status, 0) != process_) {
        return "ended";
    }
    process_ = -1;
    if (WIFSIGNALED(status)) {
        const int signal = WTERMSIG(status);
        return fmt::format("was killed by signal {}{}", signal,
                           signal == SIGKILL ? " (by somebody, or for want of memory)" : "");
    }
    return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

} // namespace systole
