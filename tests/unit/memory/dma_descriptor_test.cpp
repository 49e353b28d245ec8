// The requests of a 2-D transfer: first by hand, then over random rectangles.
#include <algorithm>
#include <map>
#include <ostream>
#include <vector>

#include "memory/dma_descriptor.h"
#include "tests/support/check_property.h"

using namespace systole;
using namespace systole::test;

namespace {

struct Asked {
    std::uint64_t address = 0;
    Bytes bytes = 0;
    Bytes piece_bytes = 0;
    Bytes pitch = 0;

    bool operator==(const Asked&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Asked& a) {
    return out << "{" << a.address << ", " << a.bytes << ", " << a.piece_bytes << ", " << a.pitch << "}";
}

std::vector<Asked> requests_of(const DmaRectangle& rectangle, Bytes burst) {
    std::vector<Asked> list;
    for (DmaDescriptor descriptor(rectangle, burst); !descriptor.done();) {
        const MemoryRequest request = descriptor.next();
        list.push_back({request.address, request.bytes, request.piece_bytes, request.pitch});
    }
    return list;
}

using List = std::vector<Asked>;

// Addresses of the bytes in the order in which they are asked for.
std::vector<std::uint64_t> bytes_of(const std::vector<Asked>& requests) {
    std::vector<std::uint64_t> bytes;
    for (const auto& request : requests) {
        const Bytes piece = request.piece_bytes > 0 ? request.piece_bytes : request.bytes;
        for (Bytes done = 0; done < request.bytes; ++done)
            bytes.push_back(request.address + static_cast<std::uint64_t>(done / piece * request.pitch + done % piece));
    }
    return bytes;
}

} // namespace

TEST_CASE("a request takes as many whole rows as fit a burst") {
    // 5 rows of 4 bf16, 10 elements apart, from element 3 on: 8 bytes each 20 bytes apart from 1000 + 6. Two fit 20
    // bytes.
    CHECK(requests_of({.base = 1000, .first = 3, .rows = 5, .cols = 4, .pitch = 10, .element_bits = 16}, 20) ==
          List{{1006, 16, 8, 20}, {1046, 16, 8, 20}, {1086, 8, 0, 0}});
    // All five fit 40.
    CHECK(requests_of({.base = 1000, .first = 3, .rows = 5, .cols = 4, .pitch = 10, .element_bits = 16}, 40) ==
          List{{1006, 40, 8, 20}});
    // One fits 15: each request is one piece.
    CHECK(requests_of({.base = 0, .first = 0, .rows = 2, .cols = 4, .pitch = 10, .element_bits = 16}, 15) ==
          List{{0, 8, 0, 0}, {20, 8, 0, 0}});
}

TEST_CASE("a row longer than a burst is split, and its end is not joined with the next row") {
    // Rows of 40 bytes, 100 apart: 16 + 16 + 8.
    CHECK(requests_of({.base = 0, .first = 5, .rows = 2, .cols = 40, .pitch = 100, .element_bits = 8}, 16) ==
          List{{5, 16, 0, 0}, {21, 16, 0, 0}, {37, 8, 0, 0}, {105, 16, 0, 0}, {121, 16, 0, 0}, {137, 8, 0, 0}});
}

TEST_CASE("rows without a gap between them are one piece") {
    // As wide as the matrix: 3 rows of 10 int32 = 120 bytes.
    CHECK(requests_of({.base = 64, .first = 10, .rows = 3, .cols = 10, .pitch = 10, .element_bits = 32}, 50) ==
          List{{104, 50, 0, 0}, {154, 50, 0, 0}, {204, 20, 0, 0}});
    // A single row.
    CHECK(requests_of({.base = 0, .first = 7, .rows = 1, .cols = 5, .pitch = 100, .element_bits = 8}, 4) ==
          List{{7, 4, 0, 0}, {11, 1, 0, 0}});
}

TEST_CASE("half bytes: rows of whole bytes that begin on one are like any others") {
    // 3 rows of 4 int4 = 2 bytes, 8 elements = 4 bytes apart.
    CHECK(requests_of({.base = 0, .first = 2, .rows = 3, .cols = 4, .pitch = 8, .element_bits = 4}, 4) ==
          List{{1, 4, 2, 4}, {9, 2, 0, 0}});
}

TEST_CASE("half bytes: an odd number of elements in a row or from row to row") {
    // 5 rows of 3 int4, 7 apart: 15 elements are 8 bytes. They begin at half bytes 0, 7, 14, 21, 28, so in bytes 0, 3,
    // 7, 10, 14; rows 0, 2, 4 take 2 bytes, 7 apart, rows 1 and 3 take 1.
    CHECK(requests_of({.base = 0, .first = 0, .rows = 5, .cols = 3, .pitch = 7, .element_bits = 4}, 64) ==
          List{{0, 6, 2, 7}, {3, 2, 1, 7}});
    // Rows of 2 int4, 7 apart, from element 1 on: they begin at half bytes 1, 8, 15: bytes 0, 4, 7.
    CHECK(requests_of({.base = 0, .first = 1, .rows = 3, .cols = 2, .pitch = 7, .element_bits = 4}, 64) ==
          List{{0, 2, 1, 7}, {4, 1, 0, 0}});
    // One column: 5 elements are 3 bytes, those of rows 0, 2 and 4.
    CHECK(requests_of({.base = 10, .first = 0, .rows = 5, .cols = 1, .pitch = 6, .element_bits = 4}, 64) ==
          List{{10, 3, 1, 6}});
    // As wide as the matrix: 3 rows of 3 are 9 elements, 5 bytes.
    CHECK(requests_of({.base = 0, .first = 3, .rows = 3, .cols = 3, .pitch = 3, .element_bits = 4}, 4) ==
          List{{1, 4, 0, 0}, {5, 1, 0, 0}});
}

TEST_CASE("a descriptor of nothing has no requests") {
    CHECK(DmaDescriptor().done());
    CHECK(DmaDescriptor().requests() == 0);
}

TEST_CASE("requests cover a rectangle's bytes, each once and in order, and none is longer than a burst") {
    check_property("requests of random rectangles", 5'000, [] {
        using rc::gen::inRange;
        DmaRectangle r;
        r.base = *inRange<std::uint64_t>(0, 1000);
        r.first = *inRange<std::int64_t>(0, 100);
        r.rows = *inRange<std::int64_t>(1, 30);
        r.cols = *inRange<std::int64_t>(1, 40);
        r.pitch = r.cols + std::max<std::int64_t>(0, *inRange<std::int64_t>(-10, 20));
        r.element_bits = *rc::gen::element(8, 16, 32);
        const Bytes burst = *inRange<Bytes>(1, 300);
        RC_LOG() << "base " << r.base << " first " << r.first << " " << r.rows << " x " << r.cols << " pitch "
                 << r.pitch << " bits " << r.element_bits << " burst " << burst << "\n";
        const auto requests = requests_of(r, burst);
        std::vector<std::uint64_t> expected;
        const int width = r.element_bits / 8;
        for (std::int64_t row = 0; row < r.rows; ++row) {
            for (std::int64_t i = 0; i < r.cols * width; ++i)
                expected.push_back(r.base + static_cast<std::uint64_t>((r.first + row * r.pitch) * width + i));
        }
        RC_ASSERT(bytes_of(requests) == expected);
        for (const auto& request : requests) {
            RC_ASSERT(request.bytes <= burst);
            if (request.piece_bytes == 0) // RC_ASSERT evaluates both sides of ||
                continue;
            RC_ASSERT(request.bytes % request.piece_bytes == 0);
            RC_ASSERT(request.bytes > request.piece_bytes);
            RC_ASSERT(request.pitch > request.piece_bytes);
        }
    });
}

