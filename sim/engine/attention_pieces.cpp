#include "sim/engine/attention_pieces.h"

#include "sim/workload/vector_functions.h"

namespace systole {

namespace {

class Pieces {
  public:
    Pieces(const LoweredOperator& flash, const AttentionPlan& plan)
        : flash_(flash), tensors_(flash.flash.value()), normalize_(std::get<VectorTask>(flash.tasks.back())),
          plan_(plan), sizes_(flash_sizes(flash)) {}

    std::vector<AttentionPiece> run() {
        for (const auto& step : attention_steps(sizes_, plan_)) {
            if (step.divides)
                add_division(step.part);
            else
                add(step);
        }
        return std::move(pieces_);
    }

  private:
    template <typename Kind>
    const Kind& lowered(std::size_t block, std::size_t task) const {
        return std::get<Kind>(flash_.tasks[3 * block + task]);
    }

    void add(const AttentionStep& step) {
        const auto& part = step.part;
        const auto pairs = part.products * part.rows * part.keys;
        const auto elements = part.products * part.rows * sizes_.dim;
        auto scores = lowered<MatrixTask>(step.block, 0);
        auto softmax = lowered<VectorTask>(step.block, 1);
        auto values = lowered<MatrixTask>(step.block, 2);
        scores.count = values.count = part.products;
        scores.m = values.m = part.rows;
        scores.n = values.k = part.keys;
        values.formats.c = sizes_.values.c;
        scores.a.bytes = stored_bytes(elements, scores.formats.a);
        scores.b.bytes = stored_bytes(part.products * part.keys * sizes_.dim, scores.formats.b);
        values.b.bytes = stored_bytes(part.products * part.keys * sizes_.dim, values.formats.b);
        // Where they lie is the same for all blocks.
        scores.c = {lowered<MatrixTask>(0, 0).c.tensor, stored_bytes(pairs, scores.formats.c)};
        values.a = {lowered<MatrixTask>(0, 2).a.tensor, stored_bytes(pairs, values.formats.a)};
        values.c = {part.key == 0 ? tensors_.sums : tensors_.part, stored_bytes(elements, values.formats.c)};
        // Largest score and sum of a row are brought up to date by as many operations as a score takes.
        softmax.elements = pairs + (part.key == 0 ? 0 : part.products * part.rows);
        softmax.reads = {scores.c};
        softmax.writes = {values.a};
        pieces_.push_back({scores, {kept_queries(step), kept_pairs(step, tensors_.keys, scores.formats.b)}, part});
        pieces_.push_back({softmax, {}, part});
        pieces_.push_back({values, {KeptOperand{}, kept_pairs(step, tensors_.values, values.formats.b)}, part});
        if (part.key > 0)
            add_sum(part);
    }

    KeptOperand kept_queries(const AttentionStep& step) const {
        if (!plan_.cuts_keys())
            return {};
        const auto elements = step.at_a_time.products * step.at_a_time.rows * sizes_.dim;
        return {{tensors_.queries, stored_bytes(elements, sizes_.scores.a)}, step.part.key == 0};
    }

    KeptOperand kept_pairs(const AttentionStep& step, TensorId as, Format format) const {
        if (!plan_.keeps_pairs)
            return {};
        return {{as, stored_bytes(step.at_a_time.products * sizes_.keys * sizes_.dim, format)}, step.first};
    }

    VectorTask on_sums(const AttentionPart& part) const {
        auto task = normalize_;
        task.elements = part.products * part.rows * sizes_.dim;
        task.format = sizes_.values.c;
        task.reads = {{tensors_.sums, stored_bytes(task.elements, task.format)}};
        task.elementwise = false; // more than one task makes the sums
        return task;
    }

    void add_sum(const AttentionPart& part) {
        auto task = on_sums(part);
        task.name = task.name.substr(0, task.name.rfind('.')) + ".rescale";
        task.function = "rescale";
        task.operations_per_element = rescale_operations;
        task.writes = task.reads;
        task.reads.push_back({tensors_.part, task.reads.front().bytes});
        pieces_.push_back({task, {}, part});
    }

    void add_division(const AttentionPart& part) {
        auto task = on_sums(part);
        task.writes.front().bytes = stored_bytes(task.elements, normalize_.format);
        pieces_.push_back({task, {}, part});
    }

    const LoweredOperator& flash_;
    const FlashTensors tensors_;
    const VectorTask& normalize_;
    const AttentionPlan& plan_;
    const FlashSizes sizes_;
    std::vector<AttentionPiece> pieces_;
};

} // namespace

std::vector<AttentionPiece> attention_pieces(const LoweredOperator& flash, const AttentionPlan& plan) {
    return Pieces(flash, plan).run();
}

} // namespace systole
