// What a command gets and what commands there are.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "sim/cli/options.h"
#include "sim/cli/output_file.h"

namespace systole {

struct Session {
    std::ostream& out;                     // the result alone
    std::ostream& err;                     // warnings, progress, errors
    bool terminal = false;                 // err is a terminal
    std::vector<std::string> command_line; // whole, for the manifest
};

struct Command {
    CommandSpec spec;
    int (*run)(const ParsedOptions& options, const Session& session); // returns an ExitCode
};

Command simulate_command();
Command compare_command();
Command roofline_command();
std::vector<Command> roofline_commands(); // of each closed-form operator: "roofline attention"
Command probe_command();
Command probe_hbm_command();
Command probe_pcie_command();
Command sweep_command();
Command sweep_show_command();
Command sweep_plot_command();
Command sweep_merge_command();
Command validate_command();
Command info_command();

// The file of -o, open; nullptr for standard output, which "-" names too. Throws InputError, EnvironmentError.
std::unique_ptr<OutputFile> open_output(const ParsedOptions& options);

// The result, where it belongs: to -o or to standard output. Throws EnvironmentError.
void write_result(const std::string& text, const ParsedOptions& options, const Session& session);
void write_to_stream(const std::string& text, std::ostream& stream);

// "warning: ..." to err, unless --quiet.
void warn(const std::string& message, const ParsedOptions& options, const Session& session);

enum class OutputFormat { text, json, csv, scalesim };

// --format; throws InputError for one that is unknown or that the command cannot do.
OutputFormat output_format(const ParsedOptions& options, const std::vector<OutputFormat>& possible);

} // namespace systole
