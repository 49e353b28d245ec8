#include "sim/engine/chip_module.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/kernel/session.h"

namespace systole {

namespace {
constexpr std::int64_t steps_between_progress = 1024;
}

ChipModule::ChipModule(sc_core::sc_module_name name, const ChipConfig& config, const std::vector<ArrayGrid*>& grids,
                       ChipWatch watch)
    : sc_module(name), time_(config.time), watch_(std::move(watch)), grids_(grids) {
    if (config.from != DataOrigin::vmem)
        hbm_ = std::make_unique<HbmModule>("hbm", config.hbm, config.time);
    const auto make_port = [this](const std::string& port_name, int ids) -> MemoryPort& {
        ports_.push_back(std::make_unique<MemoryPortModule>(
            port_name.c_str(), ids, [this](Ticks now) { return hbm_->busy_before(now); },
            [this](Ticks at) { wake(at); }));
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

// The kernel would swallow the type of an exception that leaves a process.
template <typename Action>
void ChipModule::guarded(Action action) {
    if (failure_)
        return;
    try {
        action();
    } catch (...) {
        failure_ = std::current_exception();
    }
}

void ChipModule::wake(Ticks at) {
    const Ticks target = time_.at(time_.cycle_at_or_after(at));
    const Ticks now = kernel_ticks(sc_core::sc_time_stamp());
    step_event_.notify(kernel_time(std::max<Ticks>(0, target - now)));
}

void ChipModule::schedule_next() {
    const bool moving = std::any_of(grids_.begin(), grids_.end(), [this](auto* g) { return g->active(now_ + 1); });
    const Cycles next = moving ? now_ + 1 : chip_->next_event();
    if (next == unlimited)
        return;
    if (next > watch_.max_cycles) {
        throw InputError(fmt::format("the run would pass {} cycles ({})", watch_.max_cycles,
                                     watch_.max_cycles < time_.max_cycles()
                                         ? "raise --max-cycles"
                                         : "the most that this clock's time base counts"));
    }
    wake(time_.at(next));
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
        if (chip_->done())
            return;
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
    return chip_->finish();
}

} // namespace systole
