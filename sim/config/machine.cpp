#include "sim/config/machine.h"

#include <algorithm>

#include "sim/base/error.h"

namespace systole {

namespace {

int rate_of(const Machine& machine, Format format) {
    const auto found = machine.macs_per_pe_cycle.find(format);
    if (found != machine.macs_per_pe_cycle.end()) {
        return found->second;
    }
    std::string known;
    for (const auto& [candidate, rate] : machine.macs_per_pe_cycle) {
        known += (known.empty() ? "" : ", ") + std::string(name(candidate));
    }
    throw InputError("the array of " + machine.name + " does not take " + std::string(name(format)) +
                     " operands (it takes " + known + "; array.formats lists them)");
}

} // namespace

int macs_per_pe_cycle(const Machine& machine, const OperandFormats& formats) {
    return std::min(rate_of(machine, formats.a), rate_of(machine, formats.b));
}

void require_simulable(const Machine& machine) {
    if (machine.roofline_only) {
        throw InputError(machine.name + " is described by its data sheet alone and has no array to simulate (use " +
                         "`systole roofline --chip " + machine.name + "`, or another chip of `systole info chips`)");
    }
}

FlopPerSecond peak_flops(const Machine& machine, int q) {
    return 2.0 * static_cast<double>(machine.pe_count()) * static_cast<double>(machine.clock) * q;
}

} // namespace systole
