// A DRAM whose timing rules all have distances of their own, and names of its banks.
#pragma once

#include "memory/dram_config.h"

namespace systole::test {

// Every rule has a distance of its own, and rc is longer than ras + rp, so that each shows alone.
inline DramConfig distinct_dram() {
    DramConfig config;
    config.organization = {.channels = 1,
                           .pseudo_channels = 1,
                           .stack_ids = 2,
                           .bank_groups = 4,
                           .banks = 2,
                           .row_bytes = 1024,
                           .access_bytes = 32,
                           .burst = 2};
    config.timing = {.cl = 20,
                     .cwl = 9,
                     .rcd_read = 31,
                     .rcd_write = 23,
                     .rp = 26,
                     .ras = 60,
                     .rc = 97,
                     .ccd_s = 3,
                     .ccd_l = 7,
                     .ccd_r = 5,
                     .rrd_s = 6,
                     .rrd_l = 11,
                     .faw = 41,
                     .wtr_s = 8,
                     .wtr_l = 13,
                     .rtw = 17,
                     .wr = 33,
                     .rtp = 10,
                     .refi = 1000,
                     .rfc = 300,
                     .refi_per_bank = 50,
                     .rfc_per_bank = 40};
    config.refresh = RefreshMode::none;
    config.mapping = "co5 ba1 bg2 si1 ro";
    return config;
}

// Bank b of group g of stack id s is (s * 4 + g) * 2 + b.
inline constexpr int first_bank = 0, same_group = 1, other_group = 2, other_stack = 8;

inline constexpr bool rd = false, wr = true; // columns

} // namespace systole::test
