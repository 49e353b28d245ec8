#include "sim/cli/interrupt.h"

#include <csignal>
#include <unistd.h>

namespace systole {

namespace {

volatile std::sig_atomic_t noted = 0;

extern "C" void note_signal(int signal) {
    if (noted != 0) {
        _exit(128 + signal);
    }
    noted = signal;
}

} // namespace

InterruptGuard::InterruptGuard() {
    noted = 0;
    on_interrupt_ = std::signal(SIGINT, note_signal);
    on_terminate_ = std::signal(SIGTERM, note_signal);
}

InterruptGuard::~InterruptGuard() {
    std::signal(SIGINT, on_interrupt_);
    std::signal(SIGTERM, on_terminate_);
}

int InterruptGuard::signal() { return noted; }

} // namespace systole
