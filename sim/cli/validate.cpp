// `systole validate`: reads chip, HBM and workload files and says everything that is wrong with them.
#include <algorithm>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/base/text_file.h"
#include "sim/cli/command.h"
#include "sim/cli/exit_code.h"
#include "sim/cli/info_tables.h"
#include "sim/config/hbm_file.h"
#include "sim/config/load.h"
#include "sim/report/numbers.h"
#include "sim/workload/scalesim_cfg.h"
#include "sim/workload/scalesim_topology.h"
#include "sim/workload/workload.h"

namespace systole {

namespace {

// A line that begins with `operator`, `repeat` or `tensor` is in workload files alone.
bool is_workload(const std::string& text) {
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t word = text.find_first_not_of(" \t[", begin);
        for (const std::string_view table : {"operator", "repeat", "tensor"}) {
            if (word != std::string::npos && text.compare(word, table.size(), table) == 0) {
                return true;
            }
        }
        begin = std::min(text.find('\n', begin), text.size() - 1) + 1;
    }
    return false;
}

std::string plural(std::size_t count, const std::string& noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// What the file is, if it is good. Throws InputError.
std::string validated(const std::string& file) {
    if (file.ends_with(".csv")) {
        return "topology, " + plural(load_scalesim_topology(file, {}).operators.size(), "layer");
    }
    if (file.ends_with(".cfg")) {
        load_scalesim_cfg(file);
        return "SCALE-Sim configuration";
    }
    const bool is_file = file.ends_with(".toml") || file.find('/') != std::string::npos;
    if (is_file && is_workload(read_text_file(file, "a chip, HBM or workload file"))) {
        return "workload, " + plural(load_network(file, {}).operators.size(), "operator");
    }
    if (names_hbm(file)) {
        return fmt::format("HBM configuration, {}", bandwidth_text(static_cast<double>(load_hbm(file)->peak())));
    }
    load_machine(file);
    return "chip";
}

int run_validate(const ParsedOptions& options, const Session& session) {
    output_format(options, {OutputFormat::text});
    if (options.positionals().empty()) {
        throw InputError("no file to validate (write `systole validate FILE...`)");
    }
    std::string good;
    bool all_good = true;
    for (const std::string& file : options.positionals()) {
        try {
            good += fmt::format("{}: ok ({})\n", file, validated(file));
        } catch (const InputError& error) {
            all_good = false;
            session.err << error.what() << "\n";
        }
    }
    write_result(good, options, session);
    return all_good ? exit_good : exit_bad_input;
}

} // namespace

Command validate_command() {
    return {{"validate", "Reads chip, HBM and workload files and names every error in them.", "FILE...",
             with_common_options({}, "text"),
             "  systole validate my_chip.toml my_network.toml\n"
             "  systole validate configs/chips/edge_16x16.toml\n"},
            run_validate};
}

} // namespace systole
