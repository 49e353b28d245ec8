#include "sim/engine/chip_module.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/kernel/session.h"

namespace systole {

namespace {
constexpr std::int64_t steps_between_progress = 1024;

// An external memory with a clock of its own keeps the kernel going for ever. Nothing that answers at all takes so
// long, and a clocked model is through with it in seconds.
constexpr Cycles patience = 10'000'000;
} // namespace

ChipModule::ChipModule(sc_core::sc_module_name name, const ChipConfig& config, const std::vector<ArrayGrid*>& grids,
                       ChipWatch watch, const ExternalMemoryFactory& external)
    : sc_module(name), time_(config.time), watch_(std::move(watch)), grids_(grids) {
    if (config.from != DataOrigin::vmem)
        make_memory(config, external);
    const auto make_port = [this](const std::string& port_name, int ids) -> MemoryPort& {
        ports_.push_back(std::make_unique<MemoryPortModule>(
            port_name.c_str(), ids, [this](Ticks now) { return memory_busy_before(now); },
            [this](Ticks at) { wake(at); }));
        if (external_)
            external_->bind(ports_.back()->socket);
        else
            ports_.back()->socket.bind(hbm_->socket);
        return *ports_.back();
    };
    const auto attach = [](MemoryPort& port, MemoryClient& client) {
        static_cast<MemoryPortModule&>(port).attach(&client);
    };
    chip_ = std::make_unique<Chip>(config, grids, make_port, attach);
    SC_METHOD(step);
    sensitive << step_event_;
    SC_METHOD(latch);
    sensitive << latch_event_;
    dont_initialize();
    SC_METHOD(collect);
    sensitive << collect_event_;
    dont_initialize();
}

void ChipModule::make_memory(const ChipConfig& config, const ExternalMemoryFactory& external) {
    if (!external) {
        hbm_ = std::make_unique<HbmModule>("hbm", config.hbm, config.time);
        hbm_->device().watch(config.timeline);
        return;
    }
    external_ = external(config.time);
    if (!external_)
        throw InputError("RunOptions::external_memory made no memory (return one, or leave the option empty)");
}

// Of an external memory no more is believed than that it was busy all the time: the causes of waiting must add up.
Ticks ChipModule::memory_busy_before(Ticks now) {
    if (hbm_)
        return hbm_->device().busy_before(now);
    const Ticks told = external_->busy_before(now);
    busy_ += std::clamp<Ticks>(told - told_busy_, 0, std::max<Ticks>(0, now - busy_at_));
    told_busy_ = std::max(told, told_busy_);
    busy_at_ = std::max(now, busy_at_);
    return busy_;
}

void ChipModule::check_patience() const {
    if (now_ < patience_ends_)
        return;
    throw EnvironmentError(fmt::format("the external memory has answered nothing for {} cycles, until cycle {}: {}",
                                       patience, now_, chip_->waiting_for()));
}

// The kernel would swallow the type of an exception that leaves a process.
template <typename Action>
void ChipModule::guarded(Action action) {
    if (failure_)
        return;
    try {
        action();
    } catch (...) {
        failure_ = std::current_exception();
        sc_core::sc_stop();
    }
}

void ChipModule::wake(Ticks at) {
    const Ticks target = time_.at(time_.cycle_at_or_after(at));
    const Ticks now = kernel_ticks(sc_core::sc_time_stamp());
    step_event_.notify(kernel_time(std::max<Ticks>(0, target - now)));
}

void ChipModule::check_cycles(Cycles cycle) const {
    if (cycle <= watch_.max_cycles)
        return;
    throw InputError(fmt::format(
        "the run would pass {} cycles ({})", watch_.max_cycles + watch_.cycles_before,
        watch_.max_cycles < time_.max_cycles() ? "raise --max-cycles" : "the most that this clock's time base counts"));
}

void ChipModule::schedule_next() {
    const bool moving = std::any_of(grids_.begin(), grids_.end(), [this](auto* g) { return g->active(now_ + 1); });
    const Cycles next = moving ? now_ + 1 : chip_->next_event();
    patience_ends_ = unlimited;
    if (next != unlimited) {
        check_cycles(next);
        wake(time_.at(next));
    } else if (external_) { // an answer wakes us sooner
        patience_ends_ = now_ + patience;
        wake(time_.at(std::min(patience_ends_, watch_.max_cycles + 1)));
    }
}

void ChipModule::drive_arrays() {
    bool driven = false;
    for (std::size_t i = 0; i < grids_.size(); ++i) {
        if (!grids_[i]->active(now_))
            continue;
        grids_[i]->drive(now_, chip_->cores()[i]->vmem());
        driven = true;
    }
    if (!driven)
        return;
    clock.write(true);
    latch_event_.notify(kernel_time(time_.per_cycle() / 2));
}

void ChipModule::step() {
    guarded([this] {
        now_ = time_.cycle_at_or_after(kernel_ticks(sc_core::sc_time_stamp()));
        ++activations_;
        chip_->step(now_);
        if (chip_->done()) {
            sc_core::sc_stop(); // an external memory may have a clock, which would never come to rest
            return;
        }
        check_cycles(now_);
        check_patience();
        if (watch_.progress && activations_ % steps_between_progress == 0)
            watch_.progress(now_);
        drive_arrays();
        schedule_next();
    });
}

void ChipModule::latch() {
    if (watch_.sample)
        guarded([this] { watch_.sample(now_); });
    clock.write(false);
    collect_event_.notify(kernel_time(time_.per_cycle() / 4));
}

void ChipModule::collect() {
    guarded([this] {
        for (auto* grid : grids_)
            grid->collect(now_);
    });
}

Cycles ChipModule::finish() {
    if (failure_)
        std::rethrow_exception(failure_);
    const Cycles end = chip_->finish();
    if (hbm_)
        hbm_->device().flush_timeline(time_.at(end));
    return end;
}

} // namespace systole
