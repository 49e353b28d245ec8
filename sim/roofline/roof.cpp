#include "sim/roofline/roof.h"

#include <algorithm>
#include <cmath>

#include "sim/roofline/require.h"

namespace systole::analytic {

namespace {

double intensity_of(double flops, double bytes) { return bytes > 0 ? flops / bytes : infinite; }

double ridge_or_zero(double peak, double bandwidth) { return bandwidth == infinite ? 0 : peak / bandwidth; }

// Where a level alone would hold the rate: intensity 0 * bandwidth infinite would be no number.
double attainable_at(double peak, double seconds, double flops) {
    return seconds > 0 ? std::min(peak, flops / seconds) : peak;
}

LevelResult empty_level(const std::string& name, double bandwidth) {
    LevelResult level;
    level.name = name;
    level.bandwidth = bandwidth;
    return level;
}

LevelResult crossing(const Work& work, const Level& level, double peak) {
    LevelResult result = empty_level(level.name, level.bandwidth);
    const bool link = level.name == "link";
    const bool one_direction_at_a_time = level.name != "pcie";
    result.compulsory_bytes = link ? work.link_bytes : work.bytes();
    result.limiting_bytes = link                      ? work.link_bytes
                            : one_direction_at_a_time ? work.bytes()
                                                      : std::max(work.in_bytes, work.out_bytes);
    result.seconds = result.limiting_bytes / level.bandwidth;
    const double flops = work.flops + work.vector_flops;
    result.intensity = intensity_of(flops, result.limiting_bytes);
    if (const auto tiled = work.tiled_bytes.find(level.name); tiled != work.tiled_bytes.end()) {
        result.tiled_bytes = tiled->second;
        result.tiled_intensity = intensity_of(flops, tiled->second);
    }
    result.ridge = ridge_or_zero(peak, level.bandwidth);
    result.attainable = attainable_at(peak, result.seconds, flops);
    return result;
}

LevelResult registers(const Work& work, double peak) {
    const double macs = work.flops / 2;
    LevelResult result = empty_level("pe", peak / 2 * work.pe_bytes_per_mac);
    result.compulsory_bytes = macs * work.pe_bytes_per_mac;
    result.limiting_bytes = result.compulsory_bytes;
    result.intensity = intensity_of(work.flops, result.compulsory_bytes);
    result.ridge = 2 / work.pe_bytes_per_mac;
    result.seconds = work.flops / peak;
    result.attainable = peak;
    return result;
}

void set_bounds(Result& result) {
    result.bound = "compute";
    result.lower_bound_s = result.math_s;
    result.upper_bound_s = result.math_s;
    const auto consider = [&result](const std::string& name, double seconds) {
        result.upper_bound_s += seconds;
        if (seconds > result.lower_bound_s) {
            result.lower_bound_s = seconds;
            result.bound = name;
        }
    };
    consider("vector", result.vector_s);
    for (const LevelResult& level : result.levels) {
        if (level.name != "pe") {
            consider(level.name, level.seconds);
        }
    }
    result.attainable = result.lower_bound_s > 0 ? result.flops() / result.lower_bound_s : result.peak;
    result.utilization = result.lower_bound_s > 0 ? std::max(result.math_s, result.vector_s) / result.lower_bound_s : 1;
}

void add(Work& sum, const Work& part) {
    sum.flops += part.flops;
    sum.vector_flops += part.vector_flops;
    sum.in_bytes += part.in_bytes;
    sum.out_bytes += part.out_bytes;
    sum.link_bytes += part.link_bytes;
}

void add(LevelResult& sum, const LevelResult& part, bool first) {
    sum.compulsory_bytes += part.compulsory_bytes;
    sum.limiting_bytes += part.limiting_bytes;
    sum.seconds += part.seconds;
    if (first) {
        sum.tiled_bytes = part.tiled_bytes;
    } else if (sum.tiled_bytes && part.tiled_bytes) {
        *sum.tiled_bytes += *part.tiled_bytes;
    } else {
        sum.tiled_bytes.reset(); // of a part it is not known, so of the sum neither
    }
}

// The peak that does all parts in the summed time: that of each, where they have the same.
double common_peak(const std::vector<Result>& parts, double flops, double seconds) {
    const double first = parts.front().peak;
    const bool same = std::all_of(parts.begin(), parts.end(), [&](const Result& part) { return part.peak == first; });
    return same || seconds <= 0 ? first : flops / seconds;
}

// Parts in formats of different width: the bandwidth of the PE registers is not one number either.
double common_bandwidth(const LevelResult& sum) {
    return sum.name == "pe" && sum.seconds > 0 ? sum.compulsory_bytes / sum.seconds : sum.bandwidth;
}

} // namespace

const Level& level_of(const Roofs& roofs, const std::string& name) {
    std::string known;
    for (const Level& level : roofs.levels) {
        if (level.name == name) {
            return level;
        }
        known += (known.empty() ? "" : ", ") + level.name;
    }
    throw InputError("the chip states no bandwidth of a level '" + name + "' (it has " +
                     (known.empty() ? "none" : known) + ")");
}

Result evaluate(const Work& work, const Roofs& roofs) {
    require_positive(roofs.peak, "the peak rate");
    Result result;
    result.work = work;
    result.vector_peak = roofs.vector_peak > 0 ? roofs.vector_peak : roofs.peak;
    result.peak = work.flops == 0 && work.vector_flops > 0 ? result.vector_peak : roofs.peak;
    result.math_s = work.flops / roofs.peak;
    result.vector_s = work.vector_flops / result.vector_peak;
    if (roofs.pe_registers && work.pe_bytes_per_mac > 0) {
        result.levels.push_back(registers(work, roofs.peak));
    }
    for (const Level& level : roofs.levels) {
        require_positive(level.bandwidth, "a bandwidth");
        if (level.name != "link" || work.link_bytes > 0) {
            result.levels.push_back(crossing(work, level, result.peak));
        }
    }
    set_bounds(result);
    return result;
}

Result total(const std::vector<Result>& parts) {
    Result sum;
    sum.work.name = "total";
    sum.work.kind = parts.size() == 1 ? parts.front().work.kind : "total";
    if (parts.empty()) {
        return sum;
    }
    for (const Result& part : parts) {
        add(sum.work, part.work);
        sum.math_s += part.math_s;
        sum.vector_s += part.vector_s;
        for (const LevelResult& level : part.levels) {
            auto known = std::find_if(sum.levels.begin(), sum.levels.end(),
                                      [&](const LevelResult& one) { return one.name == level.name; });
            const bool first = known == sum.levels.end();
            if (first) {
                sum.levels.push_back(empty_level(level.name, level.bandwidth));
                known = std::prev(sum.levels.end());
            }
            add(*known, level, first);
        }
    }
    sum.vector_peak = parts.front().vector_peak;
    sum.peak = common_peak(parts, sum.work.flops, sum.math_s);
    for (LevelResult& level : sum.levels) {
        level.bandwidth = common_bandwidth(level);
        const double flops = level.name == "pe" ? sum.work.flops : sum.flops();
        level.intensity = intensity_of(flops, level.limiting_bytes);
        if (level.tiled_bytes) {
            level.tiled_intensity = intensity_of(flops, *level.tiled_bytes);
        }
        level.ridge = ridge_or_zero(sum.peak, level.bandwidth);
        level.attainable = attainable_at(sum.peak, level.seconds, flops);
    }
    set_bounds(sum);
    return sum;
}

double math_seconds(double flops, double peak) {
    require_not_negative(flops, "the number of FLOPs");
    require_positive(peak, "the peak rate");
    return flops / peak;
}

double transfer_seconds(double bytes, double bandwidth) {
    require_not_negative(bytes, "the number of bytes");
    require_positive(bandwidth, "the bandwidth");
    return bytes / bandwidth;
}

double ridge(double peak, double bandwidth) {
    require_positive(peak, "the peak rate");
    require_positive(bandwidth, "the bandwidth");
    return peak / bandwidth;
}

double attainable(double peak, double bandwidth, double intensity) {
    require_positive(peak, "the peak rate");
    require_positive(bandwidth, "the bandwidth");
    require_not_negative(intensity, "the intensity");
    return bandwidth == infinite ? peak : std::min(peak, intensity * bandwidth);
}

double utilization(double peak, double bandwidth, double intensity) {
    return attainable(peak, bandwidth, intensity) / peak;
}

double speedup(double before, double after) {
    require_positive(before, "the rate to compare with");
    return after / before;
}

double array_peak(double rows, double cols, double arrays, double clock, double macs_per_pe_cycle) {
    return 2 * rows * cols * arrays * macs_per_pe_cycle * clock;
}

double vector_unit_peak(double lanes, double alus, double clock) { return lanes * alus * clock; }

double sparse_peak(double peak, double efficiency, double dense_per_kept) {
    require_positive(peak, "the peak rate");
    require_fraction(efficiency, "the sparsity efficiency");
    require_positive(efficiency, "the sparsity efficiency");
    return dense_per_kept * efficiency * peak;
}

double quantized_bandwidth(double bandwidth, double reference_bits, double stored_bits) {
    require_positive(bandwidth, "the bandwidth");
    require_positive(reference_bits, "the width of the reference format");
    require_positive(stored_bits, "the width of the stored format");
    return bandwidth * reference_bits / stored_bits;
}

double effective_bandwidth(const std::vector<Share>& shares) {
    double fractions = 0;
    double seconds_per_byte = 0;
    for (const Share& share : shares) {
        require_fraction(share.fraction, "the share of a memory");
        require_positive(share.bandwidth, "the bandwidth");
        fractions += share.fraction;
        seconds_per_byte += share.fraction / share.bandwidth;
    }
    constexpr double rounding = 1e-9;
    if (std::abs(fractions - 1) > rounding) {
        throw InputError("the shares of the memories must sum to 1");
    }
    return 1 / seconds_per_byte;
}

} // namespace systole::analytic
