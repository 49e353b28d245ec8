#include "sim/roofline/critical_batch.h"

#include "sim/roofline/matmul.h"
#include "sim/roofline/require.h"

namespace systole::analytic {

double critical_batch(const PerBatch& line, double peak, double bandwidth) {
    require_positive(line.flops_per_token, "the FLOPs per token");
    require_positive(peak, "the peak rate");
    require_positive(bandwidth, "the bandwidth");
    if (bandwidth == infinite) {
        return 0;
    }
    const double gain = line.flops_per_token * bandwidth / peak - line.bytes_per_token;
    return gain > 0 ? line.fixed_bytes / gain : infinite;
}

PerBatch matmul_per_batch(double d, double f, const OperandFormats& formats, Activations activations) {
    require_positive(d, "D");
    require_positive(f, "F");
    PerBatch line{.flops_per_token = 2 * d * f, .fixed_bytes = d * f * element_bytes(formats.b)};
    if (activations == Activations::counted) {
        line.bytes_per_token = d * element_bytes(formats.a) + f * element_bytes(formats.c);
    }
    return line;
}

PerBatch ffn_per_batch(double d, double f, bool gated, const OperandFormats& formats, Activations activations) {
    return moe_per_batch(d, f, 1, 1, gated, formats, activations);
}

PerBatch moe_per_batch(double d, double f, double experts, double active, bool gated, const OperandFormats& formats,
                       Activations activations) {
    require_positive(d, "D");
    require_positive(f, "F");
    require_positive(active, "the number of active experts");
    if (active > experts) {
        throw InputError("there cannot be more active experts than experts");
    }
    const double matrices = gated ? 3 : 2;
    PerBatch line{.flops_per_token = 2 * matrices * d * f * active,
                  .fixed_bytes = matrices * d * f * experts * element_bytes(formats.b)};
    if (activations == Activations::counted) {
        line.bytes_per_token = d * (element_bytes(formats.a) + element_bytes(formats.c));
    }
    return line;
}

double moe_critical_batch(double dense_batch, double experts, double active) {
    require_positive(dense_batch, "the critical batch of one expert");
    require_positive(active, "the number of active experts");
    if (active > experts) {
        throw InputError("there cannot be more active experts than experts");
    }
    return dense_batch * experts / active;
}

} // namespace systole::analytic
