#include "sim/stats/waterfall.h"

namespace systole {

namespace {

// floor(slots / slots of a cycle): whole cycles up to a boundary of the stack.
Cycles cycles_up_to(std::int64_t slots, const OperatorResult& result) {
    __extension__ using Wide = __int128;
    return result.pe_slots == 0 ? 0 : static_cast<Cycles>(Wide{slots} * result.cycles / result.pe_slots);
}

} // namespace

std::vector<WaterfallBar> waterfall(const OperatorResult& result) {
    std::vector<WaterfallBar> bars;
    std::int64_t slots = 0;
    Cycles below = 0;
    for (const Cause cause : all_causes) {
        slots += result.stack[cause];
        const Cycles upto = cycles_up_to(slots, result);
        bars.push_back({cause == Cause::useful ? "t_math" : std::string(name(cause)), upto - below});
        below = upto;
    }
    return bars;
}

} // namespace systole
