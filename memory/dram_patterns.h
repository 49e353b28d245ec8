// Request streams for measuring a DRAM: named patterns, one request at a time. The file reader is dram_trace.h.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "memory/dram_config.h"

namespace systole {

struct DramRequest {
    std::int64_t address = 0; // bytes, from 0 to below 2^60
    Bytes bytes = 0;          // above 0
    bool write = false;
    Clocks not_before = 0; // of the command clock; offered as soon as there is room from then on
};

class DramRequests {
  public:
    virtual ~DramRequests() = default;

    virtual bool next(DramRequest& request) = 0; // false: there are no more
    // Set: a request is offered this many clocks after the one before it has been completed. Not set: as soon as there
    // is room.
    virtual std::optional<Clocks> closed_loop_gap() const { return std::nullopt; }
};

// The requests of a pattern; larger ones than 4 KiB are cut. SIZE is a number of bytes with K, M, G for the powers of
// 1024.
//
//   seq_read, seq_write [_SIZE]   32 MiB, or SIZE, from 0 on
//   mix2r1w_SIZE [_skew]          8 MiB / SIZE times: read SIZE, read SIZE 256 MiB further on, write SIZE another 256
//   MiB
//                                 further on; skew: the second and the third are 0x5000 and 0xA000 further on
//   stride_SIZE_SIZE              stride_C_P: for each of the P / C columns t, for r of 0..1023: read C at t * C + r *
//   P randSIZE_read, _write         8 MiB in pieces of SIZE at multiples of SIZE, at random within 256 MiB (splitmix64)
//   idle_seq, idle_rand           10000 single accesses, each 100 clocks after the one before was completed: ascending,
//                                 or at random multiples of 64 within 256 MiB
//
// Throws InputError for other names (the text lists the patterns) and for sizes that are out of range.
std::unique_ptr<DramRequests> make_dram_pattern(const std::string& name, Bytes access_bytes);

bool is_dram_pattern(const std::string& name); // by its words alone: its sizes may be wrong

} // namespace systole
