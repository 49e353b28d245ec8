// The boundary between the DMA engines and the memory behind them. One implementation drives a TLM-2.0 socket
// (memory/hbm_module.h); tests may use another.
#pragma once

#include "memory/time_base.h"

namespace systole {

// One row of a descriptor or several of the same length: `bytes` in pieces of `piece_bytes`, `pitch` bytes apart from
// start to start.
struct MemoryRequest {
    bool write = false;
    std::uint64_t address = 0; // of the first piece
    Bytes bytes = 0;           // in all; a whole number of pieces
    int id = 0;                // the client's; comes back with the response
    Bytes piece_bytes = 0;     // 0: all of it is one piece
    Bytes pitch = 0;
};

class MemoryClient {
  public:
    virtual ~MemoryClient() = default;
    // The request is complete at `done`, which may lie ahead of the kernel's time.
    virtual void response(int id, Ticks done) = 0;
};

class MemoryPort {
  public:
    virtual ~MemoryPort() = default;
    virtual void request(Ticks now, const MemoryRequest& request) = 0;
    // Time the memory has spent moving data before `now`, for all its clients.
    virtual Ticks busy_before(Ticks now) const = 0;
};

} // namespace systole
