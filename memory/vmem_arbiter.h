// The bandwidth and the banks of one core's VMEM, dealt among its clients. Rates are piecewise constant: they are dealt
// anew whenever a client starts or ends, in the order stream, stationary, write-back, DMA, vector unit; a client holds
// its share and a port of its bank for whole cycles. One that finds the ports of its bank taken by clients before it
// gets nothing while they hold them. All cycles are of the core clock; banks as the allocator numbers them, of no
// meaning where they are unlimited.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "memory/memory_config.h"

namespace systole {

using BankId = std::int64_t;

// A pass: `vectors` of `vector_bytes` each, at most one a cycle. Output-stationary passes read a part of each from y's
// bank.
struct VmemStream {
    Cycles vectors = 1;
    Bytes vector_bytes = 0;
    Bytes last_vector_bytes = 0;
    Bytes y_bytes = 0; // of vector_bytes; 0: x alone is streamed
    Bytes last_y_bytes = 0;
    BankId x_bank = 0;
    BankId y_bank = 0;
};

class VmemArbiter {
  public:
    explicit VmemArbiter(const VmemConfig& config);

    // Accounts for all cycles before `now`, which is not beyond next_event(); then the calls below act from cycle `now`
    // on. End a cycle's calls with deal().
    void advance(Cycles now);
    void deal();

    // The stream keeps its share to its last vector. If x and y lie in one bank of one port they are read in turns:
    // first x's part of a vector, then y's.
    void start_stream(const VmemStream& stream);
    bool streaming() const { return stream_.active; }
    // The cycle in which the last vector has been delivered. Fixed from the start: nothing goes before a stream.
    Cycles stream_end() const { return stream_.end; }
    // Bytes of the stream delivered up to the end of `cycle`; read in turns: those of whole vectors.
    Bytes streamed(Cycles cycle) const;
    // The cycle (of this stream) in which vector `index`, not a shorter last one, has been delivered, counted from the
    // stream's first cycle.
    Cycles delivery(Cycles index) const;

    // A stationary tile: at most `row_bytes` a cycle.
    void start_load(Bytes bytes, Bytes row_bytes, BankId bank);
    bool loading() const { return load_.active; }
    Bytes loaded(Cycles cycle) const;                   // bytes delivered up to the end of `cycle`, at today's share
    Cycles load_delivered() const { return load_.end; } // valid once !loading(): cycle of the last byte

    // Results of a pass: they come out in [first, last], `vector_bytes` a cycle at most. Queued one behind the other.
    void queue_writeback(std::int64_t id, Cycles first, Cycles last, Bytes bytes, Bytes vector_bytes, BankId bank);

    // DMA moves bytes in or out, in order, with what the others leave. It is dealt its share by the bank of its first
    // chunk; chunks that follow in the same cycle need a port of theirs that nobody has taken.
    void queue_dma(std::int64_t id, Bytes bytes, BankId bank);
    // What a chunk takes if nobody else uses VMEM; at least the cycle in which its bytes move.
    Cycles cycles_alone(Bytes bytes) const {
        return config_.bandwidth == unlimited ? 1 : std::max<Cycles>(1, ceil_div(bytes, config_.bandwidth));
    }
    bool dma_pending() const { return !dma_.empty(); }

    // The vector unit reads or writes, in order, at most `bytes_per_cycle`, with what the others leave. Transfers of
    // one id follow each other like those of the DMA, at the pace of the first, and are done together.
    void queue_vector(std::int64_t id, Bytes bytes, Bytes bytes_per_cycle, BankId bank);

    struct Done {
        std::int64_t id;
        Cycles cycle; // in which its last byte moved
    };
    std::vector<Done>& finished_writebacks() { return finished_writebacks_; }
    std::vector<Done>& finished_dma() { return finished_dma_; }
    std::vector<Done>& finished_vectors() { return finished_vectors_; }

    // The first cycle in which something above changes by itself; `unlimited` if nothing will.
    Cycles next_event() const;
    Cycles now() const { return now_; }

    // Cycles of clients that had something to move and found the ports of its bank taken, up to now(), and those by
    // which taking turns has lengthened streams.
    Cycles conflict_cycles() const { return conflict_cycles_; }

  private:
    struct Flow {
        bool active = false;
        Bytes total = 0;
        Bytes left = 0;
        Bytes cap = 0;   // most it can take in a cycle
        Bytes share = 0; // what it gets
        Cycles end = 0;
        BankId bank = 0;
    };
    struct Writeback {
        std::int64_t id;
        Cycles first, last;
        Bytes left, cap;
        BankId bank;
    };
    struct Transfer { // DMA, vector unit
        std::int64_t id;
        Bytes left, cap;
        BankId bank;
    };

    Bytes serve(Bytes& rest, Bytes wanted, BankId bank);
    void deal_stream(Bytes& rest);
    bool port_free(BankId bank) const;
    Cycles last_cycle(Bytes left, Bytes share) const; // of a flow that starts or goes on in now_
    Cycles turns(Bytes vector_bytes, Bytes y_bytes) const;
    void start_turns(const VmemStream& stream);
    void advance_load(Cycles until);
    void advance_writeback(Cycles until);
    void advance_dma(Cycles until);
    void advance_vector(Cycles until);
    bool writeback_active() const { return !writebacks_.empty() && writebacks_.front().first <= now_; }

    VmemConfig config_;
    bool banked_; // clients can meet
    Cycles now_ = 0;
    std::array<BankId, 6> held_{}; // a port each: x, y, stationary, write-back, DMA, vector unit
    std::size_t held_count_ = 0;
    int blocked_ = 0; // clients that wait for a port
    Cycles conflict_cycles_ = 0;

    Flow stream_, load_;
    Cycles stream_start_ = 0;
    Cycles stream_vectors_ = 0;
    Bytes stream_vector_bytes_ = 0;
    bool stream_y_ = false; // it holds a port of y's bank as well
    BankId stream_y_bank_ = 0;
    Cycles turns_ = 0; // cycles of a vector that is read in turns; 0: it is not
    std::deque<Writeback> writebacks_;
    Bytes writeback_share_ = 0;
    std::deque<Transfer> dma_, vector_;
    Bytes dma_share_ = 0, vector_share_ = 0;
    BankId dma_bank_ = 0; // that its share was dealt by
    std::vector<Done> finished_writebacks_, finished_dma_, finished_vectors_;
};

} // namespace systole
