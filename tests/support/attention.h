// Attention in values: the machine's matrix tasks on real operands with the vector unit's functions between them, and
// softmax(Q K^T / sqrt(d)) V from its definition, in double precision.
#pragma once

#include <ostream>
#include <vector>

#include "sim/engine/run.h"
#include "sim/workload/network.h"

namespace systole::test {

struct AttentionShape {
    std::int64_t batch = 1;
    std::int64_t kv_heads = 1;
    std::int64_t group = 1; // query heads that share keys and values
    std::int64_t queries = 1;
    std::int64_t cached = 0; // keys in the KV cache before them; the queries' own keys follow
    std::int64_t dim = 1;    // of a head
    bool flash = false;
    bool causal = false; // a query sees no later key
    std::int64_t query_block = 1;
    Format format = Format::fp32;

    std::int64_t keys() const { return cached + queries; }
    std::int64_t products() const { return batch * kv_heads; }
    std::int64_t visible(std::int64_t query) const { return causal ? cached + query + 1 : keys(); }
};

// One operator, "attention", of inputs and, behind cached keys, of caches.
Network attention_network(const AttentionShape& shape);

std::ostream& operator<<(std::ostream& out, const AttentionShape& shape);

// Row-major, values in [-1, 1] that the format holds; product p = (sample, key/value head).
struct AttentionValues {
    std::vector<double> q; // [p][group][queries][dim]
    std::vector<double> k; // [p][keys][dim]
    std::vector<double> v; // [p][keys][dim]
};

AttentionValues random_attention(const AttentionShape& shape, std::uint64_t seed);

// [p][group][queries][dim]
std::vector<double> direct_attention(const AttentionShape& shape, const AttentionValues& values);

struct AttentionOnMachine {
    std::vector<double> result; // as above
    std::int64_t products = 0;  // matrix tasks that were run
    std::int64_t macs = 0;
    std::int64_t rescaled = 0; // times that some keys were added to those before them
};

// The tasks that a network run would do, one behind the other, on an engine that carries values. Results of the arrays
// and of the vector unit are rounded to the format; sums of the softmax stay in the vector unit. Throws as simulate()
// does, std::runtime_error for a wrong product.
AttentionOnMachine attention_on_machine(const Machine& machine, const AttentionShape& shape,
                                        const AttentionValues& values, Dataflow dataflow, EngineKind engine);

} // namespace systole::test
