#include "sim/report/counters.h"

#include <fmt/format.h>

#include "pe/format.h"

namespace systole {

namespace {

using Result = OperatorResult;
using Counters = std::vector<Counter>;

template <typename Get>
void add(Counters& counters, std::string path, std::string unit, std::string help, Get get) {
    counters.push_back({std::move(path), std::move(unit), std::move(help),
                        [get](const Result& result) { return std::optional<Json>(get(result)); }});
}

// Bank: the first of its banks, null where they are unlimited.
Json allocation_json(const std::vector<VmemBuffer>& allocation) {
    Json list = Json::array();
    for (const VmemBuffer& buffer : allocation) {
        const bool own = buffer.banks == unlimited;
        list.push_back({{"name", buffer.name},
                        {"address", buffer.address},
                        {"bytes", buffer.bytes},
                        {"bank", own ? Json(nullptr) : Json(buffer.first_bank)},
                        {"banks", own ? Json(nullptr) : Json(buffer.banks)}});
    }
    return list;
}

std::string dtype_text(const OperandFormats& formats) {
    if (formats.a == formats.b && formats.a == formats.c) {
        return std::string(name(formats.a));
    }
    return fmt::format("{},{},{}", name(formats.a), name(formats.b), name(formats.c));
}

Json window_json(const ConvolutionWindow& window) {
    const Padding& padding = window.padding;
    return {{"batch", window.batch},
            {"channels", window.channels},
            {"height", window.height},
            {"width", window.width},
            {"outputs", window.outputs},
            {"kernel", window.kernel},
            {"stride", window.stride},
            {"dilation", window.dilation},
            {"padding", {padding.top, padding.left, padding.bottom, padding.right}}};
}

struct OperandHome {
    const char* name;
    Home OperandHomes::*home;
    const char* help;
};

constexpr std::array<OperandHome, 3> operand_homes{{{"A", &OperandHomes::a, "A is when the operator begins"},
                                                    {"B", &OperandHomes::b, "B is when the operator begins"},
                                                    {"C", &OperandHomes::c, "C is when it has ended"}}};

// The host's stages and transfers know bytes alone.
bool is_on_chip(const Result& result) {
    return result.kind != "host" && result.kind != "transfer" && result.kind != "none";
}

std::string place_name(Home home, DataOrigin from) {
    return home == Home::vmem ? "vmem" : home == Home::hbm ? "hbm" : std::string(name(from));
}

// Of operators that are one task of the arrays.
void add_homes(Counters& to) {
    for (const OperandHome& one : operand_homes) {
        to.push_back({fmt::format("homes.{}", one.name), "text",
                      fmt::format("where {}: vmem, hbm or host; of a single matrix task", one.help),
                      [home = one.home](const Result& r) {
                          return r.tasks == 1 && r.m > 0 ? std::optional<Json>(place_name(r.homes.*home, r.from))
                                                         : std::nullopt;
                      }});
    }
}

void add_problem(Counters& to) {
    add(to, "name", "text", "name of the operator; \"total\" for the whole run", [](auto& r) { return r.name; });
    add(to, "kind", "text", "kind of the operator", [](auto& r) { return r.kind; });
    add(to, "m", "elements", "rows of A and C; 0 in a total of different shapes", [](auto& r) { return r.m; });
    add(to, "n", "elements", "columns of B and C; 0 in a total of different shapes", [](auto& r) { return r.n; });
    add(to, "k", "elements", "columns of A, rows of B; 0 in a total of different shapes", [](auto& r) { return r.k; });
    to.push_back({"count", "", "products of m, n and k: groups of a convolution; left out if it is one",
                  [](const Result& r) { return r.count > 1 ? std::optional<Json>(r.count) : std::nullopt; }});
    to.push_back(
        {"window", "object",
         "of a convolution: batch, channels of a group, height, width, and as [height, width] outputs, kernel, "
         "stride and dilation; padding as [top, left, bottom, right]",
         [](const Result& r) { return r.window ? std::optional<Json>(window_json(*r.window)) : std::nullopt; }});
    add(to, "tasks", "",
        "of the arrays and the vector unit (and stages of the host, transfers), of which it is the sum",
        [](auto& r) { return r.tasks; });
    add(to, "dataflow", "text | null", "ws, os or is: the operand that stays in the array; null: no product",
        [](auto& r) { return r.macs > 0 ? Json(std::string(short_name(r.dataflow))) : Json(nullptr); });
    add(to, "dtype", "text | null",
        "stored number format, or those of A,B,C if they differ; null: a stage of the host, a transfer, or nothing",
        [](auto& r) { return is_on_chip(r) ? Json(dtype_text(r.formats)) : Json(nullptr); });
    add(to, "sparsity", "text", "dense, or the structure of the zeros of B: 2:4",
        [](auto& r) { return systole::name(r.sparsity); });
    add(to, "from", "text", "where the operands are at cycle 0 and the result ends: vmem, hbm or host",
        [](auto& r) { return std::string(name(r.from)); });
    add(to, "tile.m", "elements", "rows of A and C of one VMEM tile", [](auto& r) { return r.tile.m; });
    add(to, "tile.n", "elements", "columns of B and C of one VMEM tile", [](auto& r) { return r.tile.n; });
    add(to, "tile.k", "elements", "columns of A, rows of B of one VMEM tile", [](auto& r) { return r.tile.k; });
    const auto of_operator = [&](std::string path, std::string unit, std::string help, auto get) {
        to.push_back({std::move(path), std::move(unit), std::move(help), [get](const Result& r) {
                          return r.mapping ? std::optional<Json>(get(*r.mapping)) : std::nullopt;
                      }});
    };
    of_operator("mapping.dataflow", "text", "that of the mapping, as in a mapping file",
                [](auto& m) { return std::string(short_name(m.dataflow)); });
    of_operator("mapping.tile", "list", "M, N and K of a VMEM tile of the largest core's part", [](auto& m) {
        return Json{m.tile.m, m.tile.n, m.tile.k};
    });
    of_operator("mapping.order", "text", "loops over the tiles, outermost first: mnk or nmk",
                [](auto& m) { return std::string(name(m.order)); });
    of_operator("mapping.sharing", "text", "what the arrays of a core share, each a part of it: m or n",
                [](auto& m) { return std::string(name(m.sharing)); });
    of_operator("mapping.products", "products", "products whose operands one tile in VMEM holds",
                [](auto& m) { return m.products; });
    add_homes(to);
    add(to, "prefetched_bytes", "bytes",
        "of B, in VMEM already when the operator of a network began; of the whole run their sum",
        [](auto& r) { return r.prefetched; });
    add(to, "passes", "", "uses of an array with one stationary tile", [](auto& r) { return r.passes; });
}

void add_result(Counters& to) {
    add(to, "macs", "MACs", "multiply-accumulates done; with sparsity at the stored positions of B",
        [](auto& r) { return r.macs; });
    add(to, "dense_macs", "MACs", "M*N*K * count", [](auto& r) { return r.dense_macs; });
    add(to, "flops", "FLOP", "2 * macs", [](auto& r) { return r.flops(); });
    add(to, "cycles", "cycles", "from the first request to the last byte of C accepted where it ends",
        [](auto& r) { return r.cycles; });
    add(to, "seconds", "s", "cycles / clock", [](auto& r) { return r.seconds; });
    add(to, "array_utilization", "", "macs / pe_slots", [](auto& r) { return r.array_utilization(); });
    add(to, "mapping_efficiency", "", "useful / (useful + padding) of the cycle stack",
        [](auto& r) { return r.mapping_efficiency(); });
    add(to, "roofline_efficiency", "", "lower bound of the roofline / simulated time; 1 of what takes none",
        [](auto& r) { return r.roofline_efficiency(); });
    add(to, "verified", "true | false | null", "the product equals the reference; null: not checked",
        [](auto& r) { return r.verified ? Json(*r.verified) : Json(nullptr); });
    add(to, "pe_slots", "PE-slots", "rows * columns * arrays * cores * MACs per PE and cycle * cycles",
        [](auto& r) { return r.pe_slots; });
    add(to, "kernel_events", "", "process activations of the SystemC kernel", [](auto& r) { return r.kernel_events; });
    add(to, "vmem_conflict_cycles", "cycles",
        "in which clients of VMEM waited for a bank, summed over clients and cores",
        [](auto& r) { return r.vmem_conflict_cycles; });
    to.push_back({"vmem_allocation", "list",
                  "the first core's VMEM buffers: name, address, bytes, bank (the first; null: unlimited), banks",
                  [](const Result& r) {
                      return r.vmem_allocation.empty() ? std::nullopt
                                                       : std::optional(allocation_json(r.vmem_allocation));
                  }});
}

void add_stack(Counters& to) {
    for (const Cause cause : all_causes) {
        add(to, fmt::format("cycle_stack.{}", name(cause)), "PE-slots", std::string(description(cause)),
            [cause](auto& r) { return r.stack[cause]; });
    }
}

struct Level {
    const char* name;
    LevelTraffic Traffic::*traffic;
    bool holds_c; // PE registers hold partial sums alone; the result leaves from the accumulator
    const char* read;
    const char* write;
    const char* accesses;
};

constexpr std::array<Level, 5> levels{{
    {"pe", &Traffic::pe, false, "read from PE registers", "written to PE registers", "register reads and writes"},
    {"accumulator", &Traffic::accumulator, true, "read from the accumulators", "written to the accumulators",
     "vectors read and written"},
    {"vmem", &Traffic::vmem, true, "read from VMEM", "written to VMEM", "requests to VMEM"},
    {"hbm", &Traffic::hbm, true, "read from HBM", "written to HBM", "requests to HBM"},
    {"pcie", &Traffic::pcie, true, "moved from the device to the host", "moved from the host to the device",
     "requests over PCIe"},
}};

struct Operand {
    const char* name;
    Bytes OperandBytes::*bytes;
    const char* what;
};

constexpr std::array<Operand, 6> operands{{
    {"A", &OperandBytes::a, "bytes of A"},
    {"B", &OperandBytes::b, "bytes of B's values"},
    {"C", &OperandBytes::c, "bytes of C"},
    {"psum", &OperandBytes::psum, "bytes of partial sums"},
    {"meta", &OperandBytes::meta, "bytes of the indices of a sparse B"},
    {"vector", &OperandBytes::vector, "bytes of the vector unit's operands and results"},
}};

void add_direction(Counters& to, const Level& level, OperandBytes LevelTraffic::*direction, const char* direction_name,
                   const char* verb) {
    for (const Operand& operand : operands) {
        const bool indices_to_accumulator =
            operand.bytes == &OperandBytes::meta && level.traffic == &Traffic::accumulator;
        const bool inside_core = level.traffic == &Traffic::pe || level.traffic == &Traffic::accumulator;
        if (inside_core && operand.bytes == &OperandBytes::vector)
            continue; // the vector unit is beside the array
        if (indices_to_accumulator || (operand.bytes == &OperandBytes::c && !level.holds_c)) {
            continue;
        }
        add(to, fmt::format("bytes.{}.{}.{}", level.name, direction_name, operand.name), "bytes",
            fmt::format("{} {}", operand.what, verb),
            [traffic = level.traffic, direction, bytes = operand.bytes](auto& r) {
                return r.traffic.*traffic.*direction.*bytes;
            });
    }
}

void add_traffic(Counters& to) {
    for (const Level& level : levels) {
        add_direction(to, level, &LevelTraffic::read, "read", level.read);
        add_direction(to, level, &LevelTraffic::write, "write", level.write);
        add(to, fmt::format("bytes.{}.accesses", level.name), "", level.accesses,
            [traffic = level.traffic](auto& r) { return (r.traffic.*traffic).accesses; });
    }
}

struct Direction {
    const char* name;
    DirectionUse PcieUse::*use;
    const char* moves;
};

constexpr std::array<Direction, 2> directions{{{"to_device", &PcieUse::to_device, "completions of DMA reads"},
                                               {"to_host", &PcieUse::to_host, "DMA writes and read requests"}}};

struct LinkPart {
    const char* name;
    std::int64_t LinkTime::*cycles;
    const char* help;
};

constexpr std::array<LinkPart, 4> link_parts{{
    {"payload", &LinkTime::payload, "moved payload"},
    {"protocol", &LinkTime::protocol, "moved headers and requests, or kept the link up (DLLPs)"},
    {"latency", &LinkTime::latency, "moved nothing although something was asked for: round trip, tags, credits"},
    {"idle", &LinkTime::idle, "was asked for nothing"},
}};

// Of runs from the host, and of networks with transfers.
template <typename Get>
void add_of_link(Counters& to, std::string path, std::string unit, std::string help, Get get) {
    to.push_back({std::move(path), std::move(unit), std::move(help), [get](const Result& r) {
                      const bool has_link = r.from == DataOrigin::host || r.traffic.pcie.total() > 0;
                      return has_link ? std::optional<Json>(get(r.pcie)) : std::nullopt;
                  }});
}

struct HbmPart {
    const char* name;
    const char* help;
    Cycles HbmUse::*cycles;
};

constexpr std::array hbm_parts{
    HbmPart{"data", "HBM: data was on the bus", &HbmUse::data},
    HbmPart{"row", "HBM: a request waited for a row to be opened or closed, or for its bank group", &HbmUse::row},
    HbmPart{"turnaround", "HBM: the bus turned between reads and writes", &HbmUse::turnaround},
    HbmPart{"refresh", "HBM: the bank asked for was in refresh", &HbmUse::refresh},
    HbmPart{"idle", "HBM: nothing waited", &HbmUse::idle}};

// Of runs whose HBM is made of stacks; an ideal memory has no such time.
void add_hbm(Counters& to) {
    for (const HbmPart& part : hbm_parts) {
        to.push_back({fmt::format("hbm_time.{}", part.name), "cycles",
                      fmt::format("{}, mean of pseudo-channels", part.help),
                      [cycles = part.cycles](const Result& r) -> std::optional<Json> {
                          return r.hbm.accesses > 0 ? std::optional<Json>(r.hbm.*cycles) : std::nullopt;
                      }});
    }
    to.push_back({"hbm_row_hit_rate", "", "HBM: column commands that found their row open, of all",
                  [](const Result& r) -> std::optional<Json> {
                      return r.hbm.accesses > 0 ? std::optional<Json>(static_cast<double>(r.hbm.row_hits) /
                                                                      static_cast<double>(r.hbm.accesses))
                                                : std::nullopt;
                  }});
}

void add_link(Counters& to) {
    for (const Direction& direction : directions) {
        add_of_link(to, fmt::format("pcie_wire_bytes.{}", direction.name), "bytes",
                    fmt::format("whole packets on the link: {}", direction.moves),
                    [use = direction.use](const PcieUse& pcie) { return (pcie.*use).wire_bytes; });
        for (const LinkPart& part : link_parts) {
            add_of_link(
                to, fmt::format("pcie_time.{}.{}", direction.name, part.name), "cycles",
                fmt::format("in which this direction {}", part.help),
                [use = direction.use, cycles = part.cycles](const PcieUse& pcie) { return (pcie.*use).time.*cycles; });
        }
    }
}

template <typename Field>
void add_level(Counters& to, const std::string& level, const char* key, const char* unit, const std::string& help,
               Field RooflineLevel::*field) {
    to.push_back({fmt::format("roofline.levels.{}.{}", level, key), unit, help,
                  [level, field](const Result& r) -> std::optional<Json> {
                      const auto found = r.roofline.levels.find(level);
                      if (found == r.roofline.levels.end()) {
                          return std::nullopt;
                      }
                      return Json(found->second.*field);
                  }});
}

void add_roofline(Counters& to) {
    add(to, "roofline.peak_flops", "FLOP/s", "peak of the simulated machine",
        [](auto& r) { return r.roofline.peak_flops; });
    add(to, "roofline.t_math_s", "s", "flops / peak", [](auto& r) { return r.roofline.t_math_s; });
    add(to, "roofline.t_vector_s", "s", "operations of the vector units / their rate",
        [](auto& r) { return r.roofline.t_vector_s; });
    add(to, "roofline.lower_bound_s", "s", "the largest of t_math_s, t_vector_s and the seconds of every level",
        [](auto& r) { return r.roofline.lower_bound_s; });
    add(to, "roofline.upper_bound_s", "s", "t_math_s, t_vector_s and the seconds of every level, summed",
        [](auto& r) { return r.roofline.upper_bound_s; });
    add(to, "roofline.bound", "text",
        "what sets the lower bound: compute, vector, vmem, hbm, pcie or host; none: nothing takes time",
        [](auto& r) { return r.roofline.bound; });
    for (const std::string level : {"vmem", "hbm", "pcie"}) {
        add_level(to, level, "compulsory_bytes", "bytes", "each operand crosses the level once",
                  &RooflineLevel::compulsory_bytes);
        add_level(to, level, "tiled_bytes", "bytes", "what the chosen tiling must move", &RooflineLevel::tiled_bytes);
        add_level(to, level, "bytes_per_second", "bytes/s", "bandwidth; 0: unlimited",
                  &RooflineLevel::bytes_per_second);
        add_level(to, level, "intensity", "FLOP/byte",
                  level == "pcie" ? "flops / compulsory bytes of the busier direction" : "flops / compulsory bytes",
                  &RooflineLevel::intensity);
        add_level(to, level, "tiled_intensity", "FLOP/byte", "flops / tiled bytes", &RooflineLevel::tiled_intensity);
        add_level(to, level, "ridge", "FLOP/byte", "peak / bandwidth; 0: unlimited bandwidth", &RooflineLevel::ridge);
        add_level(to, level, "seconds", "s",
                  level == "pcie" ? "compulsory bytes of the busier direction / bandwidth"
                                  : "compulsory bytes / bandwidth",
                  &RooflineLevel::seconds);
    }
    add_level(to, "host", "seconds", "s", "time of the host's stages", &RooflineLevel::seconds);
}

Counters make_operator_counters() {
    Counters counters;
    add_problem(counters);
    add_result(counters);
    add_stack(counters);
    add_traffic(counters);
    add_hbm(counters);
    add_link(counters);
    add_roofline(counters);
    return counters;
}

} // namespace

const std::vector<Counter>& operator_counters() {
    static const Counters counters = make_operator_counters();
    return counters;
}

const std::vector<Counter>& run_counters() {
    static const Counters counters{
        {"schema_version", "", "1; grows when a key changes its meaning", {}},
        {"chip", "text", "name of the chip file", {}},
        {"engine", "text", "structural, flat or tile", {}},
        {"clock_hz", "Hz", "clock of the cores", {}},
        {"operators", "list", "one object per operator, in order", {}},
        {"total", "object", "the same keys for the whole run", {}},
        {"skipped", "list", "of ONNX models, with --skip-unsupported: operators that were left out, if any", {}},
    };
    return counters;
}

} // namespace systole
