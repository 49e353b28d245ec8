#include "tests/support/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "pe/convert.h"
#include "sim/base/splitmix.h"
#include "sim/engine/network_tasks.h"
#include "sim/engine/operator_run.h"

namespace systole::test {

namespace {

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

// Of the online softmax, over the keys so far.
struct Row {
    double largest = 0;
    double sum = 1;
    double again = 1; // what earlier sums are multiplied by
};

class Walk {
  public:
    Walk(const Machine& machine, const AttentionShape& shape, const AttentionValues& values, EngineKind engine,
         Dataflow dataflow)
        : machine_(machine), shape_(shape), values_(values), engine_(engine),
          outputs_(at(shape.products() * shape.group * shape.queries * shape.dim)),
          rows_(at(shape.products() * shape.group * shape.queries)) {
        options_.dataflow = dataflow;
        options_.engine = engine;
        options_.verify = true;
    }

    AttentionOnMachine run() {
        const auto lowered = lower(attention_network(shape_));
        const AttentionPart all{0, shape_.products(), 0, shape_.group * shape_.queries, 0, shape_.keys()};
        for (const auto& task : place_tasks(lowered, machine_, options_.from)) {
            part_ = task.part.value_or(all);
            if (const auto* vector = std::get_if<VectorTask>(&task.task))
                run_vector(*vector);
            else
                run_matrix(task);
        }
        done_.result = outputs_;
        return done_;
    }

  private:
    void run_matrix(const NetworkTask& task) {
        if (std::get<MatrixTask>(task.task).b_transposed) {
            scores_ = product(task, queries(), keys());
            return;
        }
        sums_of_part_ = product(task, probabilities_, values());
        if (part_.key == 0)
            take_sums([](double, double, double part) { return part; });
    }

    void run_vector(const VectorTask& task) {
        if (task.function == "softmax" || task.function == "online_softmax")
            find_probabilities(task);
        else if (task.function == "rescale") {
            take_sums([](double sum, double again, double part) { return sum * again + part; });
            ++done_.rescaled;
        } else
            normalize(task);
    }

    // Rows are counted block by block, in a block head by head; in the whole attention they are [p][group][queries].
    std::int64_t row_of(std::int64_t product, std::int64_t row) const {
        const bool blocked = shape_.flash && shape_.causal && shape_.queries > 1;
        const auto block = blocked ? shape_.query_block : shape_.queries;
        const auto first = row / (shape_.group * block) * block;
        const auto queries = std::min(block, shape_.queries - first);
        const auto within = row - shape_.group * first;
        return (product * shape_.group + within / queries) * shape_.queries + first + within % queries;
    }

    // For each product and row of the piece: its place in the piece and in the whole attention.
    template <typename Visit>
    void each_row(Visit&& visit) const {
        for (std::int64_t p = 0; p < part_.products; ++p) {
            for (std::int64_t r = 0; r < part_.rows; ++r)
                visit(p * part_.rows + r, row_of(part_.product + p, part_.row + r));
        }
    }

    GivenMatrix queries() const {
        GivenMatrix a{part_.products * part_.rows, shape_.dim, {}, "queries"};
        each_row([&](std::int64_t, std::int64_t row) {
            const auto first = values_.q.begin() + row * shape_.dim;
            a.values.insert(a.values.end(), first, first + shape_.dim);
        });
        return a;
    }

    // Element d of a key or value of the piece.
    double pair_of(const std::vector<double>& pairs, std::int64_t product, std::int64_t key, std::int64_t d) const {
        return pairs[at(((part_.product + product) * shape_.keys() + part_.key + key) * shape_.dim + d)];
    }

    GivenMatrix keys() const { // transposed
        GivenMatrix b{part_.products * shape_.dim, part_.keys, {}, "keys"};
        for (std::int64_t p = 0; p < part_.products; ++p) {
            for (std::int64_t d = 0; d < shape_.dim; ++d) {
                for (std::int64_t key = 0; key < part_.keys; ++key)
                    b.values.push_back(pair_of(values_.k, p, key, d));
            }
        }
        return b;
    }

