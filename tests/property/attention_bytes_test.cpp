// What attention moves to and from HBM: no less than it must, flash no more than standard, causal no more than all
// pairs.
#include "sim/base/error.h"
#include "sim/engine/network_run.h"
#include "sim/engine/network_tasks.h"
#include "sim/roofline/network_work.h"
#include "tests/support/attention.h"
#include "tests/support/cases.h"
#include "tests/support/check_property.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

rc::Gen<AttentionShape> any_attention() {
    using rc::gen::element;
    using rc::gen::inRange;
    using rc::gen::set;
    using Int = std::int64_t;
    return rc::gen::build<AttentionShape>(
        set(&AttentionShape::batch, inRange<Int>(1, 3)), set(&AttentionShape::kv_heads, inRange<Int>(1, 4)),
        set(&AttentionShape::group, element<Int>(1, 1, 2, 3)),
        set(&AttentionShape::queries, element<Int>(1, 5, 16, 33, 64, 100, 200)),
        set(&AttentionShape::cached, element<Int>(0, 0, 0, 7, 100)),
        set(&AttentionShape::dim, element<Int>(1, 4, 8, 16, 24, 32)), set(&AttentionShape::flash, rc::gen::just(true)),
        set(&AttentionShape::causal, element(false, true)),
        set(&AttentionShape::query_block, element<Int>(8, 16, 32, 128)),
        set(&AttentionShape::format, element(Format::int8, Format::bf16)));
}

Machine any_machine(Format format) {
    const int side = *rc::gen::element(4, 8, 16);
    Machine machine = ideal_machine(side, side);
    machine.macs_per_pe_cycle = {{format, 1}};
    machine.default_format = format;
    machine.hbm.bandwidth = 16'000'000'000;
    machine.vmem.capacity =
        *rc::gen::element(Bytes{4} << 10, Bytes{8} << 10, Bytes{16} << 10, Bytes{64} << 10, Bytes{1} << 20);
    return machine;
}

// What the tasks read and write beyond VMEM, each operand of each task once: no mapping moves less.
Bytes tasks_bytes(const Machine& machine, const AttentionShape& shape) {
    Bytes sum = 0;
    const auto add = [&](const std::vector<TensorUse>& uses, const std::vector<Home>& homes) {
        for (std::size_t i = 0; i < uses.size(); ++i)
            sum += homes[i] == Home::vmem ? 0 : uses[i].bytes;
    };
    for (const auto& task : place_tasks(lower(attention_network(shape)), machine, DataOrigin::hbm)) {
        add(reads_of(task), task.read_homes);
        add(writes_of(task.task), task.write_homes);
    }
    return sum;
}

OperatorResult run(const Machine& machine, const AttentionShape& shape) {
    const auto network = attention_network(shape);
    return simulate_network(machine, network, lower(network), run_options(EngineKind::tile, ws, DataOrigin::hbm))
        .operators.front();
}

// Discards what does not fit.
OperatorResult run_or_discard(const Machine& machine, const AttentionShape& shape, DiscardCounter& counter) {
    try {
        auto result = run(machine, shape);
        counter.kept();
        return result;
    } catch (const InputError&) {
        counter.discarded();
        RC_DISCARD("does not fit VMEM");
    }
}

Bytes compulsory(const OperatorResult& result) { return result.roofline.levels.at("hbm").compulsory_bytes; }

Bytes analytic_bytes(const AttentionShape& shape) {
    const auto network = attention_network(shape);
    const auto work = analytic::network_work(network, lower(network)).front().work;
    return static_cast<Bytes>(work.in_bytes + work.out_bytes);
}

AttentionShape with(AttentionShape shape, bool flash, bool causal) {
    shape.flash = flash;
    shape.causal = causal;
    return shape;
}

} // namespace

TEST_CASE("attention moves at least its compulsory bytes, which are the roofline's: each tensor once") {
    DiscardCounter counter;
    check_property("compulsory bytes of attention", 150, [&] {
        const auto shape = *any_attention();
        const auto machine = any_machine(shape.format);
        const auto flash = run_or_discard(machine, shape, counter);
        RC_ASSERT(compulsory(flash) == analytic_bytes(shape));
        RC_ASSERT(flash.traffic.hbm.total() >= compulsory(flash));
        const auto standard = run_or_discard(machine, with(shape, false, shape.causal), counter);
        RC_ASSERT(compulsory(standard) <= analytic_bytes(with(shape, false, shape.causal)));
        RC_ASSERT(compulsory(standard) >= compulsory(flash));
        RC_ASSERT(standard.traffic.hbm.total() >= compulsory(standard));
    });
    counter.require_at_most(0.6);
}

TEST_CASE("flash attention asks for no more bytes than standard attention, causal for no more than all pairs") {
    check_property("flash, causal and standard", 3000, [] {
        const auto shape = *any_attention();
        auto machine = any_machine(shape.format);
        // In less, fewer rows fit than half a head has elements, and keys again for each cost more than scores.
        machine.vmem.capacity = std::max(machine.vmem.capacity, Bytes{32} << 10);
        const auto standard = tasks_bytes(machine, with(shape, false, false));
        const auto all = tasks_bytes(machine, with(shape, true, false));
        const auto causal = tasks_bytes(machine, with(shape, true, true));
        RC_LOG() << machine.vmem.capacity << " bytes of VMEM, rows " << machine.array.rows << ": causal " << causal
                 << " bytes, all pairs " << all << ", standard " << standard << "\n";
        RC_ASSERT(all <= standard);
        RC_ASSERT(causal <= all);
    });
}

TEST_CASE("with room for everything each tensor of a flash attention crosses HBM once") {
    check_property("flash attention with room", 500, [] {
        const auto shape = *any_attention();
        auto machine = any_machine(shape.format);
        machine.vmem.capacity = *rc::gen::element(Bytes{unlimited}, Bytes{64} << 20);
        RC_ASSERT(tasks_bytes(machine, shape) == analytic_bytes(with(shape, true, shape.causal)));
    });
}

TEST_CASE("causal flash attention of many queries takes no more cycles than that of all pairs") {
    using Int = std::int64_t;
    check_property("causal cycles", 40, [] {
        AttentionShape shape{.kv_heads = *rc::gen::inRange<Int>(1, 4),
                             .queries = *rc::gen::element<Int>(512, 777, 1024),
                             .dim = *rc::gen::element<Int>(16, 32, 64),
                             .flash = true,
                             .query_block = *rc::gen::element<Int>(64, 128),
                             .format = Format::int8};
        auto machine = any_machine(shape.format);
        machine.vmem.capacity = *rc::gen::element(Bytes{64} << 10, Bytes{256} << 10, Bytes{4} << 20);
        const auto causal = run(machine, with(shape, true, true));
        const auto all = run(machine, with(shape, true, false));
        RC_LOG() << causal.cycles << " cycles, all pairs " << all.cycles << "\n";
        RC_ASSERT(causal.cycles <= all.cycles);
        RC_ASSERT(tasks_bytes(machine, with(shape, true, true)) <= tasks_bytes(machine, with(shape, true, false)));
    });
}
