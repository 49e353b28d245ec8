// What the executable returns, and for which failure.
#pragma once

namespace systole {

enum ExitCode : int {
    exit_good = 0,
    exit_check_failed = 1, // verification, --max-gap
    exit_bad_input = 2,    // InputError
    exit_bug = 3,          // InternalError and whatever nobody foresaw
    exit_environment = 4,  // EnvironmentError, out of memory
    exit_interrupted = 130
};

} // namespace systole
