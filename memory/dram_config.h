// One kind of DRAM stack: organisation, timing, controller and address mapping; what a file under configs/hbm/
// describes. All times are clocks of the command clock (tCK), as data sheets and simulators list them. Names: JESD235D,
// JESD238.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/quantities.h"

namespace systole {

using Clocks = std::int64_t; // of the command clock

struct DramTiming {
    Clocks cl = 14, cwl = 4;                        // read and write latency: command to first data
    Clocks rcd_read = 14, rcd_write = 14;           // ACT to a column command of the bank
    Clocks rp = 14, ras = 34, rc = 48;              // PRE to ACT, ACT to PRE, ACT to ACT of one bank
    Clocks ccd_s = 2, ccd_l = 4, ccd_r = 2;         // column to column: other bank group, same one, other stack id
    Clocks rrd_s = 4, rrd_l = 6;                    // ACT to ACT: other bank group, same one
    Clocks faw = 16;                                // any window of this length holds four ACTs at most
    Clocks wtr_s = 6, wtr_l = 8;                    // end of write data to a read: other bank group, same one
    Clocks rtw = 14;                                // read command to write command
    Clocks wr = 16;                                 // end of write data to PRE
    Clocks rtp = 5;                                 // read command to PRE
    Clocks refi = 3900, rfc = 350;                  // all-bank refresh: every refi, takes rfc
    Clocks refi_per_bank = 122, rfc_per_bank = 160; // per-bank refresh: one bank every refi_per_bank, in turn
};

enum class RefreshMode { none, all_bank, per_bank };
enum class MemoryMode { fast, burst }; // from event to event, or clock by clock; the results are identical

// Organisation of one stack. A pseudo-channel is what has banks, a data bus and a controller of its own.
struct DramOrganization {
    int channels = 8;
    int pseudo_channels = 2; // of a channel
    int stack_ids = 1;       // of a pseudo-channel (ranks of dies)
    int bank_groups = 4;     // of a stack id
    int banks = 4;           // of a bank group
    Bytes row_bytes = 1024;  // of a bank of one pseudo-channel
    Bytes access_bytes = 32; // moved by one column command ("burst")
    Clocks burst = 2;        // clocks that its data take on the bus

    int banks_per_pseudo_channel() const { return stack_ids * bank_groups * banks; }
};

// Counted in bursts, for one pseudo-channel.
struct DramQueues {
    int read = 64;
    int write = 64;
    int write_high = 51;       // more writes than this wait: begin to drain them (also when no read waits)
    int write_low = 13;        // fewer than this are left and a read waits: back to reads
    int entry = 1;             // accesses to neighbouring columns that come in together and fill one entry
    int bank_window = 8;       // the oldest of a bank, per direction, that the scheduler looks at
    bool prepare_both = false; // rows for the other direction are opened and closed while the bus serves this one
    int port = 128;            // requests of the DMA side that wait in front of the queues before it is stopped
    Clocks latency = 1;        // of the controller, before a request can be served
};

// From the lowest address bit above one access upwards.
enum class AddressField { channel, pseudo_channel, stack_id, bank_group, bank, column, row };

struct AddressDigit {
    AddressField field = AddressField::column;
    std::int64_t radix = 1; // number of values; of the row `unlimited`
};

struct DramConfig {
    std::string name;        // of the file, without folder and ending
    std::string file;        // where it was read
    std::string description; // one line
    std::string source;      // where the numbers come from
    Hertz clock = 1'000'000'000;
    DramOrganization organization;
    DramTiming timing;
    RefreshMode refresh = RefreshMode::all_bank;
    DramQueues queues;
    // "co1 pc1 bg2 co4 ch3 ba2 si1 ro": field and bits, lowest first; `ro` takes the rest. Fields: ch channel,
    // pc pseudo-channel, si stack id, bg bank group, ba bank, co column, ro row. A field may be given in parts, the
    // lowest first.
    std::string mapping = "bg2 pc1 ch3 co5 ba2 ro";
    // The pseudo-channel is rotated by a sum of the address above its fields, so that no power-of-two pitch of a tile
    // camps on a few of them. Permutation-based interleaving as in Zhang, Zhu, Zhang, MICRO-33 (2000), of channels.
    bool rotate = false;

    // Bytes a second of one stack's pins.
    BytesPerSecond peak() const {
        const auto& o = organization;
        return o.access_bytes * clock * o.channels * o.pseudo_channels / o.burst;
    }
};

// The digits of the mapping for `stacks` stacks: they multiply the radix of the highest channel digit, which may be
// left out if there is one channel in all. Throws InputError, without a place, with what is wrong in the text or does
// not fit the organisation: the sum of each field's bits must be log2 of its number.
std::vector<AddressDigit> parse_mapping(const DramConfig& config, int stacks);

// What no combination of the fields may be: returns one message per problem, "timing.rc: what (cure)". Empty: good.
std::vector<std::string> problems(const DramConfig& config);

} // namespace systole
