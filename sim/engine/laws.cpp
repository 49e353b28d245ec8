#include "sim/engine/laws.h"

#include <fmt/format.h>

#include "sim/base/error.h"

namespace systole {

void check_time_and_causes(const OperatorResult& result, bool external_memory) {
    if (result.stack.total() != result.pe_slots) {
        throw InternalError(
            fmt::format("{}: the causes sum to {} PE-slots of {}", result.name, result.stack.total(), result.pe_slots));
    }
    constexpr double rounding = 1e-12; // of the double divisions alone
    if (result.seconds < result.roofline.lower_bound_s * (1 - rounding)) {
        if (external_memory && result.roofline.bound == "hbm") {
            throw InputError(fmt::format("{}: {} s beat the {} s of the chip's HBM: the external memory is faster than "
                                         "hbm.bandwidth (set that to its peak, or to \"unlimited\")",
                                         result.name, result.seconds, result.roofline.lower_bound_s));
        }
        throw InternalError(fmt::format("{}: {} s beat the roofline's {} s ({})", result.name, result.seconds,
                                        result.roofline.lower_bound_s, result.roofline.bound));
    }
}

void check_laws(const OperatorResult& result, const OperandHomes& homes, bool external_memory) {
    check_time_and_causes(result, external_memory);
    const auto& t = result.traffic;
    const bool conserved =
        result.from == DataOrigin::vmem ||
        (t.hbm.read.a == t.vmem.write.a && t.hbm.read.b == t.vmem.write.b && t.hbm.read.meta == t.vmem.write.meta &&
         t.hbm.write.c == t.vmem.read.c && (homes.c == Home::vmem || t.vmem.write.c == t.vmem.read.c));
    if (!conserved)
        throw InternalError(result.name + ": bytes were lost between VMEM and HBM");
}

} // namespace systole
