// A command's options: one table that parses the command line and prints the help.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace systole {

struct OptionSpec {
    std::string name;  // "--gemm", "-o"
    std::string value; // what its value is called, "MxNxK"; "" for a switch
    std::string help;
    bool repeatable = false;
};

// A command of two words, as the help of its first word names it.
struct SubcommandSpec {
    std::string usage;   // "sweep show DB"
    std::string summary; // one line beside it
};

struct CommandSpec {
    std::string name;        // "simulate"
    std::string summary;     // one line
    std::string positionals; // "FILE...", "" for none
    std::vector<OptionSpec> options;
    std::string examples; // lines, as they are printed
    std::vector<SubcommandSpec> subcommands = {};
};

// Options of every command: --format (with the formats it can do), -o, --quiet, --help, --version.
std::vector<OptionSpec> with_common_options(std::vector<OptionSpec> own, const std::string& formats);

class ParsedOptions {
  public:
    bool has(const std::string& name) const { return values_.count(name) > 0; }
    std::optional<std::string> get(const std::string& name) const; // of an option that cannot be repeated
    std::vector<std::string> all(const std::string& name) const;
    const std::vector<std::string>& positionals() const { return positionals_; }

  private:
    friend ParsedOptions parse_options(const CommandSpec& command, const std::vector<std::string>& arguments);

    std::map<std::string, std::vector<std::string>> values_;
    std::vector<std::string> positionals_;
};

// "--name value" or "--name=value"; "--" ends the options; no abbreviations. Throws InputError for an unknown option
// (with the nearest one), a missing or superfluous value, a repeated option and, where the command takes none, for
// any other word. A value may start with '-', unless it is an option of the command or "--"; that is written with '='.
ParsedOptions parse_options(const CommandSpec& command, const std::vector<std::string>& arguments);

std::string help_text(const CommandSpec& command);

} // namespace systole
