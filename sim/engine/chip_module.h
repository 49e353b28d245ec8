// The machine on the kernel: cores, host link and memory, woken only in the cycles in which something happens.
#pragma once

#include <systemc>

#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "memory/hbm_module.h"
#include "memory/memory_port_module.h"
#include "pe/array_grid.h"
#include "sim/engine/core.h"
#include "sim/engine/host_link.h"

namespace systole {

struct ChipConfig {
    TimeBase time{1};
    std::vector<CoreConfig> cores;
    HbmConfig hbm;
    PcieConfig pcie;
    DataOrigin from = DataOrigin::hbm;
    Cycles max_cycles = unlimited;
    std::function<void(Cycles)> progress;             // called now and then with the present cycle
    std::function<void(Cycles)> watch;    // waveforms: before the PEs latch, in each cycle that moves them
};

class ChipModule : public sc_core::sc_module {
  public:
    // grids: one per core, or empty (tile engine); they outlive the chip. clock: what their PEs latch at.
    ChipModule(sc_core::sc_module_name name, const ChipConfig& config, const std::vector<ArrayGrid*>& grids);

    SC_HAS_PROCESS(ChipModule);

    sc_core::sc_signal<bool, sc_core::SC_MANY_WRITERS> clock{"clock"}; // raised by step, lowered by latch

    // After the run: the number of cycles. Throws InternalError if the machine came to rest before it was done.
    Cycles finish();
    std::vector<std::unique_ptr<Core>>& cores() { return cores_; }
    const HostLink* host() const { return host_.get(); }
    std::int64_t activations() const { return activations_; }
    std::string waiting_for() const;

  private:
    void step();
    void advance_machine();
    void schedule_next();
    void latch();
    void collect();
    template <typename Action>
    void guarded(Action action);
    void wake(Ticks at);
    bool done() const;
    Cycles next_event() const;
    std::unique_ptr<MemoryPortModule> make_port(const std::string& name, int ids);

    ChipConfig config_;
    std::vector<ArrayGrid*> grids_;
    std::unique_ptr<HbmModule> hbm_;
    std::vector<std::unique_ptr<MemoryPortModule>> ports_;
    std::unique_ptr<HostLink> host_;
    std::vector<std::unique_ptr<Core>> cores_;
    sc_core::sc_event step_event_, latch_event_, collect_event_;
    Cycles now_ = -1;
    Cycles cores_end_ = -1; // when the last core was done
    Cycles end_ = -1;
    std::int64_t activations_ = 0;
    std::exception_ptr failure_; // the kernel would turn it into a report of its own
};

} // namespace systole
