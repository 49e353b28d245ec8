#include "sim/engine/chip_module.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/kernel/session.h"

namespace systole {

namespace {
constexpr std::int64_t steps_between_progress = 1024;
}

ChipModule::ChipModule(sc_core::sc_module_name name, const ChipConfig& config, const std::vector<ArrayGrid*>& grids)
    : sc_module(name), config_(config), grids_(grids) {
    const bool memory = config.from != DataOrigin::vmem;
    if (memory) hbm_ = std::make_unique<HbmModule>("hbm", config.hbm, config.time);
    MemoryPortModule* host_port = nullptr;
    if (config.from == DataOrigin::host) {
        const auto& dma = config.cores.front().dma;
        ports_.push_back(make_port("host_port", 2 * dma.outstanding));
        host_port = ports_.back().get();
        host_ = std::make_unique<HostLink>(config.pcie, dma, config.time, *host_port);
        host_port->attach(host_.get());
    }
    for (std::size_t i = 0; i < config.cores.size(); ++i) {
        const auto& core = config.cores[i];
        if (host_) host_->add_core(core.sequencer.mapping, core.sequencer.limits, core.operands);
        MemoryPortModule* port = nullptr;
        if (memory) {
            ports_.push_back(make_port(fmt::format("core{}_dma", i), 2 * core.dma.outstanding));
            port = ports_.back().get();
        }
        cores_.push_back(std::make_unique<Core>(core, config.time, port, host_.get(), grids.empty() ? nullptr : grids[i]));
        if (port) port->attach(cores_.back().get());
    }
    SC_METHOD(step);
    sensitive << step_event_;
    SC_METHOD(latch);
    sensitive << latch_event_;
    dont_initialize();
    SC_METHOD(collect);
    sensitive << collect_event_;
    dont_initialize();
}

std::unique_ptr<MemoryPortModule> ChipModule::make_port(const std::string& name, int ids) {
    auto port = std::make_unique<MemoryPortModule>(
        name.c_str(), ids, [this](Ticks now) { return hbm_->busy_before(now); }, [this](Ticks at) { wake(at); });
    port->socket.bind(hbm_->socket);
    return port;
}

// The kernel would swallow the type of an exception that leaves a process.
template <typename Action>
void ChipModule::guarded(Action action) {
    if (failure_) return;
    try {
        action();
    } catch (...) {
        failure_ = std::current_exception();
    }
}

bool ChipModule::done() const {
    return std::all_of(cores_.begin(), cores_.end(), [](const auto& core) { return core->done() && core->end() >= 0; }) &&
           (!host_ || host_->done());
}

Cycles ChipModule::next_event() const {
    Cycles next = host_ ? host_->next_event() : unlimited;
    for (const auto& core : cores_) next = std::min(next, core->next_event());
    return next;
}

void ChipModule::wake(Ticks at) {
    const Ticks target = config_.time.at(config_.time.cycle_at_or_after(at));
    const Ticks now = kernel_ticks(sc_core::sc_time_stamp());
    step_event_.notify(kernel_time(std::max<Ticks>(0, target - now)));
}

void ChipModule::advance_machine() {
    if (host_) host_->step(now_);
    for (auto& core : cores_) core->step(now_);
    if (host_) host_->step(now_); // results that the cores have just stored
    const bool cores_done = std::all_of(cores_.begin(), cores_.end(), [](const auto& c) { return c->end() >= 0; });
    if (cores_done && cores_end_ < 0) {
        for (const auto& core : cores_) cores_end_ = std::max(cores_end_, core->end());
    }
    if (done()) end_ = host_ ? std::max(now_, cores_end_) : cores_end_;
}

void ChipModule::schedule_next() {
    const bool moving = std::any_of(grids_.begin(), grids_.end(), [this](auto* g) { return g->active(now_ + 1); });
    const Cycles next = moving ? now_ + 1 : next_event();
    if (next == unlimited) return;
    wake(config_.time.at(std::max(next, now_ + 1)));
}

void ChipModule::step() {
    guarded([this] {
        now_ = config_.time.cycle_at_or_after(kernel_ticks(sc_core::sc_time_stamp()));
        ++activations_;
        advance_machine();
        if (end_ >= 0) return;
        if (now_ > config_.max_cycles) {
            throw InputError(fmt::format("the run has passed {} cycles (raise --max-cycles)", config_.max_cycles));
        }
        if (config_.progress && activations_ % steps_between_progress == 0) config_.progress(now_);
        bool driven = false;
        for (std::size_t i = 0; i < grids_.size(); ++i) {
            if (!grids_[i]->active(now_)) continue;
            grids_[i]->drive(now_, cores_[i]->vmem());
            driven = true;
        }
        if (driven) {
            clock.write(true);
            latch_event_.notify(kernel_time(config_.time.per_cycle() / 2));
        }
        schedule_next();
    });
}

void ChipModule::latch() {
    if (config_.watch) guarded([this] { config_.watch(now_); });
    clock.write(false);
    collect_event_.notify(kernel_time(config_.time.per_cycle() / 4));
}

void ChipModule::collect() {
    guarded([this] {
        for (auto* grid : grids_) grid->collect(now_);
    });
}

std::string ChipModule::waiting_for() const {
    std::string text;
    for (std::size_t i = 0; i < cores_.size(); ++i) text += fmt::format("core {}: {}; ", i, cores_[i]->waiting_for());
    return text + "host: " + (host_ ? host_->waiting_for() : "none");
}

Cycles ChipModule::finish() {
    if (failure_) std::rethrow_exception(failure_);
    if (end_ < 0) throw InternalError(fmt::format("deadlock in cycle {}: {}", now_, waiting_for()));
    for (auto& core : cores_) core->finish(cores_end_, end_);
    return end_;
}

} // namespace systole
