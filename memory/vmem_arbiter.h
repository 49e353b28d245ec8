// The bandwidth of one core's VMEM, dealt among its clients. Rates are piecewise constant: they are dealt anew whenever
// a client starts or ends, in the order stream, stationary, write-back, DMA; a client holds its share for whole cycles.
// With one bank a single client is served in a cycle. All cycles are of the core clock.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "memory/memory_config.h"

namespace systole {

class VmemArbiter {
  public:
    explicit VmemArbiter(const VmemConfig& config);

    // Accounts for all cycles before `now`; then the calls below act from cycle `now` on. End a cycle's calls with
    // deal().
    void advance(Cycles now);
    void deal();

    // A pass: `vectors` of `vector_bytes` each, at most one a cycle. The stream keeps its share to its last vector.
    void start_stream(Cycles vectors, Bytes vector_bytes, Bytes last_vector_bytes);
    void start_stream(Cycles vectors, Bytes vector_bytes) { start_stream(vectors, vector_bytes, vector_bytes); }
    bool streaming() const { return stream_.active; }
    // The cycle in which the last vector has been delivered. Fixed from the start: nothing goes before a stream.
    Cycles stream_end() const { return stream_.end; }
    // Bytes of the stream delivered up to the end of `cycle`.
    Bytes streamed(Cycles cycle) const;
    // The cycle (of this stream) in which vector `index` has been delivered, counted from the stream's first cycle.
    Cycles delivery(Cycles index) const;

    // A stationary tile: at most `row_bytes` a cycle.
    void start_load(Bytes bytes, Bytes row_bytes);
    bool loading() const { return load_.active; }
    Bytes loaded(Cycles cycle) const;                   // bytes delivered up to the end of `cycle`, at today's share
    Cycles load_delivered() const { return load_.end; } // valid once !loading(): cycle of the last byte

    // Results of a pass: they come out in [first, last], `vector_bytes` a cycle at most. Queued one behind the other.
    void queue_writeback(std::int64_t id, Cycles first, Cycles last, Bytes bytes, Bytes vector_bytes);

    // DMA moves bytes in or out, in order, with what the others leave.
    void queue_dma(std::int64_t id, Bytes bytes);
    bool dma_pending() const { return !dma_.empty(); }

    struct Done {
        std::int64_t id;
        Cycles cycle; // in which its last byte moved
    };
    std::vector<Done>& finished_writebacks() { return finished_writebacks_; }
    std::vector<Done>& finished_dma() { return finished_dma_; }

    // The first cycle in which something above changes by itself; `unlimited` if nothing will.
    Cycles next_event() const;
    Cycles now() const { return now_; }

  private:
    struct Flow {
        bool active = false;
        Bytes total = 0;
        Bytes left = 0;
        Bytes cap = 0;   // most it can take in a cycle
        Bytes share = 0; // what it gets
        Cycles end = 0;
    };
    struct Writeback {
        std::int64_t id;
        Cycles first, last;
        Bytes left, cap;
    };
    struct Dma {
        std::int64_t id;
        Bytes left;
    };

    Bytes take(Bytes& rest, Bytes wanted) const;
    Cycles last_cycle(Bytes left, Bytes share) const; // of a flow that starts or goes on in now_
    void advance_writeback(Cycles until);
    void advance_dma(Cycles until);
    bool writeback_active() const { return !writebacks_.empty() && writebacks_.front().first <= now_; }

    VmemConfig config_;
    Cycles now_ = 0;
    Flow stream_, load_;
    Cycles stream_start_ = 0;
    Bytes stream_vector_bytes_ = 0;
    std::deque<Writeback> writebacks_;
    Bytes writeback_share_ = 0;
    std::deque<Dma> dma_;
    Bytes dma_share_ = 0;
    std::vector<Done> finished_writebacks_, finished_dma_;
};

} // namespace systole
