#include <vector>

#include <catch2/catch.hpp>

#include "memory/dram_patterns.h"
#include "sim/base/error.h"

using namespace systole;

namespace {

constexpr Bytes kibi = 1024;
constexpr Bytes mebi = kibi * kibi;

std::vector<DramRequest> all_of(const std::string& name, Bytes access_bytes = 32) {
    const auto requests = make_dram_pattern(name, access_bytes);
    std::vector<DramRequest> all;
    for (DramRequest request; requests->next(request);) {
        all.push_back(request);
    }
    return all;
}

Bytes bytes_of(const std::vector<DramRequest>& requests) {
    Bytes bytes = 0;
    for (const DramRequest& request : requests) {
        bytes += request.bytes;
    }
    return bytes;
}

void check(const DramRequest& request, std::int64_t address, Bytes bytes, bool write) {
    CHECK(request.address == address);
    CHECK(request.bytes == bytes);
    CHECK(request.write == write);
}

std::string refusal(const std::string& name) {
    try {
        make_dram_pattern(name, 32);
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

} // namespace

TEST_CASE("a sequential pattern comes in requests of 4 KiB", "[memory][dram]") {
    const auto reads = all_of("seq_read");
    REQUIRE(reads.size() == 8192);
    check(reads.front(), 0, 4096, false);
    check(reads.back(), 32 * mebi - 4096, 4096, false);
    const auto writes = all_of("seq_write_9000");
    REQUIRE(writes.size() == 3);
    check(writes.back(), 8192, 808, true);
    CHECK(bytes_of(all_of("seq_read_4M")) == 4 * mebi);
    CHECK(bytes_of(all_of("seq_read_16K")) == 16 * kibi);
}

TEST_CASE("a mix reads two streams and writes a third", "[memory][dram]") {
    const auto mix = all_of("mix2r1w_64");
    REQUIRE(mix.size() == 3 * 8 * mebi / 64);
    check(mix[0], 0, 64, false);
    check(mix[1], 256 * mebi, 64, false);
    check(mix[2], 512 * mebi, 64, true);
    check(mix[3], 64, 64, false);
    const auto skewed = all_of("mix2r1w_16384_skew");
    CHECK(bytes_of(skewed) == 24 * mebi);
    check(skewed[3], 12288, 4096, false); // the last quarter of the first piece
    check(skewed[4], 256 * mebi + 0x5000, 4096, false);
    check(skewed[8], 512 * mebi + 0xA000, 4096, true);
}

TEST_CASE("a stride goes down 1024 rows before the next column", "[memory][dram]") {
    const auto stride = all_of("stride_256_8192");
    REQUIRE(stride.size() == 1024 * 32);
    check(stride[1], 8192, 256, false);
    check(stride[1024], 256, 256, false);
    check(stride.back(), 31 * 256 + 1023 * 8192, 256, false);
}

TEST_CASE("random addresses are those of splitmix64", "[memory][dram]") {
    const auto reads = all_of("rand64_read");
    REQUIRE(reads.size() == 131072);
    // splitmix64 of seed 0 begins with 0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4.
    check(reads[0], 64 * (0xE220A8397B1DCDAF % 4194304), 64, false);
    check(reads[1], 64 * (0x6E789E6AA1B965F4 % 4194304), 64, false);
    const auto writes = all_of("rand256_write");
    REQUIRE(writes.size() == 32768);
    check(writes[0], 256 * (0xE220A8397B1DCDAF % 1048576), 256, true);
}

TEST_CASE("idle patterns wait for what they asked for", "[memory][dram]") {
    CHECK(make_dram_pattern("idle_seq", 32)->closed_loop_gap() == 100);
    CHECK_FALSE(make_dram_pattern("seq_read", 32)->closed_loop_gap().has_value());
    const auto sequential = all_of("idle_seq", 64);
    REQUIRE(sequential.size() == 10'000);
    check(sequential[2], 128, 64, false);
    check(all_of("idle_rand")[0], 64 * (0xE220A8397B1DCDAF % 4194304), 32, false);
}

TEST_CASE("a pattern that is none is refused with the list of them", "[memory][dram]") {
    for (const char* name :
         {"", "seq", "seq_", "seq_copy", "seq_read_", "seq_read_4X", "seq_read_-4", "seq_read_4M_2", "mix2r1w",
          "mix2r1w_64_skewed", "stride_64", "rand_read", "rand64", "rand64_copy", "idle", "idle_rand_2", "SEQ_READ"}) {
        CAPTURE(name);
        CHECK_FALSE(is_dram_pattern(name));
        CHECK(refusal(name) ==
              "unknown pattern '" + std::string(name) +
                  "' (there are seq_read[_SIZE], seq_write[_SIZE], mix2r1w_SIZE[_skew], stride_SIZE_SIZE, "
                  "randSIZE_read, randSIZE_write, idle_seq, idle_rand; SIZE is 4096, 16K, 8M ...)");
    }
    CHECK(refusal("seq_read_0") == "pattern 'seq_read_0': 0 bytes are out of range (1..68719476736)");
    CHECK(refusal("stride_8K_64") == "pattern 'stride_8K_64': 8192 bytes are out of range (1..64)");
    CHECK(refusal("mix2r1w_9M") == "pattern 'mix2r1w_9M': 9437184 bytes are out of range (1..8388608)");
    CHECK(refusal("rand0_read") == "pattern 'rand0_read': 0 bytes are out of range (1..8388608)");
    CHECK(refusal("seq_read_99999999999999999999").starts_with("unknown pattern"));
}
