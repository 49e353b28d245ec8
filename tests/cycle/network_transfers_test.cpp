// Transfers around a network's work: what crosses which level, where products end, and what the roofline says of it.
// 64 x 64 elements of a byte are 4096 bytes.
#include "sim/base/error.h"
#include "sim/config/load.h"
#include "sim/engine/network_run.h"
#include "sim/workload/network_reader.h"
#include "sim/workload/workload.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

constexpr Bytes tensor = 64 * 64;

const std::string input = "[[tensor]]\nname = \"x\"\nshape = [64, 64]\n";
const std::string gemm_ = "[[operator]]\nname = \"g\"\nkind = \"gemm\"\nfeatures = 64\n";
const std::string relu = "[[operator]]\nname = \"r\"\nkind = \"relu\"\n";
const std::string up = "[[operator]]\nname = \"up\"\nkind = \"transfer\"\n";
const std::string down = "[[operator]]\nname = \"down\"\nkind = \"transfer\"\ndirection = \"to_host\"\n";

Machine machine_of(Bytes vmem = unlimited) {
    Machine machine = ideal_machine(16, 16);
    machine.vmem.capacity = vmem;
    machine.dma.burst_bytes = 64;
    machine.pcie.bandwidth = 32 * machine.clock; // 32 bytes a cycle
    return machine;
}

Network network_of(const std::string& operators) {
    const Format int8 = Format::int8;
    return read_network(input + operators, "net.toml", {{int8, int8, int8}, std::nullopt, {}});
}

RunResult run(const std::string& operators, RunOptions options = {}) {
    const Network network = network_of(operators);
    return simulate_network(machine_of(), network, lower(network), options);
}

RunOptions from(DataOrigin origin) {
    RunOptions options;
    options.from = origin;
    return options;
}

} // namespace

TEST_CASE("a product that is taken to the host is stored to HBM first, although VMEM has room for it") {
    const auto result = run(gemm_ + down);
    const auto& product = result.operators[0];
    CHECK(product.homes.c != Home::vmem);
    CHECK(product.traffic.vmem.read.c == tensor);
    CHECK(product.traffic.hbm.write.c == tensor);
    const auto& moved = result.operators[1].traffic;
    CHECK(moved.hbm.read.vector == tensor);
    CHECK(moved.pcie.read.vector == tensor);
    CHECK(moved.pcie.accesses == tensor / 64); // requests of dma.burst
    CHECK(moved.hbm.accesses == tensor / 64);
}

TEST_CASE("a result that is a view of a product, or goes through a stage of the host, is stored as well") {
    for (const std::string view : {"kind = \"reshape\"\nshape = [4096]\n", "kind = \"host\"\ntime = \"1 us\"\n"}) {
        INFO(view);
        const auto result = run(gemm_ + "[[operator]]\nname = \"view\"\n" + view);
        CHECK(result.total.traffic.hbm.write.c == tensor);
    }
}

TEST_CASE("from the host, what a transfer brings is there for its readers, and crosses the link once") {
    const auto result = run(up + gemm_, from(DataOrigin::host));
    const auto& t = result.total.traffic;
    CHECK(result.operators[1].homes.a == Home::hbm);
    CHECK(t.pcie.write.vector == tensor);
    CHECK(t.pcie.write.a == 0);
    CHECK(t.pcie.write.b == tensor); // the weights start in host memory
    CHECK(t.pcie.read.c == tensor);  // and the result ends there
    CHECK(t.hbm.read.a >= tensor);
    CHECK(t.hbm.write.a == 0); // the transfer has written it
    CHECK(t.hbm.write.vector == tensor);
    // Without the transfer the product brings it itself, as whoever reads it before the transfer does.
    CHECK(run(gemm_, from(DataOrigin::host)).total.traffic.pcie.write.a == tensor);
    const auto before = run(gemm_ + "[[operator]]\nname = \"up\"\nkind = \"transfer\"\ninputs = [\"x\"]\n" +
                                "[[operator]]\nname = \"sum\"\nkind = \"add\"\ninputs = [\"up\", \"g\"]\n",
                            from(DataOrigin::host));
    CHECK(before.operators[0].homes.a == Home::origin);
    CHECK(before.total.traffic.pcie.write.a == tensor);
    CHECK(before.operators[2].traffic.pcie.write.vector == 0);
    // The upload, by the DMA, and the result, on its way to the host; g has stayed in VMEM.
    CHECK(before.operators[2].traffic.hbm.read.vector == tensor + tensor);
}

TEST_CASE("from the host, a result that a transfer takes there crosses the link once") {
    const auto result = run(gemm_ + down, from(DataOrigin::host));
    const auto& t = result.total.traffic;
    CHECK(result.operators[0].homes.c == Home::hbm);
    CHECK(t.pcie.read.c == 0);
    CHECK(t.pcie.read.vector == tensor);
    CHECK(t.hbm.write.c == tensor);
    CHECK(result.total.roofline.levels.at("pcie").compulsory_bytes == 3 * tensor); // x, the weights, the result
}

TEST_CASE("a product that a transfer takes is not lost in an epilogue") {
    RunOptions options;
    options.fuse = true;
    const auto result = run(gemm_ + down + relu, options);
    REQUIRE(result.operators.size() == 3);
    CHECK(result.operators[0].traffic.hbm.write.c == tensor);
    CHECK(run(gemm_ + relu + down, options).operators.size() == 2); // what is made of it can be taken
}

