#include "memory/dram_address.h"

#include <array>
#include <bit>

#include "sim/base/error.h"

namespace systole {

namespace {

constexpr int bits_of_access_number = 62; // what is left for the row, which has no bound of its own
constexpr std::size_t most_digits = 64;

bool is_port_field(AddressField field) {
    return field == AddressField::channel || field == AddressField::pseudo_channel;
}

int shift_of(std::int64_t radix) {
    if (radix == unlimited) {
        return bits_of_access_number;
    }
    return is_power_of_two(radix) ? std::countr_zero(static_cast<std::uint64_t>(radix)) : -1;
}

} // namespace

std::int64_t DramAddress::Digit::take_from(std::int64_t& number) const {
    if (shift < 0) {
        const std::int64_t value = number % radix;
        number /= radix;
        return value;
    }
    const std::int64_t value = number & ((std::int64_t{1} << shift) - 1);
    number >>= shift;
    return value;
}

DramAddress::DramAddress(const DramConfig& config, int stacks)
    : access_bytes_(config.organization.access_bytes), rotate_(config.rotate) {
    std::int64_t local_weight = 1;
    std::array<std::int64_t, 7> field_weights; // of the next digit of each field
    field_weights.fill(1);
    field_weights[static_cast<std::size_t>(AddressField::channel)] = config.organization.pseudo_channels;
    bool last_is_local = false;
    for (const AddressDigit& digit : parse_mapping(config, stacks)) {
        std::int64_t& weight = field_weights[static_cast<std::size_t>(digit.field)];
        const int shift = shift_of(digit.radix);
        const bool row = digit.radix == unlimited;
        if (is_port_field(digit.field)) {
            digits_.push_back({digit.radix, shift, weight, local_weight});
            ports_ *= static_cast<int>(digit.radix);
            below_ports_ = local_weight * ports_;
        } else {
            local_digits_.push_back(digit);
            parts_.push_back({{digit.radix, shift, 0, local_weight}, digit.field, weight});
            if (last_is_local) { // all of them are powers of two
                Digit& joined = digits_.back();
                joined.radix = row ? unlimited : joined.radix * digit.radix;
                joined.shift = shift_of(joined.radix);
            } else {
                digits_.push_back({digit.radix, shift, 0, local_weight});
            }
            local_weight *= row ? 1 : digit.radix;
        }
        last_is_local = !is_port_field(digit.field);
        weight *= row ? 1 : digit.radix;
    }
    if (digits_.size() > most_digits) {
        throw InternalError("an address mapping has more digits than an address has bits");
    }
    ports_shift_ = shift_of(ports_);
    below_ports_shift_ = shift_of(below_ports_);
    granule_shift_ = shift_below_ports();
    for (int port = 0; port < ports_; ++port) {
        for (const Digit& digit : digits_) {
            port_values_.push_back(digit.port_weight == 0 ? 0 : port / digit.port_weight % digit.radix);
        }
    }
}

// Of what is below the port's digits, if all of these are bits beside each other, the lowest of the port first; else
// -1.
int DramAddress::shift_below_ports() const {
    if (ports_shift_ <= 0)
        return -1;
    std::int64_t below = 1, ports = 1;
    for (const Digit& digit : digits_) {
        if (digit.port_weight == 0) {
            if (ports > 1 || digit.radix == unlimited)
                break;
            below *= digit.radix;
        } else if (digit.port_weight == ports) {
            ports *= digit.radix;
        } else {
            return -1;
        }
    }
    return ports == ports_ ? shift_of(below) : -1;
}

DramAddress::Place DramAddress::place_of(std::int64_t access) const {
    std::int64_t port = 0, local = 0;
    if (granule_shift_ >= 0) { // digit by digit would be a good part of what a short access costs
        const std::int64_t above = access >> below_ports_shift_;
        const std::int64_t below = access & ((std::int64_t{1} << granule_shift_) - 1);
        port = (access >> granule_shift_) + (rotate_ ? rotation(above) : 0);
        return {static_cast<int>(port & (ports_ - 1)), above << granule_shift_ | below};
    }
    std::int64_t rest = access;
    for (const Digit& digit : digits_) {
        const std::int64_t value = digit.take_from(rest);
        (digit.port_weight == 0 ? local : port) +=
            value * (digit.port_weight == 0 ? digit.local_weight : digit.port_weight);
    }
    if (rotate_) {
        port += rotation(above_ports(access)); // both below ports_
        port = port < ports_ ? port : port - ports_;
    }
    return {static_cast<int>(port), local};
}

std::int64_t DramAddress::above_ports(std::int64_t access) const {
    if (!rotate_)
        return 0;
    return below_ports_shift_ >= 0 ? access >> below_ports_shift_ : access / below_ports_;
}

// The digits of `above` to the base of the ports, added up: each power of two as a pitch visits all ports.
int DramAddress::rotation(std::int64_t above) const {
    std::int64_t sum = 0;
    if (ports_shift_ > 0) { // divisions would be a good part of what a short access costs
        const std::int64_t mask = ports_ - 1;
        for (; above > 0; above >>= ports_shift_)
            sum += above & mask;
        return static_cast<int>(sum & mask);
    }
    for (; above > 0 && ports_ > 1; above /= ports_) {
        sum += above % ports_;
    }
    return static_cast<int>(sum % ports_);
}

// Digit by digit from the lowest: how many numbers made of the digits so far are below that of `values` and have the
// digits `port_values`. A local digit of value v: v times all that its lower local digits can be, and those below of
// them. A digit of the port's: if it is above the port's value, all of the lower ones are below; if it is less, none.
std::int64_t DramAddress::count(const std::int64_t* values, const std::int64_t* port_values) const {
    std::int64_t below = 0;
    for (std::size_t i = 0; i < digits_.size(); ++i) {
        const Digit& digit = digits_[i];
        if (digit.port_weight == 0) {
            below += values[i] * digit.local_weight;
        } else if (values[i] != port_values[i]) {
            below = values[i] > port_values[i] ? digit.local_weight : 0;
        }
    }
    return below;
}

std::int64_t DramAddress::count_below(int port, std::int64_t access) const {
    const int unrotated = (port + ports_ - rotation(above_ports(access))) % ports_;
    std::array<std::int64_t, most_digits> values;
    for (std::size_t i = 0; i < digits_.size(); ++i) {
        values[i] = digits_[i].take_from(access);
    }
    return count(values.data(), &port_values_[static_cast<std::size_t>(unrotated) * digits_.size()]);
}

void DramAddress::counts_below(std::int64_t access, std::int64_t* counts) const {
    const int by = rotation(above_ports(access));
    std::array<std::int64_t, most_digits> values;
    for (std::size_t i = 0; i < digits_.size(); ++i) {
        values[i] = digits_[i].take_from(access);
    }
    const std::int64_t* port_values = port_values_.data();
    for (int port = 0; port < ports_; ++port, port_values += digits_.size()) {
        counts[(port + by) % ports_] = count(values.data(), port_values);
    }
}

DramLocation DramAddress::locate(std::int64_t local) const {
    DramLocation location;
    for (const Part& part : parts_) {
        const std::int64_t value = part.digit.take_from(local) * part.weight;
        switch (part.field) {
        case AddressField::stack_id:
            location.stack_id += static_cast<int>(value);
            break;
        case AddressField::bank_group:
            location.bank_group += static_cast<int>(value);
            break;
        case AddressField::bank:
            location.bank += static_cast<int>(value);
            break;
        case AddressField::column:
            location.column += value;
            break;
        default:
            location.row += value;
            break;
        }
    }
    return location;
}

} // namespace systole
