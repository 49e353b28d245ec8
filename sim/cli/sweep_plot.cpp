// `systole sweep plot`: pictures of a sweep from its database alone.
#include "sim/base/error.h"
#include "sim/cli/command.h"
#include "sim/cli/exit_code.h"
#include "sim/cli/pictures.h"
#include "sim/cli/simulate_run.h"
#include "sim/cli/sweep_data.h"
#include "sim/cli/values.h"
#include "sim/report/gnuplot.h"
#include "sim/report/html_sweep.h"
#include "sim/report/plot_sweep.h"

namespace systole {

namespace {

int run_plot(const ParsedOptions& options, const Session& /*session*/) {
    if (options.positionals().size() != 1) {
        throw InputError("say which database is drawn: systole sweep plot DB --html FILE");
    }
    if (!options.has("--plot") && !options.has("--html")) {
        throw InputError("say what is drawn (--plot F.svg or F.png for a picture, --html FILE for a page, or both)");
    }
    require_different_files(options, {}, {"--plot", "--html"});
    const std::string& path = options.positionals().front();
    Store store(path, Database::Mode::write); // a sweep that was killed leaves what only a writer can finish
    const SweepData data = read_sweep_data(store);
    const SweepView view = choose_view(
        data, {options.get("--x"), options.get("--y"), options.get("--value"), options.get("--winner")}, path);
    require_drawable(data, view);
    PlotFile plot(options, 0);
    const std::unique_ptr<OutputFile> html = open_page(options);
    const std::string picture = plot.wanted() ? run_gnuplot(sweep_script(data, view, plot.format())) : "";
    if (html) {
        html->commit(sweep_page(data, view));
    }
    if (plot.wanted()) {
        plot.commit(picture);
    }
    return exit_good;
}

} // namespace

Command sweep_plot_command() {
    return {{"sweep plot",
             "Draws the points of a sweep's database: a heatmap over two axes, speed-up curves, simulated against "
             "roofline utilization, and the Pareto front of time and area. The page shows the settings of every point "
             "and the command that runs it again.",
             "DB",
             {plot_option("draw them as one picture"),
              {"--html", "FILE", "write a page that opens in any browser, offline"},
              {"--x", "KEY", "the axis across (the first one of numbers)"},
              {"--y", "KEY", "the axis down (the first other one, of words if there is one)"},
              {"--value", "KEY", "what the heatmap shows: utilization, time, efficiency, area, hbm_bytes, ..."},
              {"--winner", "KEY", "the heatmap shows which value of this axis is best in --value (time), by how much"},
              {"--help", "", "this page"},
              {"--version", "", "the version"}},
             "  systole sweep plot edge.db --html edge.html\n"
             "  systole sweep plot edge.db --plot edge.svg --x array.rows --value time\n"
             "  systole sweep plot nets.db --plot nets.png --y workload --winner dataflow\n\n"
             "Points that share a cell differ in other axes: the best of them stands for all.\n"},
            run_plot};
}

} // namespace systole
