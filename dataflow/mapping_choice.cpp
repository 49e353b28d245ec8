#include "dataflow/mapping_choice.h"

namespace systole {

namespace {

// Rows of the oriented problem are rows of C, or with IS its columns.
bool rows_are_m(Dataflow dataflow) { return dataflow != Dataflow::input_stationary; }

} // namespace

std::string_view name(LoopOrder order) { return order == LoopOrder::mnk ? "mnk" : "nmk"; }

std::string_view name(Sharing sharing) { return sharing == Sharing::m ? "m" : "n"; }

std::optional<LoopOrder> parse_loop_order(std::string_view text) {
    for (const auto order : {LoopOrder::mnk, LoopOrder::nmk}) {
        if (text == name(order))
            return order;
    }
    return std::nullopt;
}

std::optional<Sharing> parse_sharing(std::string_view text) {
    for (const auto sharing : {Sharing::m, Sharing::n}) {
        if (text == name(sharing))
            return sharing;
    }
    return std::nullopt;
}

MappingChoice choice_of(const Mapping& mapping) {
    const auto dataflow = mapping.problem.dataflow;
    const bool rows_m = rows_are_m(dataflow);
    return {.dataflow = dataflow,
            .tile = to_tile(mapping.tile),
            .order = mapping.cols_outer == rows_m ? LoopOrder::nmk : LoopOrder::mnk,
            .sharing = mapping.split_rows == rows_m ? Sharing::m : Sharing::n,
            .products = mapping.products};
}

Mapping chosen_mapping(const OrientedGemm& problem, const MappingChoice& choice, DataOrigin from,
                       const CoreLimits& limits) {
    const bool rows_m = rows_are_m(problem.dataflow);
    const bool cols_outer = (choice.order == LoopOrder::nmk) == rows_m;
    const bool split_rows = (choice.sharing == Sharing::m) == rows_m;
    return exact_mapping(problem, {choice.tile, cols_outer, split_rows, choice.products}, from, limits);
}

} // namespace systole
