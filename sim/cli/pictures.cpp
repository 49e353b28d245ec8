#include "sim/cli/pictures.h"

#include <filesystem>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/cli/values.h"
#include "sim/config/load.h"
#include "sim/report/gnuplot.h"
#include "sim/report/html.h"

namespace systole {

namespace {

std::string not_standard_output(const std::string& option, const std::string& path) {
    if (path == "-") {
        throw InputError(option + " writes a file beside the result on standard output (give it a name)");
    }
    return path;
}

void require_html_ending(const std::string& path) {
    const std::string ending = std::filesystem::path(path).extension().string();
    if (path != "-" && ending != ".html" && ending != ".htm") {
        throw InputError(fmt::format("--html: '{}' must end in .html or .htm, which browsers go by", path));
    }
}

// A word as a shell would have to be given it.
std::string shell_word(const std::string& word) {
    const char* const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/=:,+@%";
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
        return word;
    }
    std::string quoted = "'";
    for (const char c : word) {
        quoted += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return quoted + "'";
}

// The program's name without its folder, which says nothing about the run.
std::string shown_command(const std::vector<std::string>& words) {
    std::string text = "systole";
    for (std::size_t i = 1; i < words.size(); ++i) {
        text += " " + shell_word(words[i]);
    }
    return text;
}

std::vector<ReportChip> all_chips(const ParsedOptions& options, const Session& session) {
    std::vector<ReportChip> chips;
    for (const std::string& name : chip_names()) {
        try {
            chips.push_back({load_machine(name), name, {}});
        } catch (const InputError& error) {
            warn(fmt::format("the report cannot offer the chip {}: {}", name, error.what()), options, session);
        }
    }
    return chips;
}

} // namespace

OptionSpec plot_option(const std::string& help) { return {"--plot", "F.svg|F.png", help + " (needs gnuplot)"}; }

std::vector<OptionSpec> picture_options() {
    return {
        plot_option("draw the roofline with every operator, the cycle stack and the waterfall"),
        {"--html", "F.html", "write a report that opens in any browser, offline, with sliders for the analytic model"},
    };
}

std::unique_ptr<OutputFile> open_page(const ParsedOptions& options) {
    const auto path = path_option(options, "--html");
    if (!path) {
        return nullptr;
    }
    require_html_ending(*path);
    return std::make_unique<OutputFile>(not_standard_output("--html", *path));
}

PlotFile::PlotFile(const ParsedOptions& options, std::size_t operators) {
    const auto path = path_option(options, "--plot");
    if (!path) {
        return;
    }
    format_ = picture_format(not_standard_output("--plot", *path));
    require_plottable(operators);
    static_cast<void>(gnuplot_program());
    file_ = std::make_unique<OutputFile>(*path);
}

Pictures::Pictures(const ParsedOptions& options, const SimulateInput& input)
    : plot_(options, input.network ? 1 : input.problems.size()), // rows of a network are folded
      html_(open_page(options)) {}

void Pictures::write(const SimulateInput& input, const RunResult& run, const ParsedOptions& options,
                     const Session& session) {
    const std::string picture = plot_.wanted() ? plot_picture(input.machine, run, plot_.format()) : "";
    if (html_) {
        html_->commit(html_report({{input.machine, input.chip, input.overrides},
                                   run,
                                   all_chips(options, session),
                                   shown_command(session.command_line)}));
    }
    if (plot_.wanted()) {
        plot_.commit(picture);
    }
}

} // namespace systole