    GivenMatrix values() const {
        GivenMatrix b{part_.products * part_.keys, shape_.dim, {}, "values"};
        for (std::int64_t p = 0; p < part_.products; ++p) {
            for (std::int64_t key = 0; key < part_.keys; ++key) {
                for (std::int64_t d = 0; d < shape_.dim; ++d)
                    b.values.push_back(pair_of(values_.v, p, key, d));
            }
        }
        return b;
    }

    // On the arrays.
    std::vector<double> product(const NetworkTask& task, GivenMatrix a, GivenMatrix b) {
        std::vector<double> c;
        auto options = options_;
        options.given.a = std::move(a);
        options.given.b = std::move(b);
        options.take_result = [&](const GemmProblem&, const std::vector<double>& result) { c = result; };
        const auto plan = make_plan(machine_, problem_of(task), options);
        const auto run = run_operator(machine_, plan, engine_, options);
        if (run.result.verified != true)
            throw std::runtime_error("a product of attention was not right");
        ++done_.products;
        done_.macs += run.result.macs;
        return c;
    }

    // What the vector unit makes of the scores; masked ones are 0.
    void find_probabilities(const VectorTask& task) {
        probabilities_ = {part_.products * part_.rows, part_.keys, std::vector<double>(scores_.size()),
                          "probabilities"};
        each_row([&](std::int64_t place, std::int64_t row) {
            const auto visible =
                std::clamp<std::int64_t>(shape_.visible(row % shape_.queries) - part_.key, 0, part_.keys);
            const double* from = scores_.data() + place * part_.keys;
            double* to = probabilities_.values.data() + place * part_.keys;
            if (task.function == "online_softmax")
                online_softmax(from, to, visible, rows_[at(row)]);
            else
                softmax(from, to, visible);
        });
    }

    double scaled(double score) const { return score / std::sqrt(static_cast<double>(shape_.dim)); }

    void softmax(const double* scores, double* to, std::int64_t visible) const {
        const double largest = scaled(*std::max_element(scores, scores + visible));
        double sum = 0;
        for (std::int64_t i = 0; i < visible; ++i)
            sum += std::exp(scaled(scores[i]) - largest);
        for (std::int64_t i = 0; i < visible; ++i)
            to[i] = rounded(shape_.format, std::exp(scaled(scores[i]) - largest) / sum);
    }

    // The row's state so far with some more keys (Dao et al. 2022, algorithm 1).
    void online_softmax(const double* scores, double* to, std::int64_t visible, Row& row) const {
        const double before = part_.key == 0 ? -std::numeric_limits<double>::infinity() : row.largest;
        row.largest = before;
        for (std::int64_t i = 0; i < visible; ++i)
            row.largest = std::max(row.largest, scaled(scores[i]));
        row.again = std::exp(before - row.largest);
        row.sum = part_.key == 0 ? 0 : row.sum * row.again;
        for (std::int64_t i = 0; i < visible; ++i) {
            const double probability = std::exp(scaled(scores[i]) - row.largest);
            row.sum += probability;
            to[i] = rounded(shape_.format, probability);
        }
    }

    // `of`: what becomes of a sum, its row's factor and what the piece adds.
    template <typename Of>
    void take_sums(Of&& of) {
        each_row([&](std::int64_t place, std::int64_t row) {
            for (std::int64_t d = 0; d < shape_.dim; ++d) {
                double& sum = outputs_[at(row * shape_.dim + d)];
                sum = of(sum, rows_[at(row)].again, sums_of_part_.at(at(place * shape_.dim + d)));
            }
        });
        sums_of_part_.clear(); // each is added once
    }

    void normalize(const VectorTask& task) {
        if (task.function != "divide" || task.elements != part_.products * part_.rows * shape_.dim)
            throw std::runtime_error("flash attention does not end with the division of its rows");
        if (!sums_of_part_.empty())
            throw std::runtime_error("sums of some keys are missing");
        each_row([&](std::int64_t, std::int64_t row) {
            for (std::int64_t d = 0; d < shape_.dim; ++d) {
                double& output = outputs_[at(row * shape_.dim + d)];
                output = rounded(shape_.format, output / rows_[at(row)].sum);
            }
        });
    }

