// Bank conflicts, pair by pair: 10 B a cycle, and each client alone would be done in cycles 0..9. At full rate the
// stream takes 4 B a cycle, the stationary tile 3, the write-back 2, the vector unit 1, the DMA what is left.
#include "tests/unit/memory/vmem_ends.h"

using namespace systole;
using namespace systole::test;

namespace {

void start_stream(VmemArbiter& vmem, BankId bank) { vmem.start_stream(stream_from(bank, 10, 4)); }
void start_load(VmemArbiter& vmem, BankId bank) { vmem.start_load(30, 3, bank); }
void start_writeback(VmemArbiter& vmem, BankId bank) { vmem.queue_writeback(1, 0, 9, 20, 2, bank); }
void start_dma(VmemArbiter& vmem, BankId bank) { vmem.queue_dma(2, 60, bank); }
void start_vector(VmemArbiter& vmem, BankId bank) { vmem.queue_vector(3, 10, 1, bank); }

// Runs both clients, the first in bank 1, the second in `bank`.
Ends pair(void (*first)(VmemArbiter&, BankId), void (*second)(VmemArbiter&, BankId), BankId bank, int ports) {
    VmemArbiter arbiter(vmem(10, 4, ports));
    first(arbiter, 1);
    second(arbiter, bank);
    return finish(arbiter);
}

// The first is never held up. In the same bank of one port the second waits for its 10 cycles and is then alone: it
// ends in `after`. In another bank, or with two ports, both run at once and it ends in `beside`.
template <typename End>
void check_pair(void (*first)(VmemArbiter&, BankId), void (*second)(VmemArbiter&, BankId), End&& end, Cycles after,
                Cycles beside) {
    const Ends same = pair(first, second, 1, 1);
    CHECK(end(same) == after);
    CHECK(same.conflict_cycles == 10);
    for (const Ends& parallel : {pair(first, second, 1, 2), pair(first, second, 2, 1)}) {
        CHECK(end(parallel) == beside);
        CHECK(parallel.conflict_cycles == 0);
    }
}

Cycles load_end(const Ends& ends) { return ends.loads.at(0); }
Cycles writeback_end(const Ends& ends) { return ends.writebacks.at(1); }
Cycles dma_end(const Ends& ends) { return ends.dma.at(2); }
Cycles vector_end(const Ends& ends) { return ends.vectors.at(3); }

} // namespace

TEST_CASE("behind a stream in the same bank", "[memory][vmem_arbiter]") {
    check_pair(start_stream, start_load, load_end, 19, 9);           // 30 B at 3
    check_pair(start_stream, start_writeback, writeback_end, 19, 9); // 20 B at 2
    check_pair(start_stream, start_dma, dma_end, 15, 9);             // 60 B at 10: 6 cycles; beside the stream at 6
    check_pair(start_stream, start_vector, vector_end, 19, 9);       // 10 B at 1
    CHECK(pair(start_stream, start_load, 1, 1).streams == std::vector<Cycles>{9});
}

TEST_CASE("behind a stationary tile in the same bank", "[memory][vmem_arbiter]") {
    check_pair(start_load, start_writeback, writeback_end, 19, 9);
    check_pair(start_load, start_dma, dma_end, 15, 8); // beside it at 7: 9 cycles
    check_pair(start_load, start_vector, vector_end, 19, 9);
}

TEST_CASE("behind a write-back in the same bank", "[memory][vmem_arbiter]") {
    check_pair(start_writeback, start_dma, dma_end, 15, 7); // beside it at 8: 8 cycles
    check_pair(start_writeback, start_vector, vector_end, 19, 9);
}

TEST_CASE("the vector unit comes behind the DMA", "[memory][vmem_arbiter]") {
    // The DMA takes all the bandwidth for 6 cycles: with two ports that is what the vector unit waits for.
    const Ends one_port = pair(start_dma, start_vector, 1, 1);
    CHECK(one_port.dma.at(2) == 5);
    CHECK(vector_end(one_port) == 15);
    CHECK(one_port.conflict_cycles == 6);
    const Ends two_ports = pair(start_dma, start_vector, 1, 2);
    CHECK(vector_end(two_ports) == 15);
    CHECK(two_ports.conflict_cycles == 0);
}

