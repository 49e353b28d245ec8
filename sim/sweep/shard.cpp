#include "sim/sweep/shard.h"

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/workload/integer.h"

namespace systole {

Shard parse_shard(const std::string& text) {
    const Place place{"--shard " + text.substr(0, 40)};
    const std::size_t slash = text.find('/');
    if (slash == std::string::npos) {
        throw InputError(place, "is not I/N (for example 3/8, the third of eight)");
    }
    const Parsed<std::int64_t> count = parse_integer(text.substr(slash + 1), 1, most_shards);
    const Parsed<std::int64_t> index = parse_integer(text.substr(0, slash), 1, most_shards);
    if (!count.value || !index.value) {
        throw InputError(place, (index.value ? count.error : index.error) + " (write I/N, for example 3/8)");
    }
    if (*index.value > *count.value) {
        throw InputError(place, fmt::format("there are {} shards (write 1/{} to {}/{})", *count.value, *count.value,
                                            *count.value, *count.value));
    }
    return {*index.value, *count.value};
}

std::optional<Shard> slurm_shard(const GetVariable& get) {
    if (!get("SLURM_ARRAY_TASK_ID")) {
        return std::nullopt;
    }
    const auto number = [&get](const std::string& name, std::int64_t otherwise) {
        const std::optional<std::string> text = get(name);
        const Parsed<std::int64_t> value = parse_integer(text.value_or(fmt::format("{}", otherwise)), 0);
        if (!value.value) {
            throw InputError(fmt::format("{} {} (give --shard I/N)", name, value.error));
        }
        return *value.value;
    };
    const std::int64_t id = number("SLURM_ARRAY_TASK_ID", 0);
    const std::int64_t first = number("SLURM_ARRAY_TASK_MIN", 1);
    const std::int64_t count = number("SLURM_ARRAY_TASK_COUNT", 1);
    const std::int64_t last = number("SLURM_ARRAY_TASK_MAX", first + count - 1);
    const std::int64_t step = number("SLURM_ARRAY_TASK_STEP", count > 1 ? (last - first) / (count - 1) : 1);
    const bool even =
        step >= 1 && last == first + step * (count - 1) && id >= first && id <= last && (id - first) % step == 0;
    if (!even) {
        throw InputError(fmt::format("Slurm's array has {} tasks from {} to {} with gaps, so task {} has no number "
                                     "among them (use sbatch --array=1-{}, or give --shard I/N)",
                                     count, first, last, id, count));
    }
    return Shard{(id - first) / step + 1, count};
}

} // namespace systole
