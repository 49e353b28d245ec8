// The command line as a function: arguments in, streams out, an exit code back.
#pragma once

#include <ostream>

namespace systole {

// `terminal`: `err` is one, so that a progress bar may be drawn on it.
int run_app(int argc, const char* const* argv, std::ostream& out, std::ostream& err, bool terminal = false);

} // namespace systole
