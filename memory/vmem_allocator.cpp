#include "memory/vmem_allocator.h"

#include <utility>

#include "sim/base/error.h"

namespace systole {

VmemAllocator::VmemAllocator(Bytes capacity, std::int64_t banks, std::int64_t buffers)
    : capacity_(capacity), banks_(banks), expected_(buffers) {
    if (banks_ == unlimited)
        banks_each_ = unlimited;
    while (banks_each_ <= banks_ / 2 / expected_)
        banks_each_ *= 2;
    buffers_.reserve(static_cast<std::size_t>(buffers));
}

std::size_t VmemAllocator::allocate(std::string name, Bytes bytes) {
    const auto index = buffers_.size();
    if (static_cast<std::int64_t>(index) == expected_)
        throw InternalError("VMEM buffer " + name + " was not announced");
    if (bytes > capacity_ - used_) {
        throw InternalError("VMEM is over-committed: " + name + " needs " + std::to_string(bytes) + " bytes, " +
                            std::to_string(capacity_ - used_) + " are free");
    }
    const std::int64_t first = banks_ == unlimited ? 0 : static_cast<std::int64_t>(index) * banks_each_ % banks_;
    buffers_.push_back({std::move(name), used_, bytes, first, banks_each_});
    used_ += bytes;
    return index;
}

} // namespace systole
