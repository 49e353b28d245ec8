// Attention in values: what the arrays and the vector unit make of real queries, keys and values, task by task as in a
// network, against the definition in double precision.
#include <cmath>

#include "sim/base/error.h"
#include "tests/support/attention.h"
#include "tests/support/cases.h"
#include "tests/support/check_property.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

// How far an output may be off. u: half a step of the stored format at 1; e = 2^-24: of the sums, which are fp32;
// g(n) = n e / (1 - n e): of n roundings one behind the other (Higham 2002, section 3.1). Queries, keys and values are
// at most 1.
//
// A score is the sum of d products: off by at most d ((1 + g(d + 2)) (1 + u) - 1) = s when it is stored (d - 1
// additions, one more for each further pass, but no more than d in all, and the product's own rounding).
// Divided by sqrt(d) it goes into an exponential and into their sum: a factor of exp(2 s / sqrt(d)) at most.
// A probability is stored (1 + u), the products with the values are summed (1 + g(keys + 2)) and stored (1 + u); flash
// attention stores the quotient by the sum as well (1 + u). Probabilities sum to 1, so all of this is relative to 1.
// What fp16 cannot hold is off by half of its smallest step, 2^-25, instead: each probability, and twice the output.
double largest_error(const AttentionShape& shape) {
    const double e = std::ldexp(1.0, -24);
    const double u = shape.format == Format::fp32   ? e
                     : shape.format == Format::fp16 ? std::ldexp(1.0, -11)
                                                    : std::ldexp(1.0, -8);
    const auto g = [e](double n) { return n * e / (1 - n * e); };
    const auto d = static_cast<double>(shape.dim);
    const auto keys = static_cast<double>(shape.keys());
    const double score = d * ((1 + g(d + 2)) * (1 + u) - 1);
    const double factor = std::exp(2 * score / std::sqrt(d)) * std::pow(1 + u, shape.flash ? 3 : 2) * (1 + g(keys + 2));
    const double underflow = shape.format == Format::fp16 ? (keys + 2) * std::ldexp(1.0, -25) * factor : 0;
    constexpr double of_the_reference = 1e-13;
    return factor - 1 + underflow + of_the_reference;
}

rc::Gen<AttentionShape> any_attention() {
    using rc::gen::element;
    using rc::gen::inRange;
    using rc::gen::set;
    using Int = std::int64_t;
    return rc::gen::build<AttentionShape>(
        set(&AttentionShape::batch, inRange<Int>(1, 3)), set(&AttentionShape::kv_heads, inRange<Int>(1, 4)),
        set(&AttentionShape::group, inRange<Int>(1, 4)), set(&AttentionShape::queries, element<Int>(1, 1, 2, 3, 5, 8)),
        set(&AttentionShape::cached, element<Int>(0, 0, 1, 4, 11)), set(&AttentionShape::dim, inRange<Int>(1, 10)),
        set(&AttentionShape::flash, element(false, true)), set(&AttentionShape::causal, element(false, true)),
        set(&AttentionShape::query_block, inRange<Int>(1, 5)),
        set(&AttentionShape::format, element(Format::fp32, Format::bf16, Format::fp16)));
}

Machine any_machine(Format format) {
    Machine machine = ideal_machine(*rc::gen::inRange(1, 7), *rc::gen::inRange(1, 7));
    machine.array.count = *rc::gen::inRange(1, 3);
    machine.macs_per_pe_cycle = {{format, 1}};
    machine.default_format = format;
    machine.hbm.bandwidth = 16'000'000'000;
    machine.vmem.capacity = *rc::gen::element(Bytes{unlimited}, Bytes{256}, Bytes{512}, Bytes{1024}, Bytes{4096});
    return machine;
}

} // namespace

TEST_CASE("attention on the arrays and the vector unit gives softmax(Q K^T / sqrt(d)) V, within what rounding allows") {
    DiscardCounter counter;
    // Cases with pieces that fit into VMEM, also with some keys at a time; with one query behind a cache.
    int cut = 0, keys_cut = 0, decoded = 0;
    check_property("attention in values", 400, [&] {
        const auto shape = *any_attention();
        const auto machine = any_machine(shape.format);
        const auto values = random_attention(shape, *rc::gen::arbitrary<std::uint64_t>());
        const auto dataflow = *rc::gen::element(ws, os, is);
        AttentionOnMachine got;
        try {
            got = attention_on_machine(machine, shape, values, dataflow, EngineKind::flat);
        } catch (const InputError&) {
            if (machine.vmem.capacity == unlimited)
                throw;
            counter.discarded();
            RC_DISCARD("does not fit VMEM");
        }
        counter.kept();
        const auto blocks = shape.flash && shape.causal ? ceil_div(shape.queries, shape.query_block) : 1;
        cut += got.products > 2 * blocks;
        keys_cut += got.rescaled > 0;
        decoded += shape.queries == 1 && shape.cached > 0;
        const auto expected = direct_attention(shape, values);
        const double allowed = largest_error(shape);
        RC_ASSERT(got.result.size() == expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            RC_LOG() << "element " << i << ": " << got.result[i] << ", by definition " << expected[i]
                     << ", may be off by " << allowed << "\n";
            RC_ASSERT(std::fabs(got.result[i] - expected[i]) <= allowed);
        }
    });
    CHECK(cut >= 20);
    CHECK(keys_cut >= 20);
    CHECK(decoded >= 20);
    counter.require_at_most(0.6);
}

TEST_CASE("causal flash attention does the products of a block with the keys that it sees, and no others") {
    // Blocks of 2 queries behind a cache of 3 keys see 5, 7 and, a single query, 8 keys; twice over, 4 elements a head.
    const AttentionShape shape{.batch = 1,
                               .kv_heads = 2,
                               .group = 3,
                               .queries = 5,
                               .cached = 3,
                               .dim = 4,
                               .flash = true,
                               .causal = true,
                               .query_block = 2};
    Machine machine = ideal_machine(4, 4);
    machine.macs_per_pe_cycle = {{Format::fp32, 1}};
    const auto got = attention_on_machine(machine, shape, random_attention(shape, 1), ws, EngineKind::flat);
    CHECK(got.products == 2 * 3);
    CHECK(got.macs == 2 * 2 * 3 * 4 * (2 * 5 + 2 * 7 + 1 * 8));
}