TEST_CASE("a second port is enough for two clients, not for three", "[memory][vmem_arbiter]") {
    VmemArbiter arbiter(vmem(10, 4, 2));
    start_stream(arbiter, 1);    // 0..9
    start_load(arbiter, 1);      // 0..9
    start_writeback(arbiter, 1); // 10..19
    start_dma(arbiter, 0);       // 10 - 4 - 3 = 3 B a cycle in 0..9, then 10 - 2 = 8: 30 B left, 4 cycles
    CHECK(finish(arbiter) ==
          Ends{.streams = {9}, .loads = {9}, .writebacks = {{1, 19}}, .dma = {{2, 13}}, .conflict_cycles = 10});
}

TEST_CASE("a client that waits for its bank leaves its share to others", "[memory][vmem_arbiter]") {
    VmemArbiter arbiter(vmem(6, 4));
    start_stream(arbiter, 1); // 4 B in 0..9
    start_load(arbiter, 1);   // waits: 10..19
    start_vector(arbiter, 2); // 1 of the 2 B that are left
    CHECK(finish(arbiter) ==
          Ends{.streams = {9}, .loads = {19}, .writebacks = {}, .dma = {}, .vectors = {{3, 9}}, .conflict_cycles = 10});
}

TEST_CASE("a client that gets no bytes takes no port", "[memory][vmem_arbiter]") {
    VmemArbiter arbiter(vmem(4, 4));
    start_stream(arbiter, 1); // all 4 B in 0..9
    start_load(arbiter, 2);   // nothing until 10: 10..19; its bank is free so long, but there are no bytes either
    start_vector(arbiter, 2); // 0..9: no bytes, no conflict; 10..19: the load has the port; 20..29
    const Ends ends = finish(arbiter);
    CHECK(ends.loads == std::vector<Cycles>{19});
    CHECK(ends.vectors.at(3) == 29);
    CHECK(ends.conflict_cycles == 10);
}

TEST_CASE("a write-back holds its bank until its last result is out", "[memory][vmem_arbiter]") {
    VmemArbiter arbiter(vmem(10, 2));
    arbiter.queue_writeback(1, 2, 7, 2, 2, 1); // its bytes move in cycle 2
    arbiter.queue_dma(2, 20, 1);               // 10 B in 0 and 1: done before it begins
    arbiter.queue_dma(3, 10, 1);               // 8
    CHECK(finish(arbiter) ==
          Ends{.streams = {}, .loads = {}, .writebacks = {{1, 7}}, .dma = {{2, 1}, {3, 8}}, .conflict_cycles = 6});
}

TEST_CASE("a DMA chunk whose bank is taken holds up those behind it", "[memory][vmem_arbiter]") {
    VmemArbiter arbiter(vmem(10, 4));
    start_stream(arbiter, 1);   // 0..9
    arbiter.queue_dma(5, 4, 0); // 4 of 6 B in cycle 0
    arbiter.queue_dma(6, 1, 2); // in cycle 0 as well: its bank is free
    arbiter.queue_dma(7, 1, 1); // there is a byte left in cycle 0, but no port until 10
    arbiter.queue_dma(8, 9, 0); // 10: in order
    const Ends ends = finish(arbiter);
    CHECK(ends.dma == std::map<std::int64_t, Cycles>{{5, 0}, {6, 0}, {7, 10}, {8, 10}});
    CHECK(ends.conflict_cycles == 9); // cycles 1..9; in cycle 0 the DMA was served
}

TEST_CASE("a chunk that follows in the same cycle does not push the vector unit aside", "[memory][vmem_arbiter]") {
    VmemArbiter arbiter(vmem(unlimited, 4));
    arbiter.queue_dma(5, 4, 0);       // cycle 0
    arbiter.queue_vector(3, 3, 1, 1); // 0..2: bank 1 was free when the shares were dealt
    arbiter.queue_dma(6, 1, 1);       // bank 1: not in 0; from 1 on it comes first
    const Ends ends = finish(arbiter);
    CHECK(ends.dma == std::map<std::int64_t, Cycles>{{5, 0}, {6, 1}});
    CHECK(ends.vectors.at(3) == 3); // 0, 2, 3
    CHECK(ends.conflict_cycles == 1);
}

