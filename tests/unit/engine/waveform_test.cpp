// Waveforms of a 2x2 array, every value derived by hand. A = 1 2  B = 5 6  C = 19 22
//                                                             3 4      7 8      43 50
#include <filesystem>
#include <fstream>
#include <iterator>

#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "sim/engine/machine_run.h"
#include "tests/support/machines.h"
#include "tests/support/vcd.h"
#include "tests/unit/base/temp_folder.h"

using namespace systole;
using namespace systole::test;

namespace {

constexpr std::int64_t a[2][2] = {{1, 2}, {3, 4}};
constexpr std::int64_t b[2][2] = {{5, 6}, {7, 8}};
constexpr std::int64_t c[2][2] = {{19, 22}, {43, 50}};

// What travels, held and summed; of the input-stationary array A and B change places.
std::int64_t sum_below(Dataflow dataflow, int s, int row, int col) {
    std::int64_t sum = 0;
    for (int k = 0; k <= row; ++k)
        sum += dataflow == ws ? a[s][k] * b[k][col] : b[k][s] * a[col][k];
    return sum;
}

class Recording {
  public:
    explicit Recording(Dataflow dataflow) : dataflow_(dataflow) {
        machine.clock = 1'000'000'000; // a cycle is 1000 ps
        run.problem = gemm(2, 2, 2);
        run.from = DataOrigin::vmem;
        run.waveform = WaveformOptions{(folder_.path() / "run.vcd").string()};
    }

    Vcd record() {
        write();
        std::ifstream in(run.waveform->file);
        return read_vcd({std::istreambuf_iterator<char>(in), {}});
    }

    MachineOutcome write() {
        GemmValues values{OperandValues<std::int8_t>{{1, 2, 3, 4}, {5, 6, 7, 8}}, {0, 0, 0, 0}};
        run.values = &values;
        run.limits = core_limits(machine, run.problem.formats);
        const auto whole = orient(run.problem, dataflow_);
        Mapping mapping;
        mapping.problem = mapping.tile = whole;
        mapping.from = run.from;
        run.shares = {{.mapping = mapping}};
        const auto outcome = run_machine(machine, run);
        CHECK(values.c == std::vector<std::int32_t>{19, 22, 43, 50});
        return outcome;
    }

    std::vector<std::string> files() const {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
            names.push_back(entry.path().filename().string());
        return names;
    }

    Machine machine = ideal_machine(2, 2);
    MachineRun run;

  private:
    Dataflow dataflow_;
    TempFolder folder_;
};

std::string pe(int row, int col, const std::string& variable) {
    return "systole.core0.array0.pe_r" + std::to_string(row) + "_c" + std::to_string(col) + "." + variable;
}

std::int64_t value(const Vcd& vcd, Cycles cycle, const std::string& name) {
    const auto found = vcd.variable(name).at(cycle * 1000);
    if (!found)
        throw std::runtime_error(name + " has no value in cycle " + std::to_string(cycle));
    return *found;
}

} // namespace

TEST_CASE("a waveform file declares each PE's variables under core, array and PE") {
    const Vcd vcd = Recording(ws).record();
    CHECK(vcd.timescale == "1 ps");
    CHECK(vcd.variables.size() == 1 + 4 * 5);
    CHECK(vcd.variable("systole.cycle").width == 64);
    for (int row = 0; row < 2; ++row) {
        for (int col = 0; col < 2; ++col) {
            CHECK(vcd.variable(pe(row, col, "streamed")).width == 16);
            CHECK(vcd.variable(pe(row, col, "valid")).width == 1);
            CHECK(vcd.variable(pe(row, col, "stationary")).width == 16);
            CHECK(vcd.variable(pe(row, col, "psum")).width == 32);
            CHECK(vcd.variable(pe(row, col, "psum_valid")).width == 1);
        }
    }
}

TEST_CASE("a waveform's time stamps are the cycles of the run, one each") {
    Recording recording(ws);
    const Vcd vcd = recording.record();
    // Load 2, S + R + C - 2 + E = 2 + 2 + 2 - 2 + 1 = 5: cycles 0 to 6, and the end of the last one.
    CHECK(vcd.times == std::vector<std::int64_t>{0, 1000, 2000, 3000, 4000, 5000, 6000, 7000});
    for (Cycles cycle = 0; cycle <= 6; ++cycle)
        CHECK(value(vcd, cycle, "systole.cycle") == cycle);
}

TEST_CASE("waveforms: vector s is at PE (r,c) in cycle s + r + c and its sum below it one cycle later") {
    for (const auto dataflow : {ws, is}) {
        for (const int buffers : {1, 2}) {
            Recording recording(dataflow);
            recording.machine.array.weight_buffers = buffers;
            const Vcd vcd = recording.record();
            constexpr Cycles start = 2; // two rows of the stationary tile have come in
            for (int row = 0; row < 2; ++row) {
                for (int col = 0; col < 2; ++col) {
                    INFO(short_name(dataflow) << ", buffers " << buffers << ", PE " << row << "," << col);
                    for (int s = 0; s < 2; ++s) {
                        const Cycles now = start + s + row + col;
                        CHECK(value(vcd, now, pe(row, col, "valid")) == 1);
                        CHECK(value(vcd, now, pe(row, col, "streamed")) == (dataflow == ws ? a[s][row] : b[row][s]));
                        CHECK(value(vcd, now + 1, pe(row, col, "psum_valid")) == 1);
                        CHECK(value(vcd, now + 1, pe(row, col, "psum")) == sum_below(dataflow, s, row, col));
                    }
                    // Nothing before the first vector, nothing behind the last.
                    CHECK(value(vcd, start + row + col - 1, pe(row, col, "valid")) == 0);
                    CHECK(value(vcd, start + row + col, pe(row, col, "psum_valid")) == 0);
                    CHECK(value(vcd, start + row + col + 2, pe(row, col, "valid")) == 0);
                }
            }
        }
    }
}

