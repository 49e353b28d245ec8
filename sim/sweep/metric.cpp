#include "sim/sweep/metric.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace systole {

namespace {

using Metrics = std::vector<Metric>;
using Result = OperatorResult;

template <typename Get>
void add(Metrics& to, std::string name, std::string unit, std::string help, Better better, Get get) {
    to.push_back({std::move(name), std::move(unit), std::move(help), better,
                  [get](const Machine&, const Result& result) { return Cell(get(result)); }});
}

template <typename Get>
void add_of_machine(Metrics& to, std::string name, std::string unit, std::string help, Better better, Get get) {
    to.push_back({std::move(name), std::move(unit), std::move(help), better,
                  [get](const Machine& machine, const Result&) { return Cell(get(machine)); }});
}

std::int64_t whole(std::int64_t number) { return number; }

// The utilisation that the roofline allows: time of the MACs at peak / lower bound.
double roofline_utilization(const Result& result) {
    return result.roofline.lower_bound_s > 0 ? result.roofline.t_math_s / result.roofline.lower_bound_s : 0;
}

Cell verified(const Result& result) { return result.verified ? Cell(std::int64_t{*result.verified ? 1 : 0}) : Cell(); }

std::string dtype_text(const OperandFormats& formats) {
    if (formats.a == formats.b && formats.a == formats.c) {
        return std::string(name(formats.a));
    }
    return fmt::format("{},{},{}", name(formats.a), name(formats.b), name(formats.c));
}

void add_time(Metrics& to) {
    add(to, "cycles", "cycles", "from the first request to the last byte of C accepted where it ends", Better::lower,
        [](const Result& r) { return whole(r.cycles); });
    add(to, "seconds", "s", "cycles / clock", Better::lower, [](const Result& r) { return r.seconds; });
    add(to, "macs", "MACs", "multiply-accumulates done", Better::neither,
        [](const Result& r) { return whole(r.macs); });
    add(to, "array_utilization", "", "macs / pe_slots", Better::higher,
        [](const Result& r) { return r.array_utilization(); });
    add(to, "mapping_efficiency", "", "useful / (useful + padding) of the cycle stack", Better::higher,
        [](const Result& r) { return r.mapping_efficiency(); });
    add(to, "roofline_efficiency", "", "lower bound of the roofline / simulated time", Better::higher,
        [](const Result& r) { return r.roofline_efficiency(); });
    add(to, "roofline_utilization", "", "array utilisation that the roofline allows", Better::higher,
        roofline_utilization);
    add(to, "lower_bound_s", "s", "lower bound of the roofline", Better::lower,
        [](const Result& r) { return r.roofline.lower_bound_s; });
    add(to, "bound", "text", "what sets the lower bound", Better::neither,
        [](const Result& r) { return r.roofline.bound; });
    add(to, "verified", "", "1: the product equals the reference, 0: it does not, empty: not checked", Better::neither,
        verified);
}

void add_counts(Metrics& to) {
    add(to, "vmem_bytes", "bytes", "read from and written to VMEM", Better::lower,
        [](const Result& r) { return whole(r.traffic.vmem.total()); });
    add(to, "hbm_bytes", "bytes", "read from and written to HBM", Better::lower,
        [](const Result& r) { return whole(r.traffic.hbm.total()); });
    add(to, "pcie_bytes", "bytes", "moved over PCIe", Better::lower,
        [](const Result& r) { return whole(r.traffic.pcie.total()); });
    add(to, "pe_slots", "PE-slots", "rows * columns * arrays * cores * MACs per PE and cycle * cycles", Better::neither,
        [](const Result& r) { return whole(r.pe_slots); });
    for (const Cause cause : all_causes) {
        add(to, fmt::format("stack_{}", name(cause)), "PE-slots", std::string(description(cause)), Better::neither,
            [cause](const Result& r) { return whole(r.stack[cause]); });
    }
}

Metrics make_point_metrics() {
    Metrics metrics;
    add_time(metrics);
    add_of_machine(metrics, "clock_hz", "Hz", "clock of the cores", Better::neither,
                   [](const Machine& m) { return whole(m.clock); });
    add_of_machine(metrics, "pe_count", "PEs", "rows * columns * arrays * cores", Better::lower,
                   [](const Machine& m) { return whole(m.pe_count()); });
    add_of_machine(metrics, "sram_bytes", "bytes", "VMEM and accumulators of all cores; empty: unlimited",
                   Better::lower, sram_bytes);
    add_of_machine(metrics, "area", "PEs", fmt::format("pe_count + sram_bytes / {}: a proxy", sram_bytes_per_pe),
                   Better::lower, area);
    add_counts(metrics);
    return metrics;
}

void add_problem(Metrics& to) {
    add(to, "name", "text", "name of the operator", Better::neither, [](const Result& r) { return r.name; });
    add(to, "kind", "text", "kind of the operator", Better::neither, [](const Result& r) { return r.kind; });
    add(to, "m", "elements", "rows of A and C", Better::neither, [](const Result& r) { return whole(r.m); });
    add(to, "n", "elements", "columns of B and C", Better::neither, [](const Result& r) { return whole(r.n); });
    add(to, "k", "elements", "columns of A, rows of B", Better::neither, [](const Result& r) { return whole(r.k); });
    add(to, "dataflow", "text", "ws, os or is: the operand that stays in the array", Better::neither,
        [](const Result& r) { return std::string(short_name(r.dataflow)); });
    add(to, "dtype", "text", "stored number formats", Better::neither,
        [](const Result& r) { return dtype_text(r.formats); });
    add(to, "sparsity", "text", "dense, or the structure of the zeros of B", Better::neither,
        [](const Result& r) { return systole::name(r.sparsity); });
    add(to, "tile", "text", "MxNxK of one VMEM tile", Better::neither,
        [](const Result& r) { return fmt::format("{}x{}x{}", r.tile.m, r.tile.n, r.tile.k); });
}

Metrics make_layer_metrics() {
    Metrics metrics;
    add_problem(metrics);
    add_time(metrics);
    add_counts(metrics);
    return metrics;
}

} // namespace

Cell sram_bytes(const Machine& machine) {
    if (machine.vmem.capacity == unlimited || machine.accumulator_capacity == unlimited) {
        return {};
    }
    std::int64_t bytes = 0; // a capacity that leaves 64 bits is as good as unlimited
    const bool overflow = __builtin_add_overflow(machine.vmem.capacity, machine.accumulator_capacity, &bytes) ||
                          __builtin_mul_overflow(bytes, std::int64_t{machine.cores}, &bytes);
    return overflow ? Cell() : Cell(bytes);
}

Cell area(const Machine& machine) {
    const Cell sram = sram_bytes(machine);
    if (!is_number(sram)) {
        return {};
    }
    return static_cast<double>(machine.pe_count()) + number_of(sram) / sram_bytes_per_pe;
}

const std::vector<Metric>& point_metrics() {
    static const Metrics metrics = make_point_metrics();
    return metrics;
}

const std::vector<Metric>& layer_metrics() {
    static const Metrics metrics = make_layer_metrics();
    return metrics;
}

} // namespace systole
