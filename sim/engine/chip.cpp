#include "sim/engine/chip.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/base/error.h"

namespace systole {

Chip::Chip(const ChipConfig& config, const std::vector<ArrayGrid*>& grids, const MakePort& make_port,
           const Attach& attach) {
    if (config.from == DataOrigin::host) {
        const auto& dma = config.cores.front().dma;
        auto& port = make_port("host_port", 2 * dma.outstanding);
        host_ = std::make_unique<HostLink>(config.pcie, dma, config.time, port);
        host_->watch(config.timeline);
        attach(port, *host_);
    }
    for (std::size_t i = 0; i < config.cores.size(); ++i) {
        const auto& core = config.cores[i];
        if (host_)
            host_->add_core(core.units());
        MemoryPort* port = nullptr;
        if (config.from != DataOrigin::vmem)
            port = &make_port(fmt::format("core{}_dma", i), 2 * core.dma.in_flight());
        auto* grid = grids.empty() ? nullptr : grids[i];
        cores_.push_back(std::make_unique<Core>(core, config.time, port, host_.get(), grid));
        if (port)
            attach(*port, *cores_.back());
    }
}

void Chip::step(Cycles now) {
    now_ = now;
    if (host_)
        host_->step(now);
    for (auto& core : cores_)
        core->step(now);
    if (host_)
        host_->step(now); // results that the cores have just stored
    if (!std::all_of(cores_.begin(), cores_.end(), [](const auto& core) { return core->end() >= 0; }))
        return;
    if (cores_end_ < 0) {
        for (const auto& core : cores_)
            cores_end_ = std::max(cores_end_, core->end());
        if (host_)
            host_at_cores_end_ = host_->account_up();
    }
    if (!host_) {
        end_ = cores_end_;
    } else if (host_->done()) {
        end_ = std::max(now, cores_end_);
    }
}

Cycles Chip::next_event() const {
    Cycles next = host_ ? host_->next_event() : unlimited;
    for (const auto& core : cores_)
        next = std::min(next, core->next_event());
    return next == unlimited ? unlimited : std::max(next, now_ + 1);
}

std::vector<AheadUnits> Chip::take_ahead() {
    std::vector<AheadUnits> units;
    for (auto& core : cores_)
        units.push_back(core->take_ahead());
    return units;
}

std::string Chip::waiting_for() const {
    std::string text;
    for (std::size_t i = 0; i < cores_.size(); ++i)
        text += fmt::format("core {}: {}; ", i, cores_[i]->waiting_for());
    return text + "host: " + (host_ ? host_->waiting_for() : "none");
}

Cycles Chip::finish() {
    if (end_ < 0)
        throw InternalError(fmt::format("deadlock in cycle {}: {}", now_, waiting_for()));
    const HostTail tail{host_at_cores_end_, host_ ? host_->account_up() : WaitAccount{}};
    for (auto& core : cores_)
        core->finish(cores_end_, end_, tail);
    return end_;
}

} // namespace systole
