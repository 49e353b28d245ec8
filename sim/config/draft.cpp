#include "sim/config/draft.h"

#include <utility>
#include <variant>

#include "sim/config/expression.h"
#include "sim/config/hbm_keys.h"
#include "sim/config/keys.h"
#include "sim/config/pcie_keys.h"
#include "sim/config/roofline_keys.h"

namespace systole {

namespace {

constexpr Cycles longest_swap_period = 1'000'000;

void check_required(const Draft& draft, Diagnostics& found) {
    for (const Key& key : keys()) {
        if (key.info.default_value == required && !draft.given.contains(key.info.key)) {
            const std::string unit = key.info.unit.empty() ? "" : ", in " + key.info.unit;
            found.add({draft.machine.file}, "missing key '" + key.info.key + "' (" + key.info.help + unit + ")");
        }
    }
}

// A file that gives rates by format and no array.formats has said which formats there are, in the order it wrote them.
void take_formats_from_rates(Draft& draft) {
    std::map<std::pair<int, int>, Format> by_place;
    for (const auto& [format, rate] : draft.macs_of) {
        if (rate.place.line > 0) {
            by_place[{rate.place.line, rate.place.column}] = format;
        }
    }
    if (by_place.empty() || draft.given.contains("array.formats")) {
        return;
    }
    draft.formats.clear();
    for (const auto& [place, format] : by_place) {
        draft.formats.push_back(format);
    }
}

void set_rates(Draft& draft, Diagnostics& found) {
    Machine& machine = draft.machine;
    take_formats_from_rates(draft);
    machine.default_format = draft.formats.front();
    machine.macs_per_pe_cycle.clear();
    for (const Format format : draft.formats) {
        const auto given = draft.macs_of.find(format);
        machine.macs_per_pe_cycle[format] = given == draft.macs_of.end() ? draft.macs_of_all : given->second.macs;
    }
    for (const auto& [format, rate] : draft.macs_of) {
        if (!machine.macs_per_pe_cycle.contains(format) && !draft.formats_are_wrong) {
            const std::string word(name(format));
            found.add(rate.place, "array.macs_per_pe_cycle." + word + ": '" + word + "' is not in array.formats");
        }
    }
}

void set_swap_period(Draft& draft, Diagnostics& found) {
    if (!draft.swap_period) {
        return;
    }
    Cycles& period = draft.machine.array.swap_period;
    const Setting& setting = *draft.swap_period;
    Place place = setting.value_place;
    if (const auto* number = std::get_if<std::int64_t>(&setting.value)) {
        period = *number;
    } else {
        const auto& array = draft.machine.array;
        const auto result =
            evaluate(std::get<std::string>(setting.value), {{"rows", array.rows}, {"cols", array.cols}});
        if (const auto* error = std::get_if<ExpressionError>(&result)) {
            place.column += place.line > 0 ? static_cast<int>(error->offset) + 1 : 0; // 1: the opening quote
            found.add(place, "array.swap_period: " + error->message + " at character " +
                                 std::to_string(error->offset + 1) + " of " + describe(setting.value));
            return;
        }
        period = std::get<std::int64_t>(result);
    }
    if (period < 0 || period > longest_swap_period) {
        found.add(place, "array.swap_period: " + std::to_string(period) + " is out of range (0.." +
                             std::to_string(longest_swap_period) + ")");
    }
}

void check_swap(const Draft& draft, Diagnostics& found) {
    const ArrayConfig& array = draft.machine.array;
    if (array.swap == Swap::drained && array.swap_period < array.rows) {
        const std::string rows = std::to_string(array.rows);
        found.add(draft.place_of(draft.swap_period ? "array.swap_period" : "array.swap"),
                  "array.swap = \"drained\" needs an array.swap_period of at least array.rows (" + rows + "), it is " +
                      std::to_string(array.swap_period));
    }
}

// A chip that is a data sheet alone: what describes an array would be read by nobody.
void finish_roofline_only(Draft& draft, Diagnostics& found) {
    for (const auto& [key, place] : draft.given) {
        if (!holds_for_roofline_only(key)) {
            found.add(place, key + ": a chip with roofline_only = true has no such part (leave the key out; its " +
                                 "rates are nominal.* and link.*)");
        }
    }
    if (draft.machine.nominal.flops.empty()) {
        found.add({draft.machine.file}, "missing key 'nominal.flops.FORMAT' (a chip with roofline_only = true is "
                                        "known by its peak rates)");
    }
    draft.machine.default_format = usual_format(draft.machine.nominal);
}

} // namespace

Machine finish(Draft draft, Diagnostics& found) {
    if (draft.machine.roofline_only) {
        finish_roofline_only(draft, found);
        return std::move(draft.machine);
    }
    check_required(draft, found);
    set_rates(draft, found);
    const std::size_t before = found.size();
    set_swap_period(draft, found);
    if (found.size() == before) {
        check_swap(draft, found);
    }
    finish_hbm(draft, found);
    finish_pcie(draft, found);
    return std::move(draft.machine);
}

} // namespace systole
