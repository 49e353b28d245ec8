// gnuplot as a child process: a script in, a picture out. No shell, no temporary file.
#pragma once

#include <string>

namespace systole {

// The gnuplot in $PATH. Throws EnvironmentError that names the package if there is none.
std::string gnuplot_program();

// What gnuplot writes to its standard output for this script, run with its defaults (no ~/.gnuplot). Throws
// EnvironmentError with gnuplot's own words if it fails or writes nothing.
std::string run_gnuplot(const std::string& script);

} // namespace systole
