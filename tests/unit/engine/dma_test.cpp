// What a core's DMA engines ask the memory for: which bytes, in which order, how many at a time and how fast.
#include <algorithm>
#include <map>
#include <ostream>
#include <vector>

#include "sim/engine/chip.h"
#include "sim/engine/dma_id.h"
#include "tests/support/check_property.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

struct Asked {
    bool write = false;
    std::uint64_t address = 0;
    Bytes bytes = 0;
    Bytes piece_bytes = 0;
    Bytes pitch = 0;

    bool operator==(const Asked&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Asked& a) {
    return out << "{" << a.write << ", " << a.address << ", " << a.bytes << ", " << a.piece_bytes << ", " << a.pitch
               << "}";
}

// Answers every request after a fixed time.
class Recorder : public MemoryPort {
  public:
    struct Entry {
        Ticks at = 0;
        MemoryRequest request;
    };

    explicit Recorder(Ticks latency) : latency_(latency) {}

    void attach(MemoryClient& client) { client_ = &client; }
    void request(Ticks now, const MemoryRequest& request) override {
        entries.push_back({now, request});
        client_->response(request.id, now + latency_);
    }
    Ticks busy_before(Ticks) const override { return 0; }

    std::vector<Asked> asked() const {
        std::vector<Asked> list;
        for (const auto& entry : entries) {
            const auto& r = entry.request;
            list.push_back({r.write, r.address, r.bytes, r.piece_bytes, r.pitch});
        }
        return list;
    }

    std::vector<Entry> entries;

  private:
    Ticks latency_;
    MemoryClient* client_ = nullptr;
};

struct Setup {
    std::int64_t m = 1, n = 1, k = 1;
    Tile tile;
    Dataflow dataflow = ws;
    Format format = Format::int8; // of all three
    DmaConfig dma;
    Cycles latency = 0;
};

Setup whole(std::int64_t m, std::int64_t n, std::int64_t k) {
    Setup s;
    s.m = m;
    s.n = n;
    s.k = k;
    s.tile = {m, n, k};
    return s;
}

std::ostream& operator<<(std::ostream& out, const Setup& s) {
    return out << s.m << "x" << s.n << "x" << s.k << " tile " << s.tile.m << "x" << s.tile.n << "x" << s.tile.k << " "
               << short_name(s.dataflow) << " " << name(s.format) << " burst " << s.dma.burst_bytes << " outstanding "
               << s.dma.outstanding << " engines " << s.dma.engines << " interval " << s.dma.issue_interval
               << " latency " << s.latency;
}

const TimeBase time_base(1'000'000'000);

// A 4x4 array; A, B and C lie one behind the other, each at a whole byte.
Recorder run(const Setup& s) {
    CoreConfig core;
    auto& limits = core.sequencer.limits;
    limits.array.rows = limits.array.cols = 4;
    GemmProblem problem = gemm(s.m, s.n, s.k);
    problem.formats = {s.format, s.format, s.format};
    core.sequencer.mapping = explicit_mapping(orient(problem, s.dataflow), s.tile, DataOrigin::hbm, limits);
    core.dma = s.dma;
    const bool swapped = s.dataflow == is;
    MatrixPlace a{.base = 0, .cols = s.k, .format = s.format, .transposed = swapped};
    MatrixPlace b{.base = static_cast<std::uint64_t>(stored_bytes(s.m * s.k, s.format)),
                  .cols = s.n,
                  .format = s.format,
                  .transposed = swapped};
    MatrixPlace c{.base = b.base + static_cast<std::uint64_t>(stored_bytes(s.k * s.n, s.format)),
                  .cols = s.n,
                  .format = s.format,
                  .transposed = swapped};
    core.operands = swapped ? OperandMap{b, a, c} : OperandMap{a, b, c};
    ChipConfig config;
    config.time = time_base;
    config.cores.push_back(core);
    Recorder memory(time_base.at(s.latency));
    Chip chip(
        config, {}, [&](const std::string&, int) -> MemoryPort& { return memory; },
        [&](MemoryPort&, MemoryClient& client) { memory.attach(client); });
    for (Cycles now = 0; now != unlimited && !chip.done(); now = chip.next_event())
        chip.step(now);
    chip.finish();
    return memory;
}

// How often each byte was asked for.
std::map<std::uint64_t, int> bytes_of(const Recorder& memory, bool write) {
    std::map<std::uint64_t, int> bytes;
    for (const auto& asked : memory.asked()) {
        const Bytes piece = asked.piece_bytes > 0 ? asked.piece_bytes : asked.bytes;
        for (Bytes done = 0; asked.write == write && done < asked.bytes; ++done)
            ++bytes[asked.address + static_cast<std::uint64_t>(done / piece * asked.pitch + done % piece)];
    }
    return bytes;
}

Setup any_setup() {
    using rc::gen::inRange;
    const auto extent = [] { return *inRange<std::int64_t>(1, 20); };
    Setup s = whole(extent(), extent(), extent());
    s.tile = {extent(), extent(), extent()};
    s.dataflow = *rc::gen::element(ws, os, is);
    s.format = *rc::gen::element(Format::int8, Format::bf16, Format::int4);
    s.dma = {.burst_bytes = *inRange<Bytes>(1, 64),
             .outstanding = *inRange(1, 5),
             .engines = *inRange(1, 5),
             .issue_interval = *inRange<Cycles>(0, 4)};
    s.latency = *inRange<Cycles>(0, 20);
    return s;
}

int engine_of(const MemoryRequest& request, const DmaConfig& dma) { return dma_chunk(request.id) / dma.outstanding; }

} // namespace

TEST_CASE("a tile narrower than its matrix is asked for row by row, several rows in a request") {
    // 4x8x4 on 4x4: two passes. A, as wide as its matrix, is one piece of 16 bytes; B (from 16 on) and C (from 48 on)
    // are 4 rows of 4, 8 bytes apart. Of a pass B comes first.
    const Setup s = whole(4, 8, 4);
    CHECK(run(s).asked() == std::vector<Asked>{{false, 16, 16, 4, 8},
                                               {false, 0, 16, 0, 0},
                                               {false, 20, 16, 4, 8},
                                               {true, 48, 16, 4, 8},
                                               {true, 52, 16, 4, 8}});
    Setup small = s;
    small.dma.burst_bytes = 8; // two rows
    const auto asked = run(small).asked();
    CHECK(std::vector<Asked>(asked.begin(), asked.begin() + 6) == std::vector<Asked>{{false, 16, 8, 4, 8},
                                                                                     {false, 32, 8, 4, 8},
                                                                                     {false, 0, 8, 0, 0},
                                                                                     {false, 8, 8, 0, 0},
                                                                                     {false, 20, 8, 4, 8},
                                                                                     {false, 36, 8, 4, 8}});
}

TEST_CASE("input-stationary: the transposes are read in the rows in which memory holds them") {
    // 8x4x8: the stationary tile is 4 rows (m) by 4 (k) of A, 8 bytes apart; what is streamed are 4 whole rows of B,
    // from 64 on. Depth is innermost: k = 0, then 4. C (from 96 on) is 4 rows of 4.
    Setup s = whole(8, 4, 8);
    s.dataflow = is;
    CHECK(run(s).asked() == std::vector<Asked>{{false, 0, 16, 4, 8},
                                               {false, 64, 16, 0, 0},
                                               {false, 4, 16, 4, 8},
                                               {false, 80, 16, 0, 0},
                                               {false, 32, 16, 4, 8},
                                               {false, 36, 16, 4, 8},
                                               {true, 96, 16, 0, 0},
                                               {true, 112, 16, 0, 0}});
}

TEST_CASE("units are dealt to the engines in turn, and the engines take turns") {
    // 4x8x4 in requests of 8 bytes: B's first unit (2 requests) to engine 0, A (2) to 1, B's second (2) to 0 again.
    Setup s = whole(4, 8, 4);
    s.dma = {.burst_bytes = 8, .outstanding = 4, .engines = 2, .issue_interval = 1};
    const auto memory = run(s);
    const std::vector<std::uint64_t> addresses{16, 0, 32, 8, 20, 36};
    const std::vector<int> engines{0, 1, 0, 1, 0, 0};
    const std::vector<Cycles> cycles{0, 0, 1, 1, 2, 3};
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        CHECK(memory.entries[i].request.address == addresses[i]);
        CHECK(engine_of(memory.entries[i].request, s.dma) == engines[i]);
        CHECK(memory.entries[i].at == time_base.at(cycles[i]));
    }
}

