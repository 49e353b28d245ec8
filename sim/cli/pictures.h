// --plot and --html: the files of a run that people look at.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/cli/command.h"
#include "sim/cli/simulate_input.h"
#include "sim/report/plot.h"

namespace systole {

std::vector<OptionSpec> picture_options();

// --plot of a command that takes a picture of the roofline alone.
OptionSpec plot_option(const std::string& help);

// The file of --html, open; nothing without it. Throws InputError for standard output, EnvironmentError.
std::unique_ptr<OutputFile> open_page(const ParsedOptions& options);

// A picture that is opened before it is drawn: throws InputError for another ending, EnvironmentError without gnuplot
// and for a place that cannot be written. Nothing without --plot.
class PlotFile {
  public:
    PlotFile(const ParsedOptions& options, std::size_t operators);

    bool wanted() const { return file_ != nullptr; }
    PictureFormat format() const { return format_; }
    void commit(const std::string& picture) { file_->commit(picture); }

  private:
    std::unique_ptr<OutputFile> file_;
    PictureFormat format_ = PictureFormat::svg;
};

class Pictures {
  public:
    // Opens the files at once, and looks for gnuplot if there is something to plot, so that what cannot be done is
    // known before a long run. Throws InputError, EnvironmentError.
    Pictures(const ParsedOptions& options, const SimulateInput& input);

    // Draws and writes them. Every file appears whole or not at all.
    void write(const SimulateInput& input, const RunResult& run, const ParsedOptions& options, const Session& session);

  private:
    PlotFile plot_;
    std::unique_ptr<OutputFile> html_;
};

} // namespace systole
