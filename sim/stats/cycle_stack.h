// The cycle stack: every PE-slot has exactly one cause (docs/model.md, "Where the cycles go").
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace systole {

enum class Cause {
    useful,          // a MAC was done
    padding,         // a vector passed a PE that its tile does not use; an array or core with no tile left
    stationary_load, // the port waits while the stationary tile shifts in
    fill_drain,      // the wave fills and drains, once per back-to-back sequence of passes
    vmem,            // VMEM had not delivered a vector, a row or a result
    vmem_capacity,   // no free buffer in VMEM
    hbm_bandwidth,   // HBM was moving data
    hbm_latency,     // HBM was asked and moved nothing
    pcie,            // the data was still on its way from or to the host
    vector,          // the vector unit was busy
    control          // min_rows, swap_period, idle cycles asked for, issue
};

inline constexpr std::array all_causes{Cause::useful, Cause::padding,       Cause::stationary_load, Cause::fill_drain,
                                       Cause::vmem,   Cause::vmem_capacity, Cause::hbm_bandwidth,   Cause::hbm_latency,
                                       Cause::pcie,   Cause::vector,        Cause::control};

std::string_view name(Cause cause);        // the JSON key
std::string_view description(Cause cause); // one line for people

class CycleStack {
  public:
    std::int64_t& operator[](Cause cause) { return slots_[static_cast<std::size_t>(cause)]; }
    std::int64_t operator[](Cause cause) const { return slots_[static_cast<std::size_t>(cause)]; }
    std::int64_t total() const;
    CycleStack& operator+=(const CycleStack& other);
    bool operator==(const CycleStack&) const = default;

  private:
    std::array<std::int64_t, all_causes.size()> slots_{};
};

} // namespace systole
