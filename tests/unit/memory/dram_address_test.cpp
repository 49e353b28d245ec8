#include <map>
#include <set>
#include <tuple>

#include <catch2/catch.hpp>

#include "memory/dram_address.h"
#include "sim/base/error.h"
#include "tests/support/check_property.h"

using namespace systole;

namespace {

// One pseudo-channel of HBM2: 4 x 4 banks, 32 columns.
DramConfig one_pseudo_channel() {
    DramConfig config;
    config.organization.channels = 1;
    config.organization.pseudo_channels = 1;
    config.mapping = "bg2 co5 ba2 ro";
    return config;
}

std::string mapping_error(const std::string& mapping, int stacks = 1) {
    DramConfig config = one_pseudo_channel();
    config.mapping = mapping;
    try {
        parse_mapping(config, stacks);
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

} // namespace

TEST_CASE("an access is taken apart from its lowest digit", "[memory][dram]") {
    DramConfig config;
    config.organization.channels = 4;
    config.organization.pseudo_channels = 2;
    config.organization.stack_ids = 2;
    config.mapping = "co1 pc1 bg2 co4 ch2 ba2 si1 ro";
    const DramAddress address(config, 1);
    REQUIRE(address.ports() == 8);
    REQUIRE(address.access_bytes() == 32);
    // co 1, pc 1, bg 2, co 9, ch 3, ba 1, si 1, row 5, from the right:
    const std::int64_t access = 0b101'1'01'11'1001'10'1'1;
    CHECK(address.port_of(access) == 3 * 2 + 1);
    const std::int64_t local = 0b101'1'01'1001'10'1; // without pc and ch
    CHECK(address.local_of(access) == local);
    const DramLocation location = address.locate(local);
    CHECK(location.column == 9 * 2 + 1); // the part above counts 2 each
    CHECK(location.bank_group == 2);
    CHECK(location.bank == 1);
    CHECK(location.stack_id == 1);
    CHECK(location.row == 5);
    REQUIRE(address.local_digits().size() == 6);
    CHECK(address.local_digits()[1].field == AddressField::bank_group);
    CHECK(address.local_digits()[5].radix == unlimited);
}

TEST_CASE("stacks multiply the channels, whatever their number", "[memory][dram]") {
    DramConfig config;
    config.organization.channels = 2;
    config.organization.pseudo_channels = 1;
    config.mapping = "bg2 ch1 co5 ba2 ro";
    const DramAddress address(config, 3);
    CHECK(address.ports() == 6);
    CHECK(address.port_of(4 * 5 + 3) == 5);
    CHECK(address.port_of(4 * 6) == 0); // 24: the next columns of the first channel
    CHECK(address.local_of(4 * 6) == 4);
    CHECK(address.count_below(5, 4 * 5 + 3) == 3);
    CHECK(address.count_below(5, 4 * 12) == 8);
}

TEST_CASE("a mapping that does not fit the organisation is refused with a cure", "[memory][dram]") {
    CHECK(mapping_error("bg2 co5 ba2 ro") == "no error");
    CHECK(mapping_error("ch0 bg2 co5 ba2 ro", 2) == "no error");
    CHECK(mapping_error("bg2 co5 ba2") == "the row is missing (end with ro)");
    CHECK(mapping_error("") == "the row is missing (end with ro)");
    CHECK(mapping_error("bg2 ro co5 ba2") ==
          "'ro' is not the last field (the row takes all the bits that are left, so it comes last)");
    CHECK(mapping_error("bg2 co5 ba2 ro14") ==
          "'ro14' gives the row a width (write ro: it takes the bits that are left)");
    CHECK(mapping_error("bg2 col5 ba2 ro") == "'col5' is not a field and its bits (write co0 to co24)");
    CHECK(mapping_error("bg2 co99 ba2 ro") == "'co99' is not a field and its bits (write co0 to co24)");
    CHECK(mapping_error("xy2 co5 ro") ==
          "'xy2' is no field of an address (there are ch, pc, si, bg, ba, co with their number of bits, and ro)");
    CHECK(mapping_error("bg2 co4 ba2 ro") ==
          "the bits of co (column) come to 4, but 32 columns take 5 (make them as many)");
    CHECK(mapping_error("bg2 co5 ba1 pc1 ro") ==
          "the bits of pc (pseudo-channel) come to 1, but 1 pseudo-channels take 0 (make them as many)\n"
          "the bits of ba (bank) come to 1, but 4 banks take 2 (make them as many)");
    CHECK(mapping_error("bg2 co5 ba2 ro", 2) ==
          "2 stacks have no place in the address (write ch0 where they are to be told apart)");
}

TEST_CASE("problems of a configuration name the field, what is wrong, and the cure", "[memory][dram]") {
    DramConfig config = one_pseudo_channel();
    CHECK(problems(config).empty());
    config.organization.bank_groups = 3;
    config.timing.rc = 10;
    config.timing.refi = 350;
    config.queues.write_high = 65;
    config.queues.write_low = 70;
    config.mapping = "ro co5";
    CHECK(problems(config) ==
          std::vector<std::string>{
              "organization.bank_groups: 3 is not a power of two (an address is split by bits)",
              "timing.rc: 10 is below timing.ras (34; raise it, or lower that)",
              "timing.refi: 350 leaves no time to open, use and close a row (50 clocks) between two refreshes of "
              "timing.rfc (350; raise it, or lower that)",
              "queues.write_high: 65 is above queues.write (64; the queue would be full before)",
              "queues.write_low: 70 is above queues.write_high (65; a drain would end before it began)",
              "mapping: 'ro' is not the last field (the row takes all the bits that are left, so it comes last)"});
    config = one_pseudo_channel();
    config.timing.ccd_s = 3;
    CHECK(problems(config) ==
          std::vector<std::string>{"timing.ccd_r: 2 is below timing.ccd_s (3; raise it, or lower that)"});
    config = one_pseudo_channel();
    config.refresh = RefreshMode::per_bank;
    // A write of a row: rcd_write 14 + cwl 4 + burst 2 + wr 16 + rp 14 = 50 clocks.
    config.timing.rfc_per_bank = 16 * 122 - 50;
    CHECK(problems(config).size() == 1);
    config.timing.rfc_per_bank = 16 * 122 - 51;
    CHECK(problems(config).empty());
}

namespace {

// A random organisation, and a mapping that deals its bits out in random parts and order.
DramConfig random_config() {
    DramConfig config;
    auto& o = config.organization;
    std::map<std::string, int> bits{{"ch", *rc::gen::inRange(0, 4)}, {"pc", *rc::gen::inRange(0, 2)},
                                    {"si", *rc::gen::inRange(0, 2)}, {"bg", *rc::gen::inRange(0, 3)},
                                    {"ba", *rc::gen::inRange(0, 3)}, {"co", *rc::gen::inRange(1, 5)}};
    o.channels = 1 << bits["ch"];
    o.pseudo_channels = 1 << bits["pc"];
    o.stack_ids = 1 << bits["si"];
    o.bank_groups = 1 << bits["bg"];
    o.banks = 1 << bits["ba"];
    o.access_bytes = 64;
    o.row_bytes = 64 << bits["co"];
    config.mapping = "ch0 "; // stacks have a place in any case
    std::vector<std::string> open;
    for (const auto& [field, count] : bits) {
        open.insert(open.end(), static_cast<std::size_t>(count), field);
    }
    while (!open.empty()) {
        const auto picked = *rc::gen::inRange<std::size_t>(0, open.size());
        config.mapping += open[picked] + "1 ";
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(picked));
    }
    config.mapping += "ro";
    return config;
}

} // namespace

TEST_CASE("ranges of an address space are ranges of every port, counted one by one", "[memory][dram][property]") {
    test::check_property("mappings and ranges", 200, [] {
        const DramConfig config = random_config();
        const int stacks = *rc::gen::inRange(1, 7);
        const DramAddress address(config, stacks);
        const auto& o = config.organization;
        RC_ASSERT(address.ports() == stacks * o.channels * o.pseudo_channels);
        const std::int64_t first = *rc::gen::inRange<std::int64_t>(0, 100'000);
        const std::int64_t count = *rc::gen::inRange<std::int64_t>(0, 3'000);
        std::vector<std::int64_t> next;
        std::vector<std::int64_t> all(static_cast<std::size_t>(address.ports()));
        address.counts_below(first, all.data());
        for (int port = 0; port < address.ports(); ++port) {
            next.push_back(address.count_below(port, first));
            RC_ASSERT(all[static_cast<std::size_t>(port)] == next.back());
        }
        for (std::int64_t access = first; access < first + count; ++access) {
            const int port = address.port_of(access);
            RC_ASSERT(port >= 0);
            RC_ASSERT(port < address.ports());
            RC_ASSERT(address.local_of(access) == next[static_cast<std::size_t>(port)]++);
        }
        for (int port = 0; port < address.ports(); ++port) {
            RC_ASSERT(address.count_below(port, first + count) == next[static_cast<std::size_t>(port)]);
        }
    });
}

TEST_CASE("every place of a pseudo-channel has one local number", "[memory][dram][property]") {
    test::check_property("bijection", 100, [] {
        const DramConfig config = random_config();
        const DramAddress address(config, 1);
        const auto& o = config.organization;
        const std::int64_t columns = o.row_bytes / o.access_bytes;
        const std::int64_t rows = 3;
        const std::int64_t places = columns * o.banks_per_pseudo_channel() * rows;
        std::set<std::tuple<int, int, int, std::int64_t, std::int64_t>> seen;
        for (std::int64_t local = 0; local < places; ++local) {
            const DramLocation at = address.locate(local);
            RC_ASSERT(at.stack_id < o.stack_ids);
            RC_ASSERT(at.bank_group < o.bank_groups);
            RC_ASSERT(at.bank < o.banks);
            RC_ASSERT(at.column < columns);
            RC_ASSERT(at.row < rows);
            seen.emplace(at.stack_id, at.bank_group, at.bank, at.column, at.row);
        }
        RC_ASSERT(static_cast<std::int64_t>(seen.size()) == places);
    });
}
