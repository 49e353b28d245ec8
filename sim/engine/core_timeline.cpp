#include "sim/engine/core_timeline.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace systole {

namespace {

std::string array_name(const ArrayConfig& array) {
    return array.count == 1 ? "array" : fmt::format("arrays 0-{}, in lock step", array.count - 1);
}

} // namespace

CoreTimeline::CoreTimeline(Timeline& timeline, const TimeBase& time, int core, const Mapping& mapping,
                           const CoreLimits& limits)
    : timeline_(&timeline), per_cycle_(time.per_cycle()), group_(fmt::format("core {}", core)), mapping_(mapping),
      array_(limits.array), array_track_(track(array_name(limits.array), TrackKind::sequence)) {
    pass_name_ = fmt::format("{} pass", short_name(mapping.problem.dataflow));
    const bool swapped = mapping.problem.dataflow == Dataflow::input_stationary;
    reads_ = {swapped ? "reads B" : "reads A", swapped ? "reads A" : "reads B", "writes C", "reads metadata",
              "reads ahead"};
    if (mapping.problem.dataflow != Dataflow::output_stationary)
        loads_ = track("stationary tile", TrackKind::sequence);
    writebacks_ = track("write-back", TrackKind::sequence);
    if (mapping.from != DataOrigin::vmem)
        watch_vmem(limits.buffers);
}

CoreTimeline::CoreTimeline(Timeline& timeline, const TimeBase& time, int core, int buffers)
    : timeline_(&timeline), per_cycle_(time.per_cycle()),
      group_(fmt::format("core {}", core)), reads_{"reads vector data", "", "writes vector data", "", "reads ahead"},
      array_track_(track("vector unit", TrackKind::sequence)) {
    if (buffers > 0)
        watch_vmem(buffers);
}

void CoreTimeline::watch_vmem(int buffers) {
    vmem_ = track("VMEM", TrackKind::level);
    for (auto& tiles : in_tile_)
        tiles.resize(static_cast<std::size_t>(buffers));
}

void CoreTimeline::block(std::int64_t index, Cycles from, Cycles to, std::int64_t elements, Cycles alu_cycles) {
    array_track_.slice("block", from * per_cycle_, to * per_cycle_,
                       {{"block", index}, {"elements", elements}, {"alu_cycles", alu_cycles}});
}

void CoreTimeline::pass(const Pass& pass, const PassTiming& timing, Cycles bubbles) {
    std::int64_t arrays = 0;
    for (int i = 0; i < array_.count; ++i)
        arrays += array_part(mapping_, array_, pass, i).col_count > 0 ? 1 : 0;
    array_track_.slice(pass_name_, timing.start * per_cycle_, (timing.stream_end + 1) * per_cycle_,
                       {{"pass", pass.index},
                        {"arrays", arrays},
                        {"vectors", pass.vectors},
                        {"bubbles", bubbles},
                        {"row", pass.row_begin},
                        {"rows", pass.row_count},
                        {"col", pass.col_begin},
                        {"cols", pass.col_count},
                        {"depth", pass.depth_begin},
                        {"depths", pass.depth_count},
                        {"last_result_cycle", timing.last_result}});
}

void CoreTimeline::wait(Cycles from, Cycles to, const PortStack& before, const PortStack& after) {
    if (from == to)
        return;
    std::array<TimelineFact, all_causes.size()> facts;
    std::size_t count = 0;
    const TimelineFact* most = facts.data();
    for (const auto cause : all_causes) {
        const Cycles cycles = after[cause] - before[cause];
        if (cycles == 0)
            continue;
        facts[count] = {name(cause), cycles, {}};
        if (cycles > most->number)
            most = &facts[count];
        ++count;
    }
    array_track_.slice(fmt::format("waits: {}", most->key), from * per_cycle_, to * per_cycle_,
                       TimelineFacts(facts.data(), count));
}

void CoreTimeline::load(const Pass& pass, Cycles from, Cycles to) {
    loads_.slice("load", from * per_cycle_, to * per_cycle_,
                 {{"pass", pass.index}, {"rows", pass.stationary_rows}, {"bytes", pass.stationary_bytes}});
}

void CoreTimeline::writeback(const Pass& pass, Cycles last) {
    const Cycles from = std::max(results_.front(), written_); // one behind the other
    results_.pop_front();
    written_ = last + 1;
    writebacks_.slice("results", from * per_cycle_, written_ * per_cycle_,
                      {{"pass", pass.index}, {"bytes", pass.out_bytes}});
}

void CoreTimeline::transfer(int engine, int operand, std::uint64_t address, Bytes bytes, Cycles from, Cycles to) {
    while (static_cast<std::size_t>(engine) >= engines_.size())
        engines_.push_back(track(fmt::format("DMA {}", engines_.size()), TrackKind::overlap));
    engines_[static_cast<std::size_t>(engine)].slice(
        reads_[static_cast<std::size_t>(operand)], from * per_cycle_, to * per_cycle_,
        {{"bytes", bytes}, {"address", static_cast<std::int64_t>(address)}});
}

void CoreTimeline::take(int operand, std::int64_t sequence, Bytes bytes, Cycles now) {
    auto& tiles = in_tile_[static_cast<std::size_t>(operand)];
    tiles[static_cast<std::size_t>(sequence) % tiles.size()] += bytes;
    in_use_ += bytes;
    vmem_.level(now * per_cycle_, in_use_);
}

void CoreTimeline::give_back(int operand, std::int64_t sequence, Cycles now) {
    auto& tiles = in_tile_[static_cast<std::size_t>(operand)];
    auto& next = given_back_[static_cast<std::size_t>(operand)];
    const Bytes before = in_use_;
    for (; next <= sequence; ++next)
        in_use_ -= std::exchange(tiles[static_cast<std::size_t>(next) % tiles.size()], 0);
    if (in_use_ != before)
        vmem_.level(now * per_cycle_, in_use_);
}

} // namespace systole
