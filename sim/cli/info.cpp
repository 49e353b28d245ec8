// `systole info`: what there is, and what its words and numbers mean.
#include "sim/base/error.h"
#include "sim/cli/command.h"
#include "sim/cli/exit_code.h"
#include "sim/cli/info_tables.h"
#include "sim/report/json.h"

namespace systole {

namespace {

InfoPage page_of(const std::string& topic) {
    if (topic == "chips") {
        return chips_page();
    }
    if (topic == "keys") {
        return keys_page();
    }
    if (topic == "counters") {
        return counters_page();
    }
    if (topic == "formats") {
        return formats_page();
    }
    if (topic == "workloads") {
        return workloads_page();
    }
    if (topic == "hbm") {
        return hbm_page();
    }
    return names_hbm(topic) ? hbm_config_page(topic) : chip_page(topic);
}

int run_info(const ParsedOptions& options, const Session& session) {
    const OutputFormat format = output_format(options, {OutputFormat::text, OutputFormat::json});
    if (options.positionals().size() != 1) {
        throw InputError(
            "say about what: `systole info chips`, keys, counters, formats, workloads, hbm or the name of a chip");
    }
    const InfoPage page = page_of(options.positionals().front());
    write_result(format == OutputFormat::json ? json_text(page.json) : page.text, options, session);
    return exit_good;
}

} // namespace

Command info_command() {
    return {{"info",
             "Lists the chips, the keys of their files, the numbers of a result, the number formats, the workloads, "
             "the HBM "
             "stacks; or shows one chip or stack.",
             "chips|keys|counters|formats|workloads|hbm|NAME", with_common_options({}, "text|json"),
             "  systole info chips\n"
             "  systole info edge_16x16\n"
             "  systole info hbm2e_3200\n"
             "  systole info counters --format json\n"},
            run_info};
}

} // namespace systole
