#include "sim/engine/core.h"

#include <algorithm>

#include "sim/engine/dma_id.h"

namespace systole {

namespace {

std::unique_ptr<Fetcher> make_fetcher(const CoreConfig& config, const TimeBase& time, MemoryPort* memory,
                                      const TileAllocation& allocation, VmemArbiter& vmem, HostLink* host) {
    if (!memory)
        return nullptr;
    return std::make_unique<Fetcher>(config.sequencer.mapping, config.sequencer.limits, config.dma, time,
                                     config.operands, *memory, allocation, vmem, host);
}

std::unique_ptr<Storer> make_storer(const CoreConfig& config, const TimeBase& time, MemoryPort* memory,
                                    const TileAllocation& allocation, VmemArbiter& vmem, HostLink* host) {
    if (!memory)
        return nullptr;
    return std::make_unique<Storer>(config.sequencer.limits.buffers, config.dma, time, config.operands, *memory,
                                    allocation, vmem, host);
}

} // namespace

Core::Core(const CoreConfig& config, const TimeBase& time, MemoryPort* memory, HostLink* host, ArrayGrid* grid)
    : time_(time), memory_(memory), allocation_(config.sequencer.mapping, config.sequencer.limits), vmem_(config.vmem),
      fetcher_(make_fetcher(config, time, memory, allocation_, vmem_, host)),
      storer_(make_storer(config, time, memory, allocation_, vmem_, host)),
      sequencer_(config.sequencer, allocation_, vmem_, fetcher_.get(), storer_.get(), ends_, grid) {
    if (config.timeline)
        watch(config);
}

void Core::watch(const CoreConfig& config) {
    timeline_ = std::make_unique<CoreTimeline>(*config.timeline, time_, config.index, config.sequencer.mapping,
                                               config.sequencer.limits);
    sequencer_.watch(timeline_.get());
    if (!fetcher_)
        return;
    fetcher_->watch(timeline_.get());
    storer_->watch(timeline_.get());
}

void Core::begin(const Moment& now) {
    fetcher_->begin(now);
    storer_->begin(now);
}

void Core::take_finished(const Moment& now) {
    for (const auto& done : vmem_.finished_dma()) {
        const bool fetched = dma_user(done.id) == DmaUser::fetcher;
        const int chunk = dma_chunk(done.id);
        auto& trail = fetched ? fetcher_->trail(chunk) : storer_->trail(chunk);
        trail.leave_vmem(now, vmem_.cycles_alone(fetched ? fetcher_->bytes(chunk) : storer_->bytes(chunk)), queue_);
        queue_ = trail;
        if (fetched) {
            TrailEnds::pass(ends_.fetched, trail);
            fetcher_->written(chunk, now.cycle);
        } else {
            storer_->read(chunk, now.cycle);
        }
    }
    vmem_.finished_dma().clear();
    for (const auto& done : vmem_.finished_writebacks()) {
        const Cycles out = sequencer_.results_out();
        auto trail = WaitTrail::from({out, time_.at(out), now.busy});
        trail.hold_in_vmem(now, 0); // they are written while they come out
        sequencer_.written_back(done.id, done.cycle, trail);
    }
    vmem_.finished_writebacks().clear();
}

// Requests and answers of this cycle; an ideal memory answers in the cycle it is asked.
void Core::exchange(Cycles now) {
    do {
        fetcher_->collect(now);
        storer_->collect(now);
        fetcher_->issue(now);
        storer_->issue(now);
    } while (std::min(fetcher_->next_event(), storer_->next_event()) <= now);
}

void Core::step(Cycles now) {
    if (end_ >= 0)
        return;
    Moment moment{now, time_.at(now), 0};
    if (memory_) {
        moment.busy = memory_->busy_before(moment.at);
        begin(moment);
    }
    vmem_.advance(now);
    take_finished(moment);
    if (storer_) {
        storer_->collect(now); // a buffer that becomes free may let a pass start in this very cycle
        TrailEnds::pass(ends_.stored, storer_->stored_trail());
    }
    sequencer_.step(now);
    if (fetcher_)
        exchange(now);
    vmem_.deal();
    if (!sequencer_.done())
        return;
    if (!results_in_vmem_) {
        results_in_vmem_ = true;
        if (storer_) {
            storer_->begin_trails();
            queue_ = storer_->stored_trail();
        }
    }
    if (!done())
        return;
    end_ = memory_ ? now : sequencer_.last_writeback() + 1;
}

Cycles Core::next_event() const {
    if (end_ >= 0)
        return unlimited;
    Cycles next = std::min(sequencer_.next_event(), vmem_.next_event());
    if (fetcher_)
        next = std::min({next, fetcher_->next_event(), storer_->next_event()});
    return next;
}

void Core::finish(Cycles cores_end, Cycles total, const HostTail& host) {
    const PortStack before = sequencer_.waits();
    book_tail(cores_end, total, host);
    if (timeline_)
        timeline_->wait(sequencer_.stream_done(), total, before, sequencer_.waits());
}

void Core::book_tail(Cycles cores_end, Cycles total, const HostTail& host) {
    auto& waits = sequencer_.waits();
    const Cycles out = sequencer_.end_of_array();
    const Cycles in_vmem = std::max(out, sequencer_.last_writeback() + 1);
    const Cycles drain = std::min(out - sequencer_.stream_done(), sequencer_.drain_of_last_pass());
    waits[Cause::fill_drain] += drain;
    waits[Cause::control] += out - sequencer_.stream_done() - drain; // the results before it were still shifting out
    waits[Cause::vmem] += in_vmem - out;
    const Cycles tail = end_ - in_vmem;
    if (storer_)
        waits.split(tail, {}, storer_->stored_trail().spent, Cause::hbm_latency);
    waits[Cause::padding] += cores_end - end_;
    waits.split(total - cores_end, host.before, host.after, Cause::pcie);
}

void Core::response(int id, Ticks done) {
    if (dma_user(id) == DmaUser::fetcher) {
        fetcher_->response(dma_chunk(id), done);
    } else {
        storer_->response(dma_chunk(id), done);
    }
}

std::string Core::waiting_for() const {
    std::string text = sequencer_.waiting_for();
    if (fetcher_)
        text += "; " + fetcher_->waiting_for() + "; " + storer_->waiting_for();
    return text;
}

} // namespace systole
