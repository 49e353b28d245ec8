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

Network network_of(const AttentionShape& shape) {
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

// Queries that are taken together, and the keys that they see.
struct Block {
    std::int64_t first = 0, queries = 1; // of each head
    std::int64_t keys = 1;
};

// Rows of a block's products: row = head of the group * queries + query.
struct Piece {
    Block block;
    std::int64_t product = 0, products = 1;
    std::int64_t row = 0, rows = 1;
};

class Walk {
  public:
    Walk(const Machine& machine, const AttentionShape& shape, const AttentionValues& values, EngineKind engine,
         Dataflow dataflow)
        : machine_(machine), shape_(shape), values_(values), engine_(engine),
          outputs_(at(shape.products() * shape.group * shape.queries * shape.dim)),
          sums_(at(shape.products() * shape.group * shape.queries), 1.0) {
        options_.dataflow = dataflow;
        options_.engine = engine;
        options_.verify = true;
    }

    AttentionOnMachine run() {
        const auto network = network_of(shape_);
        const auto lowered = lower(network);
        find_blocks(lowered.operators.front());
        const auto tasks = place_tasks(network, lowered, machine_, options_.from);
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            if (std::holds_alternative<VectorTask>(tasks[i].task)) {
                normalize(std::get<VectorTask>(tasks[i].task));
                continue;
            }
            const auto piece = next_piece(std::get<MatrixTask>(tasks[i].task));
            const auto scores = product(tasks[i], queries_of(piece), keys_of(piece));
            const auto& softmax = std::get<VectorTask>(tasks[i + 1].task);
            const auto probabilities = probabilities_of(piece, softmax, scores);
            store(piece, product(tasks[i + 2], probabilities, values_of(piece)));
            i += 2;
        }
        done_.result = outputs_;
        return done_;
    }

  private:
    void find_blocks(const LoweredOperator& lowered) {
        std::int64_t first = 0;
        for (std::size_t i = 0; i + 2 < lowered.tasks.size(); i += 3) {
            const auto& scores = std::get<MatrixTask>(lowered.tasks[i]);
            blocks_.push_back({first, scores.m / shape_.group, scores.n});
            first += blocks_.back().queries;
        }
        if (first != shape_.queries)
            throw std::runtime_error("the blocks of attention do not cover its queries");
    }

    // Pieces come block by block, product by product, row by row.
    Piece next_piece(const MatrixTask& scores) {
        const Piece piece{blocks_.at(block_), product_, scores.count, row_, scores.m};
        row_ += scores.m;
        if (row_ == shape_.group * piece.block.queries) {
            row_ = 0;
            product_ += scores.count;
        }
        if (product_ == shape_.products()) {
            product_ = 0;
            ++block_;
        }
        return piece;
    }

    // Of the whole attention: [p][group][queries].
    std::int64_t row_of(const Piece& piece, std::int64_t product, std::int64_t row) const {
        const auto head = row / piece.block.queries;
        const auto query = piece.block.first + row % piece.block.queries;
        return ((piece.product + product) * shape_.group + head) * shape_.queries + query;
    }

    // For each product and row of the piece: its place in the piece and in the whole attention.
    template <typename Visit>
    void each_row(const Piece& piece, Visit&& visit) const {
        for (std::int64_t p = 0; p < piece.products; ++p) {
            for (std::int64_t r = 0; r < piece.rows; ++r)
                visit(p * piece.rows + r, row_of(piece, p, piece.row + r));
        }
    }

    GivenMatrix queries_of(const Piece& piece) const {
        GivenMatrix a{piece.products * piece.rows, shape_.dim, {}, "queries"};
        each_row(piece, [&](std::int64_t, std::int64_t row) {
            const auto first = values_.q.begin() + row * shape_.dim;
            a.values.insert(a.values.end(), first, first + shape_.dim);
        });
        return a;
    }

    GivenMatrix keys_of(const Piece& piece) const { // transposed
        GivenMatrix b{piece.products * shape_.dim, piece.block.keys, {}, "keys"};
        for (std::int64_t p = 0; p < piece.products; ++p) {
            for (std::int64_t d = 0; d < shape_.dim; ++d) {
                for (std::int64_t key = 0; key < piece.block.keys; ++key)
                    b.values.push_back(values_.k[at(((piece.product + p) * shape_.keys() + key) * shape_.dim + d)]);
            }
        }
        return b;
    }

    GivenMatrix values_of(const Piece& piece) const {
        GivenMatrix b{piece.products * piece.block.keys, shape_.dim, {}, "values"};
        for (std::int64_t p = 0; p < piece.products; ++p) {
            const auto first = values_.v.begin() + (piece.product + p) * shape_.keys() * shape_.dim;
            b.values.insert(b.values.end(), first, first + piece.block.keys * shape_.dim);
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

    // What the vector unit makes of the scores; masked ones stay 0.
    GivenMatrix probabilities_of(const Piece& piece, const VectorTask& task, const std::vector<double>& scores) {
        const auto keys = piece.block.keys;
        GivenMatrix a{piece.products * piece.rows, keys, std::vector<double>(scores.size()), "probabilities"};
        each_row(piece, [&](std::int64_t place, std::int64_t row) {
            const auto visible = std::min(keys, shape_.visible(row % shape_.queries));
            const double* from = scores.data() + place * keys;
            double* to = a.values.data() + place * keys;
            if (task.function == "online_softmax")
                sums_[at(row)] = online_softmax(from, to, visible);
            else
                softmax(from, to, visible);
        });
        return a;
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

    // Some keys at a time, with the largest score and the sum so far; returns the sum (Dao et al. 2022, algorithm 1).
    double online_softmax(const double* scores, double* to, std::int64_t visible) const {
        constexpr std::int64_t at_a_time = 3;
        double largest = -std::numeric_limits<double>::infinity();
        double sum = 0;
        for (std::int64_t begin = 0; begin < visible; begin += at_a_time) {
            const auto end = std::min(begin + at_a_time, visible);
            const double now = std::max(largest, scaled(*std::max_element(scores + begin, scores + end)));
            const double again = std::exp(largest - now);
            sum *= again;
            std::for_each(to, to + begin, [&](double& probability) { probability *= again; });
            for (auto i = begin; i < end; ++i)
                sum += to[i] = std::exp(scaled(scores[i]) - now);
            largest = now;
        }
        for (std::int64_t i = 0; i < visible; ++i)
            to[i] = rounded(shape_.format, to[i]);
        return sum;
    }

    void store(const Piece& piece, const std::vector<double>& c) {
        each_row(piece, [&](std::int64_t place, std::int64_t row) {
            std::copy_n(c.begin() + place * shape_.dim, shape_.dim, outputs_.begin() + row * shape_.dim);
        });
    }

    void normalize(const VectorTask& task) {
        if (task.function != "divide" || task.elements != static_cast<std::int64_t>(outputs_.size()))
            throw std::runtime_error("flash attention does not end with its division");
        for (std::int64_t i = 0; i < task.elements; ++i)
            outputs_[at(i)] = rounded(shape_.format, outputs_[at(i)] / sums_[at(i / shape_.dim)]);
    }

    const Machine& machine_;
    const AttentionShape& shape_;
    const AttentionValues& values_;
    const EngineKind engine_;
    RunOptions options_;
    std::vector<Block> blocks_;
    std::size_t block_ = 0;              // of the next piece,
    std::int64_t product_ = 0, row_ = 0; // and where it begins
    std::vector<double> outputs_, sums_; // of each row: what it is divided by in the end
    AttentionOnMachine done_;
};

} // namespace

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
