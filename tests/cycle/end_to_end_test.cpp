// Requests from the host to the host: the worked examples e2e.* (docs/worked-examples.md), simulated on npu_200t with
// an ideal link of 32 GB/s. 1.6 GHz: 1 us is 1600 cycles.
#include <algorithm>
#include <string>

#include <catch2/catch.hpp>

#include "sim/config/load.h"
#include "sim/engine/network_run.h"
#include "sim/workload/workload.h"

using namespace systole;

namespace {

RunResult request(const std::string& workload, std::int64_t batch) {
    const auto machine = load_machine("npu_200t", {"pcie.bandwidth=32 GB/s", "pcie.round_trip=0 s"});
    const auto usual = machine.default_format;
    const auto network = load_network(workload, {{usual, usual, usual}, std::nullopt, {{"batch", batch}}});
    return simulate_network(machine, network, lower(network), {});
}

struct Parts {
    Cycles host = 0;
    Cycles up = 0;
    Cycles down = 0;
    Cycles chip = 0;

    Cycles sum() const { return host + up + down + chip; }
};

Parts parts_of(const RunResult& run) {
    Parts parts;
    for (const auto& one : run.operators) {
        auto& part = one.name == "upload"     ? parts.up
                     : one.name == "download" ? parts.down
                     : one.kind == "host"     ? parts.host
                                              : parts.chip;
        part += one.cycles;
    }
    return parts;
}

// 128 MB of weights at 256 GB/s: 500 us. What a sample reads and leaves in HBM besides: the mean reads 1 MB, the answer
// reads it again and writes 1 MB: 3 MB, 11.71875 us.
Cycles least_on_chip(std::int64_t batch) { return 800'000 + 18'750 * batch; }

} // namespace

TEST_CASE("a request alone takes its host stage, both transfers and the chip's work, one behind the other") {
    const auto run = request("request_1mb", 1);
    const auto parts = parts_of(run);
    CHECK(parts.host == 300'000); // e2e.b1.serial: 187.5 us
    CHECK(parts.up == 50'000);    // e2e.b1.transfer: 1 MB / 32 GB/s = 31.25 us each way
    CHECK(parts.down == 50'000);
    CHECK(parts.chip >= least_on_chip(1));
    CHECK(run.total.cycles == parts.sum());
    CHECK(run.total.traffic.pcie.write.vector == 1'000'000);
    CHECK(run.total.traffic.pcie.read.vector == 1'000'000);
    CHECK(run.total.traffic.hbm.write.vector == 2'000'000); // the upload; the answer
    CHECK(run.total.traffic.hbm.read.vector == 3'000'000);  // mean and answer read the upload, the download the answer
}

TEST_CASE("64 requests at once: the host's part grows by its logarithm, transfers by the batch") {
    const auto run = request("request_1mb", 64);
    const auto parts = parts_of(run);
    CHECK(parts.host == 390'000); // e2e.b64.serial: 187.5 us * (1 + 0.05 * 6) = 243.75 us
    CHECK(parts.up == 3'200'000); // e2e.b64.transfer: 64 MB each way, 2 ms
    CHECK(parts.down == 3'200'000);
    CHECK(parts.chip >= least_on_chip(64));
    CHECK(run.total.cycles == parts.sum());
    CHECK(run.total.roofline.bound == "pcie"); // 4 ms against 0.24 ms of the host and 1.25 ms of HBM
}

// The waiting is what is left of a transfer when the chip has done its work beside it; each direction runs by itself.
TEST_CASE("overlapped transfers are waited for where they take longer than the chip's work") {
    for (const std::int64_t batch : {1, 16, 32, 64}) {
        INFO(batch);
        const auto serial = parts_of(request("request_1mb", batch));
        const auto run = request("request_1mb_overlapped", batch);
        const auto parts = parts_of(run);
        CHECK(parts.host == serial.host);
        CHECK(parts.chip == serial.chip);
        CHECK(parts.up == std::max<Cycles>(0, 50'000 * batch - serial.chip));
        CHECK(parts.down == parts.up);
        CHECK(run.total.cycles == parts.sum());
    }
    CHECK(parts_of(request("request_1mb_overlapped", 1)).up == 0);
    CHECK(parts_of(request("request_1mb_overlapped", 64)).up > 0);
}

// Transfers take 100 000 cycles a sample. By the roofline they pass the chip's 800 000 + 18 750 a sample at 9.85, so no
// run can turn before 10 samples; with HBM at 70 % of its bandwidth, at 15.6.
TEST_CASE("from some batch on the link takes longer than the chip") {
    std::int64_t batch = 1;
    for (;; ++batch) {
        const auto parts = parts_of(request("request_1mb", batch));
        CHECK(parts.up + parts.down == 100'000 * batch);
        if (parts.up + parts.down > parts.chip)
            break;
    }
    CHECK(batch >= 10);
    CHECK(batch <= 16);
}
