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
    add(total.tasks, part.tasks);
    add(total.passes, part.passes);
    add(total.prefetched, part.prefetched);
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
    return x.m == y.m && x.n == y.n && x.k == y.k && x.count == y.count && x.window == y.window && x.tile == y.tile;
}

void clear_what_differs(OperatorResult& total, const OperatorResult& part) {
    if (!same_shape(total, part)) {
        total.m = total.n = total.k = 0;
        total.count = 1;
        total.window.reset();
        total.tile = Tile{0, 0, 0};
    }
    if (total.kind != part.kind) {
        total.kind = "mixed";
    }
}

// Of those that are products at all.
std::optional<bool> all_verified(const std::vector<OperatorResult>& operators) {
    bool any = false;
    bool all = true;
    for (const OperatorResult& one : operators) {
        if (one.verified == false) {
            return false;
        }
        any = any || one.macs > 0;
        all = all && (one.macs == 0 || one.verified);
    }
    return any && all ? std::optional(true) : std::nullopt;
}

} // namespace

OperatorResult total_of(const std::vector<OperatorResult>& operators) {
    OperatorResult total;
    if (operators.empty()) {
        total.name = total_name;
        total.kind = "none";
        total.tasks = 0;
        return total;
    }
    total = operators.front();
    total.name = total_name;
    total.roofline = Roofline{};
    total.vmem_allocation.clear();
    total.mapping.reset();
    total.task_mappings.clear();
    for (auto part = operators.begin() + 1; part != operators.end(); ++part) {
        add_counts(total, *part);
        clear_what_differs(total, *part);
    }
    total.verified = all_verified(operators);
    return total;
}

} // namespace systole
