#include "sim/engine/attention_plan.h"

#include <algorithm>

#include "dataflow/array_timing.h"
#include "sim/workload/vector_functions.h"

namespace systole {

namespace {

class Planner {
  public:
    Planner(const FlashSizes& sizes, const Machine& machine) : sizes_(sizes), machine_(machine) {
        for (const auto& block : sizes.blocks)
            block_rows_ = std::max(block_rows_, block.rows);
    }

    AttentionPlan run(Bytes room) const {
        if (room == unlimited)
            return cheapest(once(room));
        for (const Bytes part : {room / 2, room}) {
            const auto plans = once(part);
            if (!plans.empty())
                return cheapest(plans);
        }
        // As if all pairs were done, so that causal attention has the same rows and reads no more.
        auto all_pairs = sizes_;
        all_pairs.blocks = {{0, sizes_.rows, sizes_.keys}};
        return Planner(all_pairs, machine_).cheapest(again(room));
    }

  private:
    using Plans = std::vector<AttentionPlan>;

    // Keys at a time that are tried.
    std::vector<std::int64_t> some_keys() const {
        std::vector<std::int64_t> tried;
        for (std::int64_t parts = 1;; parts *= 2) {
            tried.push_back(ceil_div(sizes_.keys, parts));
            if (tried.back() <= std::max(machine_.array.rows, machine_.array.cols))
                return tried;
        }
    }

    // With every tensor read or written once.
    Plans once(Bytes room) const {
        Plans plans;
        const Bytes row = sizes_.whole_row(sizes_.keys);
        if (block_rows_ == sizes_.rows && sizes_.rows <= room / row)
            plans.push_back({.products = sizes_.products, .room = room});
        const Bytes pairs = sizes_.keys_and_values();
        const auto few = std::min<std::int64_t>(block_rows_, machine_.array.rows);
        if (pairs < room && few <= (room - pairs) / row) {
            const Bytes half = room / 2;
            const bool halves = pairs <= half && few <= half / row;
            plans.push_back({.products = halves ? std::min(sizes_.products, half / pairs) : 1,
                             .room = halves ? half : room - pairs,
                             .keeps_pairs = true});
        }
        for (const auto keys : some_keys()) {
            const auto products = room / sizes_.cut_row(keys) / sizes_.rows;
            if (products >= 1)
                plans.push_back({.products = std::min(products, sizes_.products), .rows = sizes_.rows, .keys = keys});
        }
        return plans;
    }

    Plans again(Bytes room) const {
        Plans plans;
        for (const auto keys : some_keys()) {
            const auto most = std::clamp<std::int64_t>(room / sizes_.cut_row(keys), 1, sizes_.rows);
            const auto rows = ceil_div(sizes_.rows, ceil_div(sizes_.rows, most));
            plans.push_back({.products = 1, .rows = rows, .keys = keys});
        }
        return plans;
    }

    AttentionPlan cheapest(const Plans& plans) const {
        const auto less = [&](const AttentionPlan& a, const AttentionPlan& b) { return cycles(a) < cycles(b); };
        return *std::min_element(plans.begin(), plans.end(), less);
    }

    // Of the first products that are done at a time, for all.
    double cycles(const AttentionPlan& plan) const {
        auto sizes = sizes_;
        sizes.products = plan.products;
        double sum = 0;
        for (const auto& step : attention_steps(sizes, plan))
            sum += cycles(step, plan);
        return sum * static_cast<double>(ceil_div(sizes_.products, plan.products));
    }

    double cycles(const AttentionStep& step, const AttentionPlan& plan) const {
        const auto& part = step.part;
        const auto rows = part.products * part.rows;
        const auto work = [&](std::int64_t elements, std::int64_t operations) {
            return static_cast<double>(machine_.vector.cycles(elements, operations));
        };
        if (step.divides)
            return latency() + work(rows * sizes_.dim, 1);
        const bool finds_pairs = plan.keeps_pairs && !step.first; // and reads queries alone
        double sum = 2 * fill() + (finds_pairs ? 1 : 2) * latency() +
                     work(rows * part.keys, online_softmax_operations) + product(part, part.keys, sizes_.dim) +
                     product(part, sizes_.dim, part.keys);
        if (part.key > 0)
            sum += work(rows * sizes_.dim, rescale_operations);
        if (plan.cuts_keys() && machine_.hbm.bandwidth != unlimited) // else the same for all
            sum += static_cast<double>(part.products * sizes_.keys_and_values()) * static_cast<double>(part.keys) /
                   static_cast<double>(sizes_.keys) * static_cast<double>(machine_.clock) /
                   static_cast<double>(machine_.hbm.bandwidth);
        return sum;
    }

    // A product's passes, weight-stationary. Arrays share its columns, and those that are left over its rows.
    double product(const AttentionPart& part, std::int64_t columns, std::int64_t depth) const {
        const auto& array = machine_.array;
        const auto wide = ceil_div(columns, array.cols);
        const auto shares = std::max<std::int64_t>(1, array.count / wide);
        const auto interval = pass_interval(array, Dataflow::weight_stationary, ceil_div(part.rows, shares));
        return static_cast<double>(part.products * ceil_div(wide, array.count) * ceil_div(depth, array.rows) *
                                   interval);
    }

    // A task begins with what HBM needs for an answer, or ends with it, and a product ends with what is in the array.
    double latency() const {
        return 1e-12 * static_cast<double>(machine_.hbm.latency) * static_cast<double>(machine_.clock);
    }
    double fill() const { return machine_.array.rows + machine_.array.cols; }

    const FlashSizes& sizes_;
    const Machine& machine_;
    std::int64_t block_rows_ = 0; // of the largest
};

} // namespace

AttentionPlan plan_attention(const FlashSizes& sizes, const Machine& machine, Bytes room) {
    return Planner(sizes, machine).run(room);
}

} // namespace systole
