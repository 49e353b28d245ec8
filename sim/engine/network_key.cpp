#include "sim/engine/network_key.h"

#include <fmt/format.h>

#include "sim/base/splitmix.h"

namespace systole {

namespace {

// Two sums of 64 bits, each mixed anew with every number that is added.
class Digest {
  public:
    void add(std::int64_t number) {
        for (std::size_t i = 0; i < sums_.size(); ++i)
            sums_[i] = SplitMix(sums_[i] ^ (static_cast<std::uint64_t>(number) + i)).next();
    }
    std::string text() const { return fmt::format("{:016x}{:016x}", sums_[0], sums_[1]); }

  private:
    std::array<std::uint64_t, 2> sums_{1, 2};
};

void add(Digest& digest, const AheadUnit& one) {
    digest.add(one.unit.sequence);
    digest.add(one.unit.unit);
    digest.add(one.unit.bytes);
    digest.add(one.left);
    digest.add(static_cast<std::int64_t>(one.again.size()));
    for (const auto& request : one.again) {
        digest.add(static_cast<std::int64_t>(request.address));
        digest.add(request.bytes);
    }
}

std::string text_of(const ConvolutionWindow& w) {
    return fmt::format("w{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", w.batch, w.channels, w.height, w.width,
                       w.outputs[0], w.outputs[1], w.kernel[0], w.kernel[1], w.stride[0], w.stride[1], w.dilation[0],
                       w.dilation[1], w.padding.top, w.padding.left, w.padding.bottom, w.padding.right);
}

} // namespace

SharedAhead share(std::vector<AheadUnits> cores, const std::string& target) {
    auto state = std::make_shared<AheadState>();
    Digest digest;
    for (const auto& units : cores) {
        digest.add(static_cast<std::int64_t>(units.size()));
        for (const auto& one : units)
            add(digest, one);
    }
    state->cores = std::move(cores);
    state->target = target;
    state->key = target + " " + digest.text();
    return state;
}

std::string key_of(const GemmProblem& p, Bytes vmem_capacity) {
    const auto& h = p.homes;
    return fmt::format("g{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", p.m, p.n, p.k, p.count,
                       static_cast<int>(p.formats.a), static_cast<int>(p.formats.b), static_cast<int>(p.formats.c),
                       p.sparsity.keep, p.sparsity.group, static_cast<int>(h.a), static_cast<int>(h.b),
                       static_cast<int>(h.c), vmem_capacity, p.epilogue.operations_per_output,
                       p.epilogue.read_bits_per_output, p.window ? text_of(*p.window) : "");
}

std::string key_of(const VectorTask& task, const NetworkTask& placed, Bytes vmem_capacity) {
    auto text = fmt::format("v{},{},{},{},{}", task.elements, task.operations_per_element,
                            static_cast<int>(task.format), task.resident_bytes, vmem_capacity);
    for (std::size_t i = 0; i < task.reads.size(); ++i)
        text += fmt::format(",r{},{}", task.reads[i].bytes, static_cast<int>(placed.read_homes[i]));
    for (std::size_t i = 0; i < task.writes.size(); ++i)
        text += fmt::format(",w{},{}", task.writes[i].bytes, static_cast<int>(placed.write_homes[i]));
    return text;
}

std::string key_of(const SharedAhead& state) { return state ? state->key : ""; }

} // namespace systole
