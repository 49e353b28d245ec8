// Where an address lies: mixed-radix digits of the access number. A contiguous range of addresses is a contiguous range
// in the address space of each pseudo-channel, for taking digits out keeps the order.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/dram_config.h"

namespace systole {

struct DramLocation { // within a pseudo-channel
    int stack_id = 0, bank_group = 0, bank = 0;
    std::int64_t column = 0, row = 0;
};

// Accesses are numbered from 0 at address 0, below 2^62. Ports are numbered channel by channel, those of the first
// stack first: port = (stack and channel) * pseudo_channels + pseudo_channel.
class DramAddress {
  public:
    // Throws InputError as parse_mapping() does.
    DramAddress(const DramConfig& config, int stacks);

    int ports() const { return ports_; } // pseudo-channels of all stacks
    Bytes access_bytes() const { return access_bytes_; }

    struct Place {
        int port = 0;
        std::int64_t local = 0; // the access's number within the port
    };
    Place place_of(std::int64_t access) const;
    int port_of(std::int64_t access) const { return place_of(access).port; }
    std::int64_t local_of(std::int64_t access) const { return place_of(access).local; }
    // Number of accesses below `access` that belong to the port: those of [a, b) are its local ones from
    // count_below(port, a) to count_below(port, b).
    std::int64_t count_below(int port, std::int64_t access) const;
    // count_below() of every port, into counts[0] .. counts[ports() - 1].
    void counts_below(std::int64_t access, std::int64_t* counts) const;

    // The digits that are left within a pseudo-channel, lowest first.
    const std::vector<AddressDigit>& local_digits() const { return local_digits_; }
    DramLocation locate(std::int64_t local) const;

  private:
    struct Digit {
        std::int64_t radix = 1;
        int shift = -1;                // radix = 2^shift, or -1
        std::int64_t port_weight = 0;  // of its value in the port number; 0: a local digit
        std::int64_t local_weight = 1; // local accesses below one step of it

        std::int64_t take_from(std::int64_t& number) const;
    };
    struct Part { // of a location
        Digit digit;
        AddressField field = AddressField::column;
        std::int64_t weight = 1; // of its value in the field
    };

    // With DramConfig::rotate the ports of the accesses that agree above all port digits are rotated by this.
    int rotation(std::int64_t above) const;
    std::int64_t above_ports(std::int64_t access) const;
    int shift_below_ports() const;
    std::int64_t count(const std::int64_t* values, const std::int64_t* port_values) const;

    std::vector<Digit> digits_; // lowest first, neighbouring local ones as one
    std::vector<AddressDigit> local_digits_;
    std::vector<Part> parts_;               // of local_digits_
    std::vector<std::int64_t> port_values_; // of each port, its value of each digit; 0 for local ones
    Bytes access_bytes_;
    int ports_ = 1;
    bool rotate_ = false;
    std::int64_t below_ports_ = 1;                // accesses that agree above all port digits
    int ports_shift_ = 0, below_ports_shift_ = 0; // log2 of them; -1: no power of two
    int granule_shift_ = -1; // log2 of what is below the port's digits, if these are bits in the order of the ports
};

} // namespace systole