    const Machine& machine_;
    const AttentionShape& shape_;
    const AttentionValues& values_;
    const EngineKind engine_;
    RunOptions options_;
    AttentionPart part_;         // of the task
    std::vector<double> scores_; // of the piece, as what follows
    GivenMatrix probabilities_;
    std::vector<double> sums_of_part_;
    std::vector<double> outputs_;
    std::vector<Row> rows_;
    AttentionOnMachine done_;
};

} // namespace

Network attention_network(const AttentionShape& shape) {
    Diagnostics found;
    NetworkBuilder builder({shape.format, shape.format, shape.format}, found);
    const auto width = shape.kv_heads * shape.dim;
    const auto input = [&](const char* name, TensorKind kind, std::int64_t tokens, std::int64_t elements) {
        builder.add_tensor({name, kind, {shape.batch, tokens, elements}, shape.format, {}});
    };
    input("q", TensorKind::input, shape.queries, shape.group * width);
    input("k", TensorKind::input, shape.queries, width);
    input("v", TensorKind::input, shape.queries, width);
    std::vector<std::string> inputs{"q", "k", "v"};
    if (shape.cached > 0) {
        input("keys", TensorKind::cache, shape.cached, width);
        input("values", TensorKind::cache, shape.cached, width);
        inputs.insert(inputs.end(), {"keys", "values"});
    }
    AttentionAttributes attention{.heads = shape.group * shape.kv_heads,
                                  .kv_heads = shape.kv_heads,
                                  .method = shape.flash ? AttentionKind::flash : AttentionKind::standard,
                                  .causal = shape.causal,
                                  .query_block = shape.query_block};
    builder.add_operator({"attention", attention, inputs, "", std::nullopt, {}});
    Network network = builder.finish({}, {});
    found.throw_if_any();
    return network;
}

std::ostream& operator<<(std::ostream& out, const AttentionShape& s) {
    return out << (s.flash ? "flash" : "standard") << (s.causal ? " causal" : "") << " batch=" << s.batch
               << " kv_heads=" << s.kv_heads << " group=" << s.group << " queries=" << s.queries
               << " cached=" << s.cached << " dim=" << s.dim << " query_block=" << s.query_block << " "
               << name(s.format);
}

AttentionValues random_attention(const AttentionShape& shape, std::uint64_t seed) {
    SplitMix random(seed);
    const auto draw = [&](std::int64_t count) {
        std::vector<double> values(at(count));
        for (double& value : values)
            value = rounded(shape.format, std::ldexp(static_cast<double>(random.next() >> 11U), -52) - 1);
        return values;
    };
    const auto pairs = shape.products() * shape.keys() * shape.dim;
    return {draw(shape.products() * shape.group * shape.queries * shape.dim), draw(pairs), draw(pairs)};
}

std::vector<double> direct_attention(const AttentionShape& shape, const AttentionValues& values) {
    std::vector<double> result(values.q.size());
    const auto dim = shape.dim;
    const auto rows = static_cast<std::int64_t>(values.q.size()) / dim;
    for (std::int64_t row = 0; row < rows; ++row) {
        const auto first_key = row / (shape.group * shape.queries) * shape.keys();
        std::vector<double> weights(at(shape.visible(row % shape.queries)));
        double sum = 0;
        for (std::size_t key = 0; key < weights.size(); ++key) {
            double score = 0;
            for (std::int64_t d = 0; d < dim; ++d)
                score += values.q[at(row * dim + d)] * values.k[at((first_key + std::int64_t(key)) * dim + d)];
            weights[key] = std::exp(score / std::sqrt(static_cast<double>(dim)));
            sum += weights[key];
        }
        for (std::size_t key = 0; key < weights.size(); ++key) {
            for (std::int64_t d = 0; d < dim; ++d)
                result[at(row * dim + d)] +=
                    weights[key] / sum * values.v[at((first_key + std::int64_t(key)) * dim + d)];
        }
    }
    return result;
}

AttentionOnMachine attention_on_machine(const Machine& machine, const AttentionShape& shape,
                                        const AttentionValues& values, Dataflow dataflow, EngineKind engine) {
    return Walk(machine, shape, values, engine, dataflow).run();
}

} // namespace systole::test
