#include "sim/cli/max_gap.h"

#include <charconv>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/cli/exit_code.h"
#include "sim/report/numbers.h"
#include "sim/report/wrap.h"

namespace systole {

std::optional<Gap> max_gap(const ParsedOptions& options) {
    const std::optional<std::string> text = options.get("--max-gap");
    if (!text) {
        return std::nullopt;
    }
    std::string number = *text;
    if (number.ends_with('%')) {
        number.pop_back();
        while (number.ends_with(' ')) {
            number.pop_back();
        }
    }
    Gap gap{0, *text};
    const char* const end = number.data() + number.size();
    const auto [stop, error] = std::from_chars(number.data(), end, gap.percent, std::chars_format::fixed);
    const bool in_range = gap.percent >= 0 && gap.percent <= 100; // not of "nan"
    if (number.empty() || error != std::errc{} || stop != end || !in_range) {
        throw InputError(fmt::format("--max-gap '{}' is no percentage (write a number from 0 to 100, like 5%)",
                                     text->substr(0, 60)));
    }
    return gap;
}

int check_gap(const RunResult& run, const Gap& most, const Session& session) {
    const auto check = [&](const OperatorResult& one, const std::string& what) {
        if (100 * one.roofline_gap() <= most.percent) {
            return true;
        }
        session.err << fmt::format("systole: the gap of {} to its roofline is {}, above --max-gap {}\n",
                                   printable(what), percent_text(one.roofline_gap()), most.text);
        return false;
    };
    bool good = true;
    if (!run.network) { // its operators' roofs are without what was fetched ahead
        for (const OperatorResult& one : run.operators) {
            good &= check(one, one.name);
        }
    }
    if (run.network || run.operators.size() > 1) {
        good &= check(run.total, "the whole run");
    }
    return good ? exit_good : exit_check_failed;
}

} // namespace systole
