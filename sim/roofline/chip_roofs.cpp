#include "sim/roofline/chip_roofs.h"

#include <algorithm>

#include "sim/base/error.h"
#include "sim/roofline/matmul.h"

namespace systole::analytic {

namespace {

std::optional<double> peak_of_one(const Machine& machine, Format format, Rates rates) {
    const auto stated = machine.nominal.flops.find(format);
    if (rates == Rates::nominal && stated != machine.nominal.flops.end()) {
        return stated->second;
    }
    const auto q = machine.macs_per_pe_cycle.find(format);
    if (machine.roofline_only || q == machine.macs_per_pe_cycle.end()) {
        return std::nullopt;
    }
    return peak_flops(machine, q->second);
}

double bandwidth_of(std::int64_t bytes_per_second) {
    return bytes_per_second == unlimited ? infinite : static_cast<double>(bytes_per_second);
}

double vmem_bandwidth(const Machine& machine) {
    return machine.vmem.bandwidth == unlimited
               ? infinite
               : static_cast<double>(machine.vmem.bandwidth) * static_cast<double>(machine.clock) * machine.cores;
}

// The machine's own bandwidth unless the data sheet counts and states one; a data sheet alone has no machine.
void add_level(Roofs& roofs, const Machine& machine, const char* name, BytesPerSecond stated, double own, Rates rates) {
    if (rates == Rates::nominal && stated > 0) {
        roofs.levels.push_back({name, static_cast<double>(stated)});
    } else if (!machine.roofline_only) {
        roofs.levels.push_back({name, own});
    }
}

void add_caches(Roofs& roofs, const Machine& machine) {
    for (const auto& [name, bandwidth] : machine.nominal.levels) {
        roofs.levels.push_back({name, static_cast<double>(bandwidth)});
    }
    std::stable_sort(roofs.levels.begin(), roofs.levels.end(),
                     [](const Level& a, const Level& b) { return a.bandwidth > b.bandwidth; });
}

} // namespace

std::optional<Rates> parse_rates(std::string_view text) {
    if (text == "nominal") {
        return Rates::nominal;
    }
    return text == "machine" ? std::optional(Rates::machine) : std::nullopt;
}

std::vector<Format> formats_of(const Machine& machine, Rates rates) {
    std::vector<Format> known;
    for (const Format format : all_formats) {
        if (peak_of_one(machine, format, rates)) {
            known.push_back(format);
        }
    }
    return known;
}

double peak_of(const Machine& machine, Format a, Format b, Rates rates) {
    const std::optional<double> of_a = peak_of_one(machine, a, rates);
    if (of_a) {
        return std::min(*of_a, peak_of_one(machine, b, rates).value_or(*of_a));
    }
    if (machine.roofline_only && rates == Rates::machine) {
        throw InputError(machine.name + " is a data sheet alone: there is no machine with a peak (leave out --rates)");
    }
    std::string known;
    for (const Format format : formats_of(machine, rates)) {
        known += (known.empty() ? "" : ", ") + std::string(name(format));
    }
    throw InputError("no peak of " + machine.name + " in " + std::string(name(a)) + " is known (there are " + known +
                     "; nominal.flops." + std::string(name(a)) + " can be given with --set)");
}

namespace {

Roofs roofs_with_peak(const Machine& machine, double peak, Rates rates) {
    Roofs roofs;
    roofs.peak = peak;
    roofs.vector_peak = machine.nominal.vector_flops;
    roofs.pe_registers = !machine.roofline_only;
    if (rates == Rates::nominal) {
        add_caches(roofs, machine);
    }
    const NominalConfig& sheet = machine.nominal;
    add_level(roofs, machine, "vmem", sheet.vmem_bandwidth, vmem_bandwidth(machine), rates);
    add_level(roofs, machine, "hbm", sheet.hbm_bandwidth, bandwidth_of(machine.hbm.bandwidth), rates);
    add_level(roofs, machine, "pcie", sheet.pcie_bandwidth, bandwidth_of(machine.pcie.bandwidth), rates);
    if (machine.link.bandwidth > 0) {
        roofs.levels.push_back({"link", static_cast<double>(machine.link.bandwidth)});
    }
    return roofs;
}

} // namespace

Roofs chip_roofs(const Machine& machine, const OperandFormats& formats, Rates rates) {
    return roofs_with_peak(machine, peak_of(machine, formats.a, formats.b, rates), rates);
}

Roofs vector_roofs(const Machine& machine, Format format, Rates rates) {
    const double stated = machine.nominal.vector_flops;
    return roofs_with_peak(machine, stated > 0 ? stated : peak_of(machine, format, format, rates), rates);
}

Roofs seen_from(Roofs roofs, DataOrigin from) {
    std::erase_if(roofs.levels, [from](const Level& level) {
        return (level.name == "pcie" && from != DataOrigin::host) || (level.name == "hbm" && from == DataOrigin::vmem);
    });
    return roofs;
}

double pe_bytes_per_mac(const OperandFormats& formats) {
    constexpr double sum_bytes = 4;
    return element_bytes(formats.a) + element_bytes(formats.b) + 2 * sum_bytes;
}

} // namespace systole::analytic
