#include "sim/stats/level_comparison.h"

#include <array>
#include <utility>

namespace systole {

std::vector<LevelComparison> compare_levels(const OperatorResult& result) {
    const std::array<std::pair<const char*, const LevelTraffic*>, 3> order{
        {{"vmem", &result.traffic.vmem}, {"hbm", &result.traffic.hbm}, {"pcie", &result.traffic.pcie}}};
    std::vector<LevelComparison> levels;
    for (const auto& [name, traffic] : order) {
        const auto found = result.roofline.levels.find(name);
        if (found == result.roofline.levels.end()) {
            continue;
        }
        const RooflineLevel& roof = found->second;
        const double share = result.seconds > 0 ? roof.seconds / result.seconds : 0;
        levels.push_back({name, roof.compulsory_bytes, roof.tiled_bytes, traffic->total(), roof.seconds, share});
    }
    return levels;
}

} // namespace systole