TEST_CASE("a run asks for every byte of its operands, and stores every byte of its result once") {
    check_property("bytes of random runs", 500, [] {
        Setup s = any_setup();
        if (s.format == Format::int4)
            s.format = Format::int8; // units of half bytes share bytes
        if (*rc::gen::arbitrary<bool>())
            s.tile = {s.m, s.n, s.k}; // each operand is fetched once
        RC_LOG() << s << "\n";
        const auto memory = run(s);
        const bool once = s.tile == Tile{s.m, s.n, s.k};
        const auto width = static_cast<std::uint64_t>(bits(s.format) / 8);
        const auto operands = width * static_cast<std::uint64_t>(s.m * s.k + s.k * s.n);
        const auto end = operands + width * static_cast<std::uint64_t>(s.m * s.n);
        const auto read = bytes_of(memory, false);
        const auto written = bytes_of(memory, true);
        RC_ASSERT(read.size() == operands);
        RC_ASSERT(read.begin()->first == 0u);
        RC_ASSERT(read.rbegin()->first == operands - 1);
        RC_ASSERT(written.size() == end - operands);
        RC_ASSERT(written.begin()->first == operands);
        RC_ASSERT(written.rbegin()->first == end - 1);
        for (const auto& [address, times] : written)
            RC_ASSERT(times == 1);
        for (const auto& [address, times] : read) {
            if (once)
                RC_ASSERT(times == 1);
        }
    });
}

TEST_CASE("an engine never has more requests in flight than it may, nor issues them faster") {
    check_property("windows and intervals of random runs", 1000, [] {
        const Setup s = any_setup();
        RC_LOG() << s << "\n";
        const auto memory = run(s);
        std::map<std::pair<bool, int>, std::vector<Ticks>> issued; // by direction and engine
        for (const auto& [at, request] : memory.entries) {
            RC_ASSERT(request.bytes > 0);
            RC_ASSERT(request.bytes <= s.dma.burst_bytes);
            RC_ASSERT(request.write == (dma_user(request.id) == DmaUser::storer));
            const int engine = engine_of(request, s.dma);
            RC_ASSERT(engine < s.dma.engines);
            auto& before = issued[{request.write, engine}];
            // Writes are issued to VMEM first.
            if (!request.write && !before.empty())
                RC_ASSERT(at >= before.back() + time_base.at(s.dma.issue_interval));
            const auto outstanding = static_cast<std::size_t>(s.dma.outstanding);
            if (before.size() >= outstanding) // the oldest of a full window has been answered
                RC_ASSERT(at >= before[before.size() - outstanding] + time_base.at(s.latency));
            before.push_back(at);
        }
    });
}
