#include "sim/stats/total.h"

#include <algorithm>

#include "sim/base/error.h"
#include "sim/base/total_name.h"

namespace systole {

namespace {

void add(std::int64_t& sum, std::int64_t value) {
    if (__builtin_add_overflow(sum, value, &sum)) {
        throw InputError("the counts of the whole run do not fit in 64 bits (run fewer or smaller operators)");
    }
}

void add_counts(OperatorResult& total, const OperatorResult& part) {
    add(total.passes, part.passes);
    add(total.macs, part.macs);
    add(total.dense_macs, part.dense_macs);
    add(total.cycles, part.cycles);
    add(total.pe_slots, part.pe_slots);
    add(total.kernel_events, part.kernel_events);
    add(total.vmem_conflict_cycles, part.vmem_conflict_cycles);
    total.seconds += part.seconds;
    total.stack += part.stack;
    total.traffic += part.traffic;
    total.hbm += part.hbm;
    total.pcie += part.pcie;
}

bool same_shape(const OperatorResult& x, const OperatorResult& y) {
    return x.m == y.m && x.n == y.n && x.k == y.k && x.tile == y.tile;
}

void clear_what_differs(OperatorResult& total, const OperatorResult& part) {
    if (!same_shape(total, part)) {
        total.m = total.n = total.k = 0;
        total.tile = Tile{0, 0, 0};
    }
    if (total.kind != part.kind) {
        total.kind = "mixed";
    }
}

std::optional<bool> all_verified(const std::vector<OperatorResult>& operators) {
    const auto is = [](std::optional<bool> wanted) {
        return [wanted](const OperatorResult& one) { return one.verified == wanted; };
    };
    if (std::any_of(operators.begin(), operators.end(), is(false))) {
        return false;
    }
    if (!operators.empty() && std::all_of(operators.begin(), operators.end(), is(true))) {
        return true;
    }
    return std::nullopt;
}

} // namespace

OperatorResult total_of(const std::vector<OperatorResult>& operators) {
    OperatorResult total;
    if (operators.empty()) {
        total.name = total_name;
        return total;
    }
    total = operators.front();
    total.name = total_name;
    total.roofline = Roofline{};
    total.vmem_allocation.clear();
    total.mapping.reset();
    for (auto part = operators.begin() + 1; part != operators.end(); ++part) {
        add_counts(total, *part);
        clear_what_differs(total, *part);
    }
    total.verified = all_verified(operators);
    return total;
}

} // namespace systole