TEST_CASE("requests of half bytes: as many bytes as the packed elements, none twice in a row, none beside the rows") {
    check_property("requests of random rectangles of int4", 5'000, [] {
        using rc::gen::inRange;
        DmaRectangle r{.base = 100, .element_bits = 4};
        r.first = *inRange<std::int64_t>(0, 100);
        r.rows = *inRange<std::int64_t>(1, 30);
        r.cols = *inRange<std::int64_t>(1, 40);
        r.pitch = r.cols + std::max<std::int64_t>(0, *inRange<std::int64_t>(-10, 20));
        const Bytes burst = *inRange<Bytes>(1, 100);
        RC_LOG() << "first " << r.first << " " << r.rows << " x " << r.cols << " pitch " << r.pitch << " burst "
                 << burst << "\n";
        const auto requests = requests_of(r, burst);
        // How many of the rows touch each byte: two at most share one.
        std::map<std::uint64_t, int> touched;
        for (std::int64_t row = 0; row < r.rows; ++row) {
            const auto begin = r.first + row * r.pitch;
            for (auto at = begin / 2; at <= (begin + r.cols - 1) / 2; ++at)
                ++touched[r.base + static_cast<std::uint64_t>(at)];
        }
        const auto bytes = bytes_of(requests);
        RC_ASSERT(static_cast<std::int64_t>(bytes.size()) == ceil_div(r.rows * r.cols, 2));
        for (const auto address : bytes)
            RC_ASSERT(--touched[address] >= 0);
        for (const auto& request : requests)
            RC_ASSERT(request.bytes <= burst);
    });
}

TEST_CASE("the number of requests to come is known at any time") {
    check_property("counts", 2'000, [] {
        using rc::gen::inRange;
        DmaRectangle r;
        r.first = *inRange<std::int64_t>(0, 10);
        r.rows = *inRange<std::int64_t>(1, 12);
        r.cols = *inRange<std::int64_t>(1, 40);
        r.pitch = r.cols + *inRange<std::int64_t>(0, 5);
        r.element_bits = *rc::gen::element(4, 8, 16);
        DmaDescriptor descriptor(r, *inRange<Bytes>(1, 60));
        auto left = static_cast<std::int64_t>(0);
        for (DmaDescriptor copy = descriptor; !copy.done(); copy.next())
            ++left;
        RC_ASSERT(descriptor.left() == ceil_div(r.rows * r.cols * r.element_bits, 8));
        for (; !descriptor.done(); descriptor.next(), --left)
            RC_ASSERT(descriptor.requests() == left);
        RC_ASSERT(left == 0);
        RC_ASSERT(descriptor.left() == 0);
    });
}
