// Requests from a trace file, read line by line, so that its size does not matter.
#pragma once

#include <memory>
#include <string>

#include "memory/dram_patterns.h"

namespace systole {

// One request of `bytes` a line, from the multiple of `bytes` that holds the address on:
//
//   ADDRESS R|W [CYCLE]           also READ|WRITE (DRAMsim3's traces)
//   LD|ST|R|W ADDRESS             Ramulator's load-store and read-write traces
//
// ADDRESS is decimal, or hexadecimal with 0x. CYCLE counts the command clock: the request is not offered before it.
// Case does not matter; empty lines and what follows a '#' are skipped. Throws InputError if there is no such file;
// next() throws InputError with the place for a line that is none of these, and for a file without a request.
std::unique_ptr<DramRequests> open_dram_trace(const std::string& file, Bytes bytes);

} // namespace systole
