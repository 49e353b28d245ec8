// The part of a sweep that one of several machines does.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace systole {

// Every count-th point, from index - 1 on: neighbours, which take about as long, go to different machines.
struct Shard {
    std::int64_t index = 1; // from 1 to count
    std::int64_t count = 1;

    bool holds(std::int64_t point) const { return point % count == index - 1; }
    bool operator==(const Shard&) const = default;
};

inline constexpr std::int64_t most_shards = 1'000'000;

// "3/8". Throws InputError.
Shard parse_shard(const std::string& text);

// From the variables that Slurm sets for the tasks of a job array (sbatch --array=1-8); nothing outside of one. `get`:
// a variable of the environment. Throws InputError for an array with gaps, whose tasks cannot be numbered by it.
using GetVariable = std::function<std::optional<std::string>(const std::string& name)>;
std::optional<Shard> slurm_shard(const GetVariable& get);

} // namespace systole