TEST_CASE("from VMEM there is nothing to be transferred") {
    CHECK_THROWS_WITH(run(gemm_ + down, from(DataOrigin::vmem)), Catch::Contains("net.toml:8:1") &&
                                                                     Catch::Contains("operator 'down'") &&
                                                                     Catch::Contains("use --from hbm or host"));
}

TEST_CASE("the bounds of a run are those of its rows, the host's stages among them") {
    const auto result = run("[[operator]]\nname = \"stage\"\nkind = \"host\"\ntime = \"5 us\"\n" + up + gemm_ + down);
    const auto& roofline = result.total.roofline;
    CHECK(result.operators[0].roofline.levels.at("host").seconds == Approx(5e-6));
    CHECK(roofline.levels.at("host").seconds == Approx(5e-6));
    CHECK(roofline.bound == "host");
    double sum = roofline.t_math_s + roofline.t_vector_s;
    for (const auto& [name, level] : roofline.levels)
        sum += level.seconds;
    CHECK(roofline.upper_bound_s == Approx(sum));
    CHECK(roofline.peak_flops == 2.0 * 16 * 16 * 1e9); // of the products alone
    CHECK(result.total.prefetched == result.operators[2].prefetched);
    CHECK(result.total.prefetched == 0); // nothing runs on the chip before the only product
}

TEST_CASE("a network without work for the chip has the machine's peak, and no gap where nothing takes time") {
    const auto views = run("[[operator]]\nname = \"a\"\nkind = \"reshape\"\nshape = [4096]\n");
    CHECK(views.operators.empty());
    CHECK(views.total.kind == "none");
    CHECK(views.total.tasks == 0);
    const auto nothing = run("[[operator]]\nname = \"a\"\nkind = \"host\"\n");
    CHECK(nothing.total.kind == "host");
    for (const auto* run : {&views, &nothing}) {
        CHECK(run->total.cycles == 0);
        CHECK(run->total.roofline.peak_flops == 2.0 * 16 * 16 * 1e9);
        CHECK(run->total.roofline.bound == "none");
        CHECK(run->total.roofline_gap() == 0);
    }
}

TEST_CASE("the limit of --max-cycles is about the whole run, known results and transfers included") {
    const std::string layers = gemm_ + "[[operator]]\nname = \"h\"\nkind = \"gemm\"\nfeatures = 64\n" +
                               "[[operator]]\nname = \"i\"\nkind = \"gemm\"\nfeatures = 64\n" +
                               down; // i as h: simulated once
    const auto whole = run(layers).total.cycles;
    RunOptions options;
    options.max_cycles = whole;
    CHECK(run(layers, options).total.cycles == whole);
    options.max_cycles = whole - 1;
    CHECK_THROWS_AS(run(layers, options), InputError);
    options.max_cycles = whole / 2; // above what any operator takes alone
    for (const auto& one : run(layers).operators)
        REQUIRE(one.cycles < *options.max_cycles);
    CHECK_THROWS_WITH(run(layers, options), Catch::Contains("--max-cycles"));
}

TEST_CASE("the limit of --max-cycles and the ten minutes are about a whole list of products as well") {
    const std::vector<GemmProblem> list(3, gemm(64, 64, 64));
    RunOptions options = run_options(EngineKind::tile, ws, DataOrigin::hbm);
    const auto whole = simulate(machine_of(), list, options).total.cycles;
    options.max_cycles = whole;
    CHECK(simulate(machine_of(), list, options).total.cycles == whole);
    options.max_cycles = whole - 1;
    CHECK_THROWS_AS(simulate(machine_of(), list, options), InputError);
    // A PE does a MAC a cycle, so each of these is 1024^3 = 1.07e9 PE-cycles at least: below 3e9 alone, above it
    // together.
    const std::vector<GemmProblem> long_list(3, gemm(1024, 1024, 1024));
    CHECK_THROWS_WITH(simulate(machine_of(), long_list, run_options(EngineKind::structural, ws, DataOrigin::hbm)),
                      Catch::Contains("the whole run") && Catch::Contains("--engine tile"));
}

TEST_CASE("the vector unit needs what stays in VMEM once, not twice") {
    const Network network = network_of(relu); // 4096 bytes in, 4096 out
    const auto lowered = lower(network);
    const auto run_in = [&](Bytes vmem) {
        return simulate_network(machine_of(vmem), network, lowered, from(DataOrigin::vmem));
    };
    CHECK(run_in(2 * tensor).total.traffic.vmem.read.vector == tensor);
    CHECK_THROWS_AS(run_in(2 * tensor - 1), InputError);
}

TEST_CASE("blocks of the vector unit that need more than half of VMEM get it") {
    // A register of 1024 elements in and out, two blocks of each: 4096 bytes.
    Machine machine = machine_of(tensor);
    machine.vector = {.lanes = 128, .sublanes = 8, .alus = 2};
    const Network network = network_of(relu);
    CHECK(simulate_network(machine, network, lower(network), {}).total.traffic.hbm.read.vector == tensor);
    machine.vmem.capacity = tensor - 1;
    CHECK_THROWS_WITH(simulate_network(machine, network, lower(network), {}),
                      Catch::Contains("needs 4096 bytes of VMEM and finds 4095"));
}