TEST_CASE("transfers of the vector unit follow each other from cycle to cycle", "[memory][vmem_arbiter]") {
    VmemArbiter arbiter(vmem(10));
    arbiter.queue_vector(1, 5, 4, 0); // 0, 1
    arbiter.queue_vector(2, 4, 4, 0); // 2
    arbiter.queue_dma(3, 25, 0);      // all bandwidth in 0, 1, 2
    // Behind the DMA: 3, 4 and 5.
    CHECK(finish(arbiter).vectors == std::map<std::int64_t, Cycles>{{1, 4}, {2, 5}});
}

namespace {

// 4 vectors of 6 B of x and 2 of y, the last of 3 + 1.
VmemStream two_operands(BankId x, BankId y) {
    return {.vectors = 4,
            .vector_bytes = 8,
            .last_vector_bytes = 4,
            .y_bytes = 2,
            .last_y_bytes = 1,
            .x_bank = x,
            .y_bank = y};
}

} // namespace

TEST_CASE("x and y of a stream in one bank of one port are read in turns", "[memory][vmem_arbiter]") {
    VmemArbiter arbiter(vmem(8, 2));
    arbiter.start_stream(two_operands(1, 1)); // x, y, x, y, ...: 2 cycles a vector
    CHECK(arbiter.stream_end() == 7);
    CHECK(arbiter.delivery(0) == 1);
    CHECK(arbiter.delivery(2) == 5);
    arbiter.deal();
    CHECK(arbiter.streamed(0) == 0);
    CHECK(arbiter.streamed(1) == 8);
    CHECK(arbiter.streamed(6) == 24);
    CHECK(arbiter.streamed(7) == 28);
    arbiter.queue_dma(2, 20, 0); // 8 - 6 = 2 B in 0..7: 16, then 8: cycle 8
    const Ends ends = finish(arbiter);
    CHECK(ends.streams == std::vector<Cycles>{7});
    CHECK(ends.dma.at(2) == 8);
    CHECK(ends.conflict_cycles == 4); // 8 cycles instead of 4
}

TEST_CASE("turns of a narrow VMEM: x and y never share a cycle", "[memory][vmem_arbiter]") {
    VmemArbiter arbiter(vmem(4, 2));
    arbiter.start_stream(two_operands(1, 1)); // x: 2 cycles, y: 1; the last 1 + 1: 3 * 3 + 2
    CHECK(arbiter.stream_end() == 10);
    CHECK(finish(arbiter).conflict_cycles == 4); // 28 B at 4 take 7 cycles
}

TEST_CASE("x and y in two banks, or in one of two ports, are read at once", "[memory][vmem_arbiter]") {
    for (const auto& [y_bank, ports] : {std::pair{0, 1}, std::pair{1, 2}}) {
        VmemArbiter arbiter(vmem(8, 2, ports));
        arbiter.start_stream(two_operands(1, y_bank));
        CHECK(arbiter.stream_end() == 3);
        arbiter.queue_vector(3, 1, 1, y_bank); // behind both: cycle 4
        const Ends ends = finish(arbiter);
        CHECK(ends.vectors.at(3) == 4);
        CHECK(ends.conflict_cycles == 4);
    }
}

TEST_CASE("transfers of one id of the vector unit follow each other without a gap and are done together",
          "[memory][vmem_arbiter]") {
    SECTION("in one bank's reach") {
        VmemArbiter arbiter(vmem(100));
        arbiter.queue_vector(1, 5, 4, 0); // 9 bytes at 4 a cycle: cycles 0 to 2
        arbiter.queue_vector(1, 4, 4, 0);
        arbiter.queue_vector(2, 1, 4, 0); // the next id in the cycle after
        CHECK(finish(arbiter).vectors == std::map<std::int64_t, Cycles>{{1, 2}, {2, 3}});
    }
    SECTION("a bank that is taken in the cycle of the change lets the second wait for the next") {
        VmemArbiter arbiter(vmem(100, 2, 1));
        arbiter.start_stream(stream_from(1, 3, 1)); // bank 1 in cycles 0 to 2
        arbiter.queue_vector(1, 5, 4, 0);           // cycles 0, 1; bank 1 is free from cycle 3 on
        arbiter.queue_vector(1, 4, 4, 1);
        CHECK(finish(arbiter).vectors == std::map<std::int64_t, Cycles>{{1, 3}});
    }
}
