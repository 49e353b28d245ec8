// A whole request: serial work on the host, transfers over PCIe, the accelerator; and how it grows with the batch.
#pragma once

#include "sim/roofline/roof.h"

namespace systole::analytic {

// Amdahl: 1 / (serial + (1 - serial) / gain); the limit for an infinite gain is 1 / serial, infinite without serial
// part.
double amdahl_speedup(double serial_fraction, double gain = infinite);

enum class Transfers {
    serial,     // down and up one after the other, nothing overlapped
    duplex,     // both directions at once, still before and behind the computing
    overlapped, // at once, and behind the computing: the longer of transfer and compute counts
};

struct RequestShape {
    double batch = 1;
    double bytes_in = 0;  // per sample, host to device
    double bytes_out = 0; // per sample, device to host
    double pcie_bandwidth = 0;
    Transfers transfers = Transfers::serial;
    double compute_s = 0;      // of batch 1
    double compute_growth = 1; // time of this batch / time of batch 1
    // Serial host time of batch 1: seconds, or the fraction of the whole request that it is.
    double serial_s = 0;
    double serial_fraction = 0; // counts if serial_s is 0
    double serial_growth = 0;   // serial time grows by this part with every doubling of the batch
};

struct RequestTime {
    double transfer_s = 0;
    double compute_s = 0;
    double serial_s = 0;
    double total_s = 0;
    double serial_fraction = 0; // of this batch
    double speedup_limit = 0;   // Amdahl's, with an infinitely fast accelerator and link
    double per_sample_s = 0;
};

// serial(batch) = serial(1) (1 + serial_growth log2(batch)); with a fraction s given, serial(1) = s / (1 - s) times the
// rest of a request of batch 1. Throws InputError for a fraction of 1 and what is negative.
RequestTime request_time(const RequestShape& shape);

} // namespace systole::analytic
