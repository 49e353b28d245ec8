// `systole info formats`: the number formats, what they hold and how their products are added up.
#include <cmath>

#include <fmt/format.h>

#include "pe/convert.h"
#include "sim/cli/info_entry.h"
#include "sim/cli/info_tables.h"
#include "sim/report/wrap.h"

namespace systole {

namespace {

// The product of two operands of this format is added in ...
std::string sums_of(Format format) {
    return is_operand(format) ? std::string(name(OperandFormats{format, format, format}.accumulation())) : "";
}

std::string special_values(const FormatRange& range) {
    return range.infinity ? "infinities and NaN" : range.nan ? "NaN, no infinities" : "";
}

std::string described(Format format) {
    const FormatRange range = range_of(format);
    std::string text = fmt::format("{} bits", bits(format));
    if (is_integer(format)) {
        text += fmt::format(", {:.0f} to {:.0f}", range.lowest, range.largest);
    } else {
        text += fmt::format(" (1 sign, {} exponent, {} fraction), up to {:.6g}, normal from 2^{}, smallest 2^{}, {}",
                            range.exponent_bits, range.fraction_bits, range.largest, std::ilogb(range.smallest_normal),
                            std::ilogb(range.smallest), special_values(range));
    }
    const std::string sums = sums_of(format);
    return text + (sums.empty() ? "; of results alone" : "; sums in " + sums);
}

} // namespace

InfoPage formats_page() {
    InfoPage page{"Number formats of operands and results (--dtype A[,B[,C]]):\n", Json::array()};
    for (const Format format : all_formats) {
        page.text += info_entry(std::string(name(format)), described(format));
        const FormatRange range = range_of(format);
        const std::string sums = sums_of(format);
        page.json.push_back({{"name", name(format)},
                             {"bits", bits(format)},
                             {"exponent_bits", range.exponent_bits},
                             {"fraction_bits", range.fraction_bits},
                             {"lowest", range.lowest},
                             {"largest", range.largest},
                             {"smallest_normal", range.smallest_normal},
                             {"smallest", range.smallest},
                             {"infinity", range.infinity},
                             {"nan", range.nan},
                             {"accumulation", sums.empty() ? Json(nullptr) : Json(sums)}});
    }
    page.text += "\n" +
                 wrap("", "Two integers add in int32 with wrap-around, all other pairs in fp32. Results are "
                          "rounded to the nearest, halfway to the even one; int and fp8 saturate, the others "
                          "become infinite. Which formats an array takes, and how fast, is in its chip file: "
                          "`systole info CHIP`.") +
                 "\n";
    return page;
}

} // namespace systole
