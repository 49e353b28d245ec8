// Shapes of what slides a window over a feature map: convolution and pooling.
#pragma once

#include "sim/workload/shape_inference.h"

namespace systole {

// Result and weights of a convolution; fills in groups, filters and padding. Throws InputError.
InferredShapes infer_convolution(ConvolutionAttributes& convolution, const Shape& input);

// Result of pooling; fills in kernel (global) and padding, which grows behind where `round_up` asks for it.
Shape infer_pool(PoolAttributes& pool, const Shape& input);

} // namespace systole
