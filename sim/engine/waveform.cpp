#include "sim/engine/waveform.h"

#include <cstdio>

#include <fmt/format.h>

#include "sim/base/error.h"

namespace systole {

namespace {

// Identifiers in base 94: the printable characters from '!' on.
std::string identifier(std::size_t number) {
    constexpr std::size_t digits = 94;
    std::string text;
    do {
        text += static_cast<char>('!' + number % digits);
        number /= digits;
    } while (number > 0);
    return text;
}

} // namespace

Waveform::Waveform(const WaveformOptions& options, Hertz clock, const std::vector<const StructuralGrid*>& grids)
    : options_(options), clock_(clock), grids_(grids), partial_(options.partial()), out_(partial_) {
    if (!out_)
        throw EnvironmentError(fmt::format("{}: cannot be written (is the folder there?)", options.file));
    for (std::size_t core = 0; core < grids_.size(); ++core) {
        for (auto variable : grids_[core]->wave_variables()) {
            variable.scope.insert(variable.scope.begin(), fmt::format("core{}", core));
            variables_.push_back(std::move(variable));
        }
    }
    write_header();
}

Waveform::~Waveform() {
    if (finished_)
        return;
    out_.close();
    std::remove(partial_.c_str());
}

std::int64_t Waveform::picoseconds(Cycles cycle) const {
    constexpr std::int64_t picoseconds_per_second = 1'000'000'000'000;
    const auto seconds = cycle / clock_;
    return seconds * picoseconds_per_second +
           static_cast<std::int64_t>(static_cast<double>(cycle % clock_) * 1e12 / static_cast<double>(clock_));
}

void Waveform::write_header() {
    out_ << "$comment one time stamp per core cycle: what the PEs see and hold in it $end\n$timescale 1 ps $end\n";
    out_ << "$scope module systole $end\n$var wire 64 " << identifier(0) << " cycle $end\n";
    std::vector<std::string> open;
    for (std::size_t i = 0; i < variables_.size(); ++i) {
        const auto& [scope, name, width] = variables_[i];
        std::size_t common = 0;
        while (common < open.size() && common < scope.size() && open[common] == scope[common])
            ++common;
        for (; open.size() > common; open.pop_back())
            out_ << "$upscope $end\n";
        for (; open.size() < scope.size(); open.push_back(scope[open.size()])) {
            out_ << "$scope module " << scope[open.size()] << " $end\n";
        }
        out_ << fmt::format("$var wire {} {} {}", width, identifier(i + 1), name)
             << (width > 1 ? fmt::format(" [{}:0]", width - 1) : "") << " $end\n";
    }
    for (; !open.empty(); open.pop_back())
        out_ << "$upscope $end\n";
    out_ << "$upscope $end\n$enddefinitions $end\n";
}

void Waveform::write_value(std::size_t variable, std::int64_t value) {
    const int width = variable == 0 ? 64 : variables_[variable - 1].width;
    if (width == 1) {
        out_ << (value != 0 ? '1' : '0') << identifier(variable) << '\n';
        return;
    }
    std::string bits;
    for (int bit = width; bit-- > 0;)
        bits += ((static_cast<std::uint64_t>(value) >> bit) & 1U) != 0 ? '1' : '0';
    out_ << 'b' << bits << ' ' << identifier(variable) << '\n';
}

void Waveform::sample(Cycles cycle) {
    if (cycle < options_.from || cycle > options_.to)
        return;
    values_.assign(1, cycle);
    for (const auto* grid : grids_)
        grid->append_wave_values(values_);
    out_ << '#' << picoseconds(cycle) << '\n';
    for (std::size_t i = 0; i < values_.size(); ++i) {
        if (!any_ || values_[i] != written_[i])
            write_value(i, values_[i]);
    }
    any_ = true;
    written_ = values_;
}

void Waveform::finish(Cycles cycles) {
    out_ << '#' << picoseconds(cycles) << '\n';
    out_.close();
    if (!out_ || std::rename(partial_.c_str(), options_.file.c_str()) != 0) {
        throw EnvironmentError(fmt::format("{}: could not be written (is the disk full?)", options_.file));
    }
    finished_ = true;
}

} // namespace systole
