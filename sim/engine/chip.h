// The whole machine, advanced in cycles of the core clock from event to event: cores, host link, memory ports. Plain
// C++; the kernel drives it for a real run (chip_module.h), a loop drives it where only its time is asked (dry_run.h).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

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
    Timeline* timeline = nullptr; // null: nobody watches
};

class Chip {
  public:
    // A way to the memory for the client; `ids`: what its requests carry lies below.
    using MakePort = std::function<MemoryPort&(const std::string& name, int ids)>;
    // Connects a port to the client that its responses go to.
    using Attach = std::function<void(MemoryPort& port, MemoryClient& client)>;

    // grids: one per core, or empty (tile engine); they outlive the chip.
    Chip(const ChipConfig& config, const std::vector<ArrayGrid*>& grids, const MakePort& make_port,
         const Attach& attach);

    void step(Cycles now);
    Cycles next_event() const; // later than the step; `unlimited`: nothing will happen any more
    bool done() const { return end_ >= 0; }

    // After the run: books the tail and returns the number of cycles. Throws InternalError if the machine came to rest
    // before it was done.
    Cycles finish();

    const std::vector<std::unique_ptr<Core>>& cores() const { return cores_; }
    std::vector<AheadUnits> take_ahead(); // of each core, after the run
    const HostLink* host() const { return host_.get(); }
    std::string waiting_for() const;

  private:
    std::unique_ptr<HostLink> host_;
    std::vector<std::unique_ptr<Core>> cores_;
    Cycles now_ = -1;
    Cycles cores_end_ = -1; // when the last core was done
    WaitAccount host_at_cores_end_;
    Cycles end_ = -1;
};

} // namespace systole
