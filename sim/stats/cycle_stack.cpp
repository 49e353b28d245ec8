#include "sim/stats/cycle_stack.h"

#include <numeric>

namespace systole {

namespace {

struct CauseText {
    std::string_view name;
    std::string_view description;
};

// In the order of the enumeration.
constexpr std::array<CauseText, all_causes.size()> texts{{
    {"useful", "a multiply-accumulate was done"},
    {"padding", "a vector passed PEs that its tile does not use, or an array had no tile"},
    {"stationary_load", "the array waited while the stationary tile shifted in"},
    {"fill_drain", "the wave filled and drained the array"},
    {"vmem", "VMEM had not yet delivered a vector or taken a result"},
    {"vmem_capacity", "no free tile buffer in VMEM"},
    {"hbm_bandwidth", "HBM was moving data"},
    {"hbm_latency", "HBM had been asked and moved nothing"},
    {"pcie", "data was on its way from or to the host"},
    {"vector", "the vector unit was busy"},
    {"control", "control kept passes apart (min_rows, swap_period, idle cycles, issue)"},
}};

} // namespace

std::string_view name(Cause cause) { return texts[static_cast<std::size_t>(cause)].name; }

std::string_view description(Cause cause) { return texts[static_cast<std::size_t>(cause)].description; }

std::int64_t CycleStack::total() const { return std::accumulate(slots_.begin(), slots_.end(), std::int64_t{0}); }

CycleStack& CycleStack::operator+=(const CycleStack& other) {
    for (const Cause cause : all_causes) {
        (*this)[cause] += other[cause];
    }
    return *this;
}

} // namespace systole