TEST_CASE("waveforms: a single-buffered tile shifts through the PEs, a double-buffered one is there at once") {
    Recording recording(ws);
    recording.machine.array.weight_buffers = 1;
    const Vcd single = recording.record();
    // Column 0: 7 enters in cycle 0 and 5 in cycle 1; a register shows it from the next cycle on.
    CHECK(value(single, 0, pe(0, 0, "stationary")) == 0);
    CHECK(value(single, 1, pe(0, 0, "stationary")) == 7);
    CHECK(value(single, 2, pe(0, 0, "stationary")) == 5);
    CHECK(value(single, 2, pe(1, 0, "stationary")) == 0);
    CHECK(value(single, 3, pe(1, 0, "stationary")) == 7); // the cycle of its first vector, 2 + 1 + 0
    const Vcd twice = Recording(ws).record();
    for (int row = 0; row < 2; ++row) {
        for (int col = 0; col < 2; ++col) {
            const Cycles first_vector = 2 + row + col; // the switch comes with it and ends that cycle
            CHECK(value(twice, first_vector, pe(row, col, "stationary")) == 0);
            CHECK(value(twice, first_vector + 1, pe(row, col, "stationary")) == b[row][col]);
            CHECK(twice.variable(pe(row, col, "stationary")).changes.size() == 2);
        }
    }
}

TEST_CASE("waveforms of an output-stationary array: a and b meet, the sum stays, then shifts out") {
    const Vcd vcd = Recording(os).record();
    for (int row = 0; row < 2; ++row) {
        for (int col = 0; col < 2; ++col) {
            INFO("PE " << row << "," << col);
            for (int k = 0; k < 2; ++k) {
                const Cycles now = k + row + col;
                CHECK(value(vcd, now, pe(row, col, "valid")) == 1);
                CHECK(value(vcd, now, pe(row, col, "a")) == a[row][k]);
                CHECK(value(vcd, now, pe(row, col, "b")) == b[k][col]);
            }
            CHECK(value(vcd, 1 + row + col, pe(row, col, "accumulator")) == a[row][0] * b[0][col]);
            CHECK(value(vcd, 2 + row + col, pe(row, col, "accumulator")) == c[row][col]);
        }
    }
    // The drain follows the last k: it is at PE (r,c) in cycle 2 + r + c and what it sends shows in the next one; at
    // the foot the PE's own sum comes first, then that of the PE above.
    CHECK(value(vcd, 3, pe(1, 0, "draining")) == 0);
    CHECK(value(vcd, 4, pe(1, 0, "draining")) == 1);
    CHECK(value(vcd, 5, pe(1, 0, "draining")) == 1);
    CHECK(value(vcd, 6, pe(1, 0, "draining")) == 0);
}

TEST_CASE("the waveforms of several lanes, arrays and cores have names of their own") {
    Recording recording(ws);
    recording.machine.array.count = 2;
    recording.machine.macs_per_pe_cycle = {{Format::int8, 2}};
    const Vcd vcd = recording.record();
    CHECK(vcd.variable("systole.core0.array1.pe_r1_c1.streamed1").width == 16);
    CHECK(vcd.variable("systole.core0.array1.pe_r1_c1.stationary0").width == 16);
    // q = 2: both k in PE row 0, so its sum is already C's element: A[0,0] B[0,0] + A[0,1] B[1,0].
    CHECK(value(vcd, 3, "systole.core0.array0.pe_r0_c0.psum") == 19);
}

TEST_CASE("a waveform holds the cycles asked for and no others") {
    Recording recording(ws);
    recording.run.waveform->from = 3;
    recording.run.waveform->to = 4;
    const Vcd vcd = recording.record();
    CHECK(vcd.times == std::vector<std::int64_t>{3000, 4000, 7000});
    for (const auto& [name, variable] : vcd.variables) {
        INFO(name);
        REQUIRE_FALSE(variable.changes.empty());
        CHECK(variable.changes.begin()->first == 3000); // the first cycle shown gives every variable a value
        CHECK(variable.changes.rbegin()->first <= 4000);
    }
    CHECK(value(vcd, 3, pe(0, 0, "streamed")) == 3);
}

TEST_CASE("a waveform file appears when the run is complete, and a run that fails leaves none") {
    Recording good(ws);
    good.write();
    CHECK(good.files() == std::vector<std::string>{"run.vcd"});

    Recording stopped(ws);
    stopped.run.max_cycles = 3;
    CHECK_THROWS_AS(stopped.write(), InputError);
    CHECK(stopped.files().empty());

    Recording nowhere(ws);
    nowhere.run.waveform->file += "/run.vcd";
    CHECK_THROWS_AS(nowhere.write(), EnvironmentError);
}

TEST_CASE("waveforms do not change the run") {
    Recording shown(ws);
    const auto with = shown.write();
    shown.run.waveform.reset();
    const auto without = shown.write();
    CHECK(with.cycles == without.cycles);
    CHECK(with.kernel_events == without.kernel_events);
}
