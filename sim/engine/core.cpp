#include "sim/engine/core.h"

#include <algorithm>

#include "sim/engine/dma_id.h"

namespace systole {

namespace {

std::unique_ptr<Fetcher> make_fetcher(const CoreConfig& config, const TimeBase& time, MemoryPort* memory,
                                      const TileAllocation& allocation, VmemArbiter& vmem, HostLink* host) {
    if (!memory)
        return nullptr;
    FetchPlan plan{config.units(),      {},           config.vmem.buffers, config.here,
                   config.here_operand, config.ahead, config.causes};
    if (config.vector) {
        plan.units_of_tile[vector_reads] = static_cast<std::int64_t>(config.vector->problem().reads.size());
    } else {
        const PassCursor cursor(config.sequencer.mapping, config.sequencer.limits);
        plan.units_of_tile = {cursor.max_x_units(), cursor.max_y_units()};
    }
    return std::make_unique<Fetcher>(std::move(plan), config.dma, time, *memory, allocation, vmem, host);
}

std::unique_ptr<Storer> make_storer(const CoreConfig& config, const TimeBase& time, MemoryPort* memory,
                                    const TileAllocation& allocation, VmemArbiter& vmem, HostLink* host) {
    if (!memory)
        return nullptr;
    const auto& mapping = config.sequencer.mapping;
    const bool to_host = config.vector || mapping.from_host(mapping.problem.out_home);
    return std::make_unique<Storer>(config.vmem.buffers, config.dma, time, config.operands, *memory, allocation, vmem,
                                    to_host ? host : nullptr, config.causes);
}

TileAllocation make_allocation(const CoreConfig& config) {
    return config.vector ? vector_allocation(*config.vector, config.vmem)
                         : TileAllocation(config.sequencer.mapping, config.sequencer.limits);
}

std::unique_ptr<Sequencer> make_sequencer(const CoreConfig& config, const TileAllocation& allocation, VmemArbiter& vmem,
                                          Fetcher* fetcher, Storer* storer, const TrailEnds& ends, ArrayGrid* grid) {
    if (config.vector)
        return nullptr;
    return std::make_unique<Sequencer>(config.sequencer, allocation, vmem, fetcher, storer, ends, grid);
}

std::unique_ptr<VectorSequencer> make_vector(const CoreConfig& config, const TileAllocation& allocation,
                                             VmemArbiter& vmem, Fetcher* fetcher, Storer* storer,
                                             const TrailEnds& ends) {
    if (!config.vector)
        return nullptr;
    return std::make_unique<VectorSequencer>(
        VectorSequencerConfig{*config.vector, config.vmem.read_latency, config.dma.burst_bytes}, allocation, vmem,
        fetcher, storer, ends);
}

} // namespace

std::unique_ptr<UnitSource> CoreConfig::units() const {
    if (vector)
        return std::make_unique<VectorUnits>(*vector, dma.burst_bytes);
    return std::make_unique<PassUnits>(sequencer.mapping, sequencer.limits, operands, dma.burst_bytes);
}

Core::Core(const CoreConfig& config, const TimeBase& time, MemoryPort* memory, HostLink* host, ArrayGrid* grid)
    : time_(time), memory_(memory), causes_(config.causes), allocation_(make_allocation(config)), vmem_(config.vmem),
      fetcher_(make_fetcher(config, time, memory, allocation_, vmem_, host)),
      storer_(make_storer(config, time, memory, allocation_, vmem_, host)),
      sequencer_(make_sequencer(config, allocation_, vmem_, fetcher_.get(), storer_.get(), ends_, grid)),
      vector_(make_vector(config, allocation_, vmem_, fetcher_.get(), storer_.get(), ends_)),
      work_(sequencer_ ? static_cast<CoreWork&>(*sequencer_) : *vector_) {
    if (config.timeline)
        watch(config);
}

void Core::watch(const CoreConfig& config) {
    if (vector_) {
        timeline_ =
            std::make_unique<CoreTimeline>(*config.timeline, time_, config.index, memory_ ? config.vmem.buffers : 0);
        vector_->watch(timeline_.get());
    } else {
        timeline_ = std::make_unique<CoreTimeline>(*config.timeline, time_, config.index, config.sequencer.mapping,
                                                   config.sequencer.limits);
        sequencer_->watch(timeline_.get());
    }
    if (!fetcher_)
        return;
    fetcher_->watch(timeline_.get());
    storer_->watch(timeline_.get());
}

Moment Core::begin(Cycles now) {
    Moment moment{now, time_.at(now), 0};
    if (!fetcher_ || !causes_)
        return moment;
    moment.busy = memory_->busy_before(moment.at);
    fetcher_->trails().begin(moment);
    storer_->trails().begin(moment);
    return moment;
}

// VMEM has served a request of the DMA.
void Core::follow(const VmemArbiter::Done& done, const Moment& now) {
    const bool fetched = dma_user(done.id) == DmaUser::fetcher;
    const int chunk = dma_chunk(done.id);
    if (fetched && fetcher_->is_ahead(chunk))
        return;
    auto& trail = (fetched ? fetcher_->trails() : storer_->trails()).of(chunk);
    trail.leave_vmem(now, vmem_.cycles_alone(fetched ? fetcher_->bytes(chunk) : storer_->bytes(chunk)), queue_);
    queue_ = trail;
    if (fetched)
        TrailEnds::pass(ends_.fetched, trail);
}

void Core::take_finished(const Moment& now) {
    for (const auto& done : vmem_.finished_dma()) {
        if (causes_)
            follow(done, now);
        if (dma_user(done.id) == DmaUser::fetcher) {
            fetcher_->written(dma_chunk(done.id), now.cycle);
        } else {
            storer_->read(dma_chunk(done.id), now.cycle);
        }
    }
    vmem_.finished_dma().clear();
    work_.take_finished(vmem_, now);
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
    const Moment moment = begin(now);
    vmem_.advance(now);
    take_finished(moment);
    if (storer_)
        storer_->collect(now); // a buffer that becomes free may let a pass start in this very cycle
    if (storer_ && causes_)
        TrailEnds::pass(ends_.stored, storer_->trails().answered());
    work_.step(moment);
    if (fetcher_)
        exchange(now);
    vmem_.deal();
    if (!work_.done())
        return;
    if (!results_in_vmem_) {
        results_in_vmem_ = true;
        begin_tail();
    }
    if (!done())
        return;
    end_ = memory_ ? now : work_.results_in_vmem();
}

// From here on what is stored last tells what the run waits for.
void Core::begin_tail() {
    if (!storer_)
        return;
    storer_->begin_trails();
    queue_ = storer_->trails().answered();
}

Cycles Core::next_event() const {
    if (end_ >= 0)
        return unlimited;
    Cycles next = std::min(work_.next_event(), vmem_.next_event());
    if (fetcher_)
        next = std::min({next, fetcher_->next_event(), storer_->next_event()});
    return next;
}

void Core::finish(Cycles cores_end, Cycles total, const HostTail& host) {
    const PortStack before = waits();
    work_.book_results();
    book_tail(cores_end, total, host);
    if (timeline_)
        timeline_->wait(work_.stream_done(), total, before, waits());
}

void Core::book_tail(Cycles cores_end, Cycles total, const HostTail& host) {
    if (storer_)
        waits().split(end_ - work_.results_in_vmem(), {}, storer_->trails().answered().spent, Cause::hbm_latency);
    waits()[Cause::padding] += cores_end - end_;
    waits().split(total - cores_end, host.before, host.after, Cause::pcie);
}

void Core::response(int id, Ticks done) {
    if (dma_user(id) == DmaUser::fetcher) {
        fetcher_->response(dma_chunk(id), done);
    } else {
        storer_->response(dma_chunk(id), done);
    }
}

std::string Core::waiting_for() const {
    std::string text = work_.waiting_for();
    if (fetcher_)
        text += "; " + fetcher_->waiting_for() + "; " + storer_->waiting_for();
    return text;
}

} // namespace systole
