// The DMA engines of a core share its VMEM port; the identity of a transfer says whose it is.
#pragma once

#include <cstdint>

namespace systole {

enum class DmaUser { fetcher, storer };

constexpr std::int64_t dma_id(DmaUser user, int chunk) { return 2 * std::int64_t{chunk} + (user == DmaUser::storer); }
constexpr DmaUser dma_user(std::int64_t id) { return id % 2 == 0 ? DmaUser::fetcher : DmaUser::storer; }
constexpr int dma_chunk(std::int64_t id) { return static_cast<int>(id / 2); }

} // namespace systole
