// Ctrl-C and `kill`, for a command that has something to bring to a good end.
#pragma once

namespace systole {

// While it lives, SIGINT and SIGTERM are only noted; a second one ends the process at once, with 128 + its number.
class InterruptGuard {
  public:
    InterruptGuard();
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    static int signal(); // that came; 0: none

  private:
    void (*on_interrupt_)(int);
    void (*on_terminate_)(int);
};

} // namespace systole
