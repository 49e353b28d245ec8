// The three ways a run can fail by exception; each maps to one exit code (sim/cli/exit_code.h).
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace systole {

// A place in an input: file:line:column. line 0 = the file as a whole; an empty file = the command line.
struct Place {
    std::string file;
    int line = 0;
    int column = 0;
};

std::string to_string(const Place& place); // "chip.toml:7:1", "chip.toml" or ""

struct Diagnostic {
    Place place;
    std::string message; // what is wrong and what would cure it; one line
};

// The input is wrong (exit 2). Carries every problem found, not only the first.
class InputError : public std::runtime_error {
  public:
    explicit InputError(std::string message);
    InputError(Place place, std::string message);
    explicit InputError(std::vector<Diagnostic> diagnostics);

    const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

  private:
    std::vector<Diagnostic> diagnostics_;
};

// A law of the model was broken or the simulation cannot go on: a bug in Systole (exit 3).
class InternalError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The surroundings failed: an unwritable output, a full disk (exit 4).
class EnvironmentError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Collects the problems of one input so that all are reported at once.
class Diagnostics {
  public:
    void add(Place place, std::string message);
    bool empty() const { return found_.empty(); }
    std::size_t size() const { return found_.size(); }
    void throw_if_any() const; // throws InputError; the problems of each file in the order of its lines

  private:
    std::vector<Diagnostic> found_;
};

} // namespace systole
