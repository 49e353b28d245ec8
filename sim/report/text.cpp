#include "sim/report/text.h"

#include <fmt/format.h>

#include "sim/report/numbers.h"
#include "sim/report/wrap.h"

namespace systole {

namespace {

constexpr const char* indent = "          ";

std::string formats_text(const OperandFormats& formats) {
    if (formats.a == formats.b && formats.a == formats.c) {
        return std::string(name(formats.a));
    }
    return fmt::format("A {}, B {}, C {}", name(formats.a), name(formats.b), name(formats.c));
}

std::string vmem_bandwidth(const Machine& machine) {
    if (machine.vmem.bandwidth == unlimited) {
        return "unlimited";
    }
    return bandwidth_text(static_cast<double>(machine.vmem.bandwidth) * static_cast<double>(machine.clock));
}

std::string link_bandwidth(BytesPerSecond bandwidth) {
    return bandwidth == unlimited ? "unlimited" : bandwidth_text(static_cast<double>(bandwidth));
}

const char* place_text(DataOrigin from) {
    switch (from) {
    case DataOrigin::vmem:
        return "VMEM";
    case DataOrigin::host:
        return "host memory";
    case DataOrigin::hbm:
        break;
    }
    return "HBM";
}

const char* verified_text(std::optional<bool> verified) {
    if (!verified) {
        return "not checked";
    }
    return *verified ? "equal to the reference" : "WRONG";
}

// Names come from files: control characters become '?', and a name longer than `width` ends in '~'.
std::string shown(const std::string& whole, std::size_t width) {
    const std::string name = printable(whole);
    return name.size() <= width ? name : name.substr(0, width - 1) + "~";
}

std::string plural(std::int64_t count, const std::string& noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// What of the mapping is a choice: the order of one row or column of tiles is none.
std::string loops_text(const OperatorResult& result) {
    if (!result.mapping || (result.tile.m >= result.m || result.tile.n >= result.n)) {
        return "";
    }
    return result.mapping->order == LoopOrder::mnk ? ", M outermost" : ", N outermost";
}

// Only where there are several arrays to share anything.
std::string sharing_text(const Machine& machine, const OperatorResult& result) {
    if (!result.mapping || machine.array.count == 1) {
        return "";
    }
    return result.mapping->sharing == Sharing::m ? ", arrays share M" : ", arrays share N";
}

} // namespace

std::string machine_text(const Machine& machine, const RunResult& result) {
    std::string text = wrap("Machine   ", shown(machine.name, 60) + ": " + shown(machine.description, 300)) + "\n";
    const OperatorResult& total = result.total;
    text += wrap(indent, fmt::format("{} with {} of {} x {} PEs each at {}; peak {}", plural(machine.cores, "core"),
                                     plural(machine.array.count, "array"), machine.array.rows, machine.array.cols,
                                     scaled(static_cast<double>(machine.clock), "Hz"),
                                     scaled(total.roofline.peak_flops, "FLOP/s"))) +
            "\n";
    text += wrap(indent, fmt::format("VMEM {} at {} per core; HBM {}; PCIe {} each way",
                                     bytes_text(machine.vmem.capacity), vmem_bandwidth(machine),
                                     link_bandwidth(machine.hbm.bandwidth), link_bandwidth(machine.pcie.bandwidth)));
    return text + "\n";
}

std::string operators_text(const RunResult& result) {
    std::string text = fmt::format("{:<22}{:>8}{:>8}{:>8}{:>14}{:>9} {:<8}\n", "Operators", "M", "N", "K", "cycles",
                                   "array %", "bound by");
    for (const OperatorResult& one : result.operators) {
        text += fmt::format("  {:<20}{:>8}{:>8}{:>8}{:>14}{:>9.2f} {}\n", shown(one.name, 20), count_text(one.m, 7),
                            count_text(one.n, 7), count_text(one.k, 7), count_text(one.cycles, 13),
                            100 * one.array_utilization(), one.roofline.bound);
    }
    return text;
}

std::string mappings_text(const RunResult& result) {
    std::string text =
        fmt::format("{:<22}{:>9}{:>24}{:>7}{:>10}\n", "Mappings", "dataflow", "tile MxNxK", "loops", "arrays");
    for (const OperatorResult& one : result.operators) {
        const MappingChoice choice = one.mapping.value_or(MappingChoice{});
        text += fmt::format("  {:<20}{:>9}{:>24}{:>7}{:>10}\n", shown(one.name, 20), short_name(choice.dataflow),
                            fmt::format("{}x{}x{}", choice.tile.m, choice.tile.n, choice.tile.k), name(choice.order),
                            fmt::format("share {}", name(choice.sharing)));
    }
    return text;
}

namespace {

std::string sides_text(const Pair& sides) { return fmt::format("{} x {}", sides[0], sides[1]); }

std::string convolution_text(const OperatorResult& result) {
    const ConvolutionWindow& w = *result.window;
    std::string text =
        fmt::format("convolution of {} of {} x {} x {} with {} of {}", plural(w.batch, "image"), w.height, w.width,
                    result.count * w.channels, plural(result.count * result.n, "filter"), sides_text(w.kernel));
    if (w.stride != Pair{1, 1})
        text += ", stride " + sides_text(w.stride);
    if (w.dilation != Pair{1, 1})
        text += ", dilation " + sides_text(w.dilation);
    if (w.padding != Padding{})
        text += fmt::format(", padding {}, {}, {}, {} (top, left, bottom, right)", w.padding.top, w.padding.left,
                            w.padding.bottom, w.padding.right);
    return text + fmt::format("; outputs {}", sides_text(w.outputs));
}

} // namespace

std::string problem_text(const Machine& machine, const OperatorResult& result) {
    if (result.kind == "vector") {
        const std::string what =
            fmt::format("{}: work of the vector unit, {}; data starts and ends in {}", shown(result.name, 40),
                        formats_text(result.formats), place_text(result.from));
        return wrap("Problem   ", what) + "\n";
    }
    const std::string sparsity = result.sparsity.dense() ? "" : fmt::format(" ({} sparse)", name(result.sparsity));
    std::string text = wrap("Problem   ", fmt::format("{}: C[{m} x {n}] = A[{m} x {k}] * B[{k} x {n}]{}, {}, {}",
                                                      shown(result.name, 40), sparsity, formats_text(result.formats),
                                                      long_name(result.dataflow), fmt::arg("m", result.m),
                                                      fmt::arg("n", result.n), fmt::arg("k", result.k))) +
                       "\n";
    if (result.window)
        text += wrap(indent, convolution_text(result)) + "\n";
    if (result.count > 1)
        text += wrap(indent, fmt::format("{} such products", result.count)) + "\n";
    text += wrap(indent, fmt::format("data starts and ends in {}; tiles of {} x {} x {} (M x N x K){}{}, {}",
                                     place_text(result.from), result.tile.m, result.tile.n, result.tile.k,
                                     loops_text(result), sharing_text(machine, result),
                                     result.passes == 1 ? "1 pass" : fmt::format("{} passes", result.passes)));
    return text + "\n";
}

std::string result_text(const OperatorResult& result, const std::string& engine) {
    const double rate = result.seconds > 0 ? static_cast<double>(result.flops()) / result.seconds : 0;
    std::string text = fmt::format("Result    {} cycles = {} ({} engine), {}\n", result.cycles,
                                   scaled(result.seconds, "s"), engine, scaled(rate, "FLOP/s"));
    text += fmt::format("{}product {}\n", indent, verified_text(result.verified));
    text += fmt::format("{}array utilization {}, mapping efficiency {}\n", indent,
                        percent_text(result.array_utilization()), percent_text(result.mapping_efficiency()));
    return text;
}

std::string text_report(const Machine& machine, const RunResult& result, LayerRows rows) {
    const bool single = result.operators.size() == 1 && !result.network;
    const OperatorResult& shown_result = single ? result.operators.front() : result.total;
    std::string text = machine_text(machine, result) + "\n";
    text += single           ? problem_text(machine, shown_result)
            : result.network ? layers_text(result, rows)
                             : operators_text(result) + "\n" + mappings_text(result);
    text += "\n" + result_text(shown_result, result.engine);
    text += "\n" + levels_text(shown_result);
    text += "\n" + roofline_text(shown_result);
    text += "\n" + stack_text(shown_result);
    return text;
}

} // namespace systole
