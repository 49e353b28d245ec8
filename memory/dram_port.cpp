#include "memory/dram_port.h"

#include "memory/dram_burst.h"
#include "memory/dram_fast.h"

namespace systole {

std::unique_ptr<DramPort> make_dram_port(const DramConfig& config, MemoryMode mode) {
    if (mode == MemoryMode::burst)
        return std::make_unique<BurstDramPort>(config);
    return std::make_unique<FastDramPort>(config);
}

} // namespace systole
