#include <csignal>
#include <iostream>
#include <unistd.h>

#include "sim/cli/app.h"
#include "sim/cli/output_file.h"

namespace {

// 130 for an interrupt, as shells count; results are renamed into place whole, so only temporary files are left over.
extern "C" void leave(int signal) {
    systole::remove_temporaries_in_signal_handler();
    _exit(128 + signal);
}

} // namespace

int main(int argc, char** argv) {
    std::signal(SIGINT, leave);
    std::signal(SIGTERM, leave);
    return systole::run_app(argc, argv, std::cout, std::cerr, isatty(STDERR_FILENO) != 0);
}
