// --fuse: elementwise work on the results of the product before it. 2 x 2 PEs, ws, R + C - 2 + E = 3; two lanes of one
// ALU, so two operations a cycle.
#include "sim/config/load.h"
#include "sim/engine/network_run.h"
#include "sim/workload/network_reader.h"
#include "sim/workload/workload.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

RunResult run(const Machine& machine, const Network& network, bool fused, DataOrigin from) {
    RunOptions options;
    options.engine = EngineKind::tile;
    options.from = from;
    options.fuse = fused;
    return simulate_network(machine, network, lower(network), options);
}

RunResult run_text(const std::string& operators, bool fused, DataOrigin from = DataOrigin::vmem) {
    Machine machine = ideal_machine(2, 2);
    machine.vector = {.lanes = 2, .sublanes = 1, .alus = 1};
    const std::string input = "[[tensor]]\nname = \"x\"\nshape = [4, 2]\n"
                              "[[operator]]\nname = \"fc\"\nkind = \"gemm\"\nfeatures = 2\n";
    const Format int8 = Format::int8;
    return run(machine, read_network(input + operators, "net.toml", {{int8, int8, int8}, std::nullopt, {}}), fused,
               from);
}

std::vector<std::string> names_of(const RunResult& result) {
    std::vector<std::string> names;
    for (const auto& one : result.operators)
        names.push_back(one.name);
    return names;
}

const std::string relu = "[[operator]]\nname = \"y\"\nkind = \"relu\"\n";
const std::string residual = "[[operator]]\nname = \"sum\"\nkind = \"add\"\ninputs = [\"fc\", \"x\"]\n" + relu;

using Names = std::vector<std::string>;

} // namespace

// 2 cycles of load, 4 vectors in cycles 2 to 5, results in 5 to 8. Alone, the vector unit takes 8 elements of one
// operation at 2 a cycle: 4 more. As they come, it does the two of a cycle in that cycle.
TEST_CASE("a fused activation takes no time where the vector unit keeps up") {
    const auto alone = run_text(relu, false);
    CHECK(names_of(alone) == Names{"fc", "y"});
    CHECK(alone.total.cycles == 9 + 4);
    const auto fused = run_text(relu, true);
    CHECK(names_of(fused) == Names{"fc"});
    CHECK(fused.total.cycles == 9);
    CHECK(fused.total.roofline.t_vector_s == alone.total.roofline.t_vector_s); // the same operations
}

// Two operations for each of 8 outputs: 8 cycles from cycle 5 on, to 12. The sum's other operand is 8 bytes.
TEST_CASE("a residual and its activation are fused one behind the other if the other operand lies in VMEM") {
    const auto fused = run_text(residual, true);
    CHECK(names_of(fused) == Names{"fc"});
    CHECK(fused.total.cycles == 13);
    CHECK(fused.total.traffic.vmem.read.vector == 8);
    // From HBM the input is not there, so the sum stays with the vector unit, and what follows it.
    CHECK(names_of(run_text(residual, true, DataOrigin::hbm)) == Names{"fc", "sum", "y"});
}

TEST_CASE("a product that somebody else reads, or that is a result, stays as it is") {
    const std::string twice = relu + "[[operator]]\nname = \"z\"\nkind = \"multiply\"\ninputs = [\"fc\", \"y\"]\n";
    CHECK(names_of(run_text(twice, true)) == Names{"fc", "y", "z"});
    const std::string kept = relu + "result = true\n";
    CHECK(names_of(run_text(kept, true)) == Names{"fc"});
}

// An epilogue rounds the vector unit's time up for each pass, a task of its own for each of its blocks; that is a cycle
// a pass at most.
TEST_CASE("fused networks are no slower and move no more bytes over HBM") {
    for (const std::string workload : {"resnet18", "bert_base", "mobilenet_v2"}) {
        INFO(workload);
        const auto machine = load_machine("tpu_v5e", {"array.count=1"});
        const Format bf16 = Format::bf16;
        const auto network = load_network(workload, {{bf16, bf16, bf16}, std::nullopt, {}});
        const auto alone = run(machine, network, false, DataOrigin::hbm);
        const auto fused = run(machine, network, true, DataOrigin::hbm);
        CHECK(fused.operators.size() < alone.operators.size());
        CHECK(fused.total.cycles <= alone.total.cycles + fused.total.passes);
        CHECK(fused.total.traffic.hbm.total() <= alone.total.traffic.hbm.total());
        CHECK(fused.total.traffic.vmem.total() < alone.total.traffic.vmem.total());
        CHECK(fused.total.macs == alone.total.macs);
    }
}
