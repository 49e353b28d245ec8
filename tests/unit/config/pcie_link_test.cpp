#include <catch2/catch.hpp>

#include "sim/config/pcie_link.h"

using namespace systole;

TEST_CASE("a PCIe link carries what its coding and packets leave", "[config][pcie]") {
    // Generation 1: 2.5 GT/s * 8/10 / 8 = 250 MB/s a lane; * 128 / (128 + 24)
    CHECK(payload_bandwidth({1, 1, 128}) == 210'526'315);
    // Generation 2 is twice that, with 16 lanes: 8 GB/s * 256 / 280
    CHECK(payload_bandwidth({2, 16, 256}) == 7'314'285'714);
    // Generation 3: 8 GT/s * 16 * 128/130 / 8 = 15.754 GB/s; * 256 / 280
    CHECK(payload_bandwidth({3, 16, 256}) == 14'403'516'483);
    CHECK(payload_bandwidth({4, 16, 256}) == 28'807'032'967);
    CHECK(payload_bandwidth({5, 16, 256}) == 57'614'065'934);
    // Generation 6: 64 GT/s * 16 * 236/256 / 8 = 118 GB/s; only the header of 16 bytes: * 256 / 272
    CHECK(payload_bandwidth({6, 16, 256}) == 111'058'823'529);
    // The largest numbers stay within 64 bits: 118 GB/s * 4096 / 4112
    CHECK(payload_bandwidth({6, 16, 4096}) == 117'540'856'031);
}

TEST_CASE("no generation, no bandwidth", "[config][pcie]") {
    CHECK_FALSE(payload_bandwidth({0, 16, 256}));
    CHECK_FALSE(payload_bandwidth({7, 16, 256}));
}
