#include "sim/report/gnuplot.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <spawn.h>
#include <string_view>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/base/error.h"

namespace systole {

namespace {

[[noreturn]] void fail(const char* what, int error) {
    throw EnvironmentError(fmt::format("gnuplot: {}: {}", what, std::strerror(error)));
}

class Descriptor {
  public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&&) = delete;
    ~Descriptor() { close(); }

    int number() const { return number_; }
    void close() {
        if (number_ >= 0) {
            ::close(std::exchange(number_, -1));
        }
    }

  private:
    int number_;
};

// A socket pair rather than a pipe: writing to a child that has died must be an error, not a signal.
std::pair<Descriptor, Descriptor> connection() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        fail("no connection", errno);
    }
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

// Ours of the three connections to the child, which is waited for in any case.
struct Child {
    pid_t process = -1;
    Descriptor script;
    Descriptor picture;
    Descriptor words;

    Child(pid_t started, Descriptor to, Descriptor from, Descriptor complaints)
        : process(started), script(std::move(to)), picture(std::move(from)), words(std::move(complaints)) {}
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() {
        if (process > 0) {
            ::kill(process, SIGKILL);
            static_cast<void>(wait());
        }
    }

    int wait() {
        int status = 0;
        while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
        }
        process = -1;
        return status;
    }
};

Child start(const std::string& program) {
    auto [script_in, script] = connection();
    auto [picture, picture_out] = connection();
    auto [words, words_out] = connection();
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, script_in.number(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, picture_out.number(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, words_out.number(), STDERR_FILENO);
    std::array<std::string, 3> arguments{"gnuplot", "-d", "-"};
    const std::array<char*, 4> argv{arguments[0].data(), arguments[1].data(), arguments[2].data(), nullptr};
    pid_t process = -1;
    const int error = ::posix_spawn(&process, program.c_str(), &actions, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        fail("cannot be started", error);
    }
    return {process, std::move(script), std::move(picture), std::move(words)};
}

// What can be read now; false at the end.
bool read_some(int descriptor, std::string& text) {
    std::array<char, 65536> buffer{};
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count > 0) {
        text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN));
}

// Sends what fits; false if it is all sent or the child takes no more.
bool send_some(int descriptor, std::string_view& rest) {
    const ssize_t count = ::send(descriptor, rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0) {
        return errno == EINTR || errno == EAGAIN;
    }
    rest.remove_prefix(static_cast<std::size_t>(count));
    return !rest.empty();
}

// Both ways at once: a child whose answer nobody reads would never read on.
void exchange(Child& child, const std::string& script, std::string& picture, std::string& words) {
    std::string_view rest = script;
    bool picture_open = true;
    bool words_open = true;
    bool script_open = true;
    while (picture_open || words_open) {
        std::array<pollfd, 3> waits{{{script_open ? child.script.number() : -1, POLLOUT, 0},
                                     {picture_open ? child.picture.number() : -1, POLLIN, 0},
                                     {words_open ? child.words.number() : -1, POLLIN, 0}}};
        if (::poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) {
            fail("cannot be talked to", errno);
        }
        if (waits[0].revents != 0 && !send_some(child.script.number(), rest)) {
            script_open = false;
            child.script.close();
        }
        if (waits[1].revents != 0) {
            picture_open = read_some(child.picture.number(), picture);
        }
        if (waits[2].revents != 0) {
            words_open = read_some(child.words.number(), words);
        }
    }
}

std::string complaint(std::string words) {
    constexpr std::size_t most = 500;
    std::replace_if(
        words.begin(), words.end(), [](unsigned char c) { return c < ' '; }, ' ');
    return words.empty() ? "no reason given" : words.substr(0, most);
}

} // namespace

std::string gnuplot_program() {
    const char* const path = std::getenv("PATH");
    std::string_view rest = path == nullptr ? "/usr/bin:/bin" : path;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(':'), rest.size());
        const std::string program = std::string(rest.substr(0, end)) + "/gnuplot";
        if (end > 0 && ::access(program.c_str(), X_OK) == 0) {
            return program;
        }
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    throw EnvironmentError("gnuplot, which draws the picture, is not installed (apt-get install gnuplot-nox; --html "
                           "needs no other program)");
}

std::string run_gnuplot(const std::string& script) {
    Child child = start(gnuplot_program());
    std::string picture;
    std::string words;
    exchange(child, script, picture, words);
    const int status = child.wait();
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || picture.empty()) {
        throw EnvironmentError("gnuplot could not draw the picture: " + complaint(words));
    }
    return picture;
}

} // namespace systole
