// The machine on the kernel, woken only in the cycles in which something happens. A cycle begins with a step of the
// machine and the arrays' edges; in its middle the PEs latch; after three quarters the results are collected.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include <systemc>

#include "memory/hbm_module.h"
#include "memory/memory_port_module.h"
#include "sim/engine/chip.h"
#include "sim/engine/external_memory.h"
#include "sim/engine/run.h"

namespace systole {

struct ChipWatch {
    Cycles max_cycles = unlimited;
    Cycles cycles_before = 0;             // of --max-cycles, what has run already
    std::function<void(Cycles)> progress; // called now and then with the present cycle
    std::function<void(Cycles)> sample;   // waveforms: before the PEs latch, in each cycle that moves them
};

class ChipModule : public sc_core::sc_module {
  public:
    // external: makes the memory that stands in for config.hbm; empty: the built-in one.
    ChipModule(sc_core::sc_module_name name, const ChipConfig& config, const std::vector<ArrayGrid*>& grids,
               ChipWatch watch, const ExternalMemoryFactory& external = {});

    SC_HAS_PROCESS(ChipModule);

    // Raised by a step, lowered when the PEs latch.
    sc_core::sc_signal<bool, sc_core::SC_MANY_WRITERS> clock{"clock"};

    // After the run: the number of cycles. Throws what stopped it, and EnvironmentError if an external memory did not
    // answer.
    Cycles finish();
    HbmUse hbm_use(Cycles cycles) { return hbm_ ? hbm_->device().use(cycles) : HbmUse{}; } // after finish()
    const Chip& chip() const { return *chip_; }
    Chip& chip() { return *chip_; }
    std::int64_t activations() const { return activations_; }

  private:
    void step();
    void latch();
    void collect();
    void drive_arrays();
    void schedule_next();
    void wake(Ticks at);
    void make_memory(const ChipConfig& config, const ExternalMemoryFactory& external);
    Ticks memory_busy_before(Ticks now);
    void check_cycles(Cycles cycle) const;
    void check_patience() const;
    template <typename Action>
    void guarded(Action action);

    TimeBase time_;
    ChipWatch watch_;
    std::vector<ArrayGrid*> grids_;
    std::unique_ptr<HbmModule> hbm_;               // or:
    std::unique_ptr<ExternalMemory> external_;     // in its place
    Ticks told_busy_ = 0, busy_ = 0, busy_at_ = 0; // what it said last, what is believed, of when
    Cycles patience_ends_ = unlimited;             // the cycle until which it may keep everybody waiting
    std::vector<std::unique_ptr<MemoryPortModule>> ports_;
    std::unique_ptr<Chip> chip_;
    sc_core::sc_event step_event_, latch_event_, collect_event_;
    Cycles now_ = -1;
    std::int64_t activations_ = 0;
    std::exception_ptr failure_; // the kernel would turn it into a report of its own
};

} // namespace systole
