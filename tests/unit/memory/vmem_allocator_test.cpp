// Buffers in VMEM: where they lie, and what is refused.
#include <set>

#include "memory/vmem_allocator.h"
#include "sim/base/error.h"
#include "tests/support/check_property.h"

using namespace systole;
using namespace systole::test;

namespace {

std::vector<std::int64_t> first_banks(std::int64_t banks, std::int64_t buffers) {
    VmemAllocator allocator(unlimited, banks, buffers);
    std::vector<std::int64_t> firsts;
    for (std::int64_t i = 0; i < buffers; ++i) {
        allocator.allocate("buffer", 1);
        firsts.push_back(allocator.buffers().back().first_bank);
    }
    return firsts;
}

std::set<std::int64_t> banks_of(const VmemBuffer& buffer) {
    std::set<std::int64_t> banks;
    for (std::int64_t unit = 0; unit < 100; ++unit)
        banks.insert(buffer.bank(unit));
    return banks;
}

} // namespace

TEST_CASE("buffers lie one behind the other", "[memory][vmem_allocator]") {
    VmemAllocator allocator(100, 4, 3);
    CHECK(allocator.allocate("A0", 40) == 0);
    CHECK(allocator.allocate("B0", 50) == 1);
    CHECK(allocator.allocate("C0", 10) == 2);
    CHECK(allocator.used() == 100);
    CHECK(allocator.buffers() ==
          std::vector<VmemBuffer>{{"A0", 0, 40, 0, 1}, {"B0", 40, 50, 1, 1}, {"C0", 90, 10, 2, 1}});
}

TEST_CASE("banks are dealt in the order of allocation", "[memory][vmem_allocator]") {
    using Banks = std::vector<std::int64_t>;
    CHECK(first_banks(1, 3) == Banks{0, 0, 0});
    CHECK(first_banks(2, 3) == Banks{0, 1, 0});
    CHECK(first_banks(3, 3) == Banks{0, 1, 2});
    CHECK(first_banks(5, 3) == Banks{0, 1, 2}); // one each: two are not enough for a second round
    CHECK(first_banks(6, 3) == Banks{0, 2, 4});
    CHECK(first_banks(16, 3) == Banks{0, 4, 8}); // 5 each would be no power of two
    CHECK(first_banks(4, 6) == Banks{0, 1, 2, 3, 0, 1});
}

TEST_CASE("the units of a buffer take turns with its banks", "[memory][vmem_allocator]") {
    VmemAllocator allocator(unlimited, 8, 2);
    allocator.allocate("A0", 1);
    allocator.allocate("A1", 1);
    CHECK(banks_of(allocator.buffers()[0]) == std::set<std::int64_t>{0, 1, 2, 3});
    CHECK(banks_of(allocator.buffers()[1]) == std::set<std::int64_t>{4, 5, 6, 7});
    CHECK(allocator.buffers()[1].bank(0) == 4);
    CHECK(allocator.buffers()[1].bank(3) == 7);
    CHECK(allocator.buffers()[1].bank(4) == 4);
}

TEST_CASE("VMEM is never over-committed", "[memory][vmem_allocator]") {
    VmemAllocator allocator(100, 2, 2);
    allocator.allocate("A0", 60);
    CHECK_THROWS_AS(allocator.allocate("A1", 41), InternalError);
    CHECK_NOTHROW(allocator.allocate("A1", 40));
    CHECK_THROWS_AS(allocator.allocate("B0", 0), InternalError); // two were announced
}

TEST_CASE("an unlimited VMEM takes what is asked for", "[memory][vmem_allocator]") {
    VmemAllocator allocator(unlimited, unlimited, 2);
    allocator.allocate("A0", std::int64_t{1} << 62);
    CHECK_NOTHROW(allocator.allocate("A1", (std::int64_t{1} << 62) - 1));
    CHECK(allocator.buffers()[1].banks == unlimited);
}

TEST_CASE("random buffers never overlap and twice the banks never bring units together", "[memory][vmem_allocator]") {
    check_property("allocator", 1000, [] {
        const auto sizes = *rc::gen::nonEmpty(rc::gen::container<std::vector<Bytes>>(rc::gen::inRange<Bytes>(0, 1000)));
        const auto banks = *rc::gen::inRange<std::int64_t>(1, 70);
        const auto count = static_cast<std::int64_t>(sizes.size());
        Bytes capacity = 0;
        for (const Bytes size : sizes)
            capacity += size;
        VmemAllocator once(capacity, banks, count), twice(capacity, 2 * banks, count);
        Bytes end = 0;
        for (const Bytes size : sizes) {
            once.allocate("x", size);
            twice.allocate("x", size);
            const auto& buffer = once.buffers().back();
            RC_ASSERT(buffer.address == end);
            RC_ASSERT(buffer.bytes == size);
            end += size;
            RC_ASSERT(end <= capacity);
            RC_ASSERT(buffer.first_bank + buffer.banks <= banks);
        }
        const auto one = *rc::gen::inRange<std::size_t>(0, sizes.size());
        const auto other = *rc::gen::inRange<std::size_t>(0, sizes.size());
        const auto unit = *rc::gen::inRange<std::int64_t>(0, 200);
        const auto another = *rc::gen::inRange<std::int64_t>(0, 200);
        if (twice.buffers()[one].bank(unit) == twice.buffers()[other].bank(another))
            RC_ASSERT(once.buffers()[one].bank(unit) == once.buffers()[other].bank(another));
    });
}
