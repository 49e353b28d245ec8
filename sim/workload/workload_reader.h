// The text of a workload file:
//
//     description = "one line"
//     source = "where the shapes come from"
//     dtype = "int8"              # optional, "A[,B[,C]]"; otherwise the chip's default format
//     sparsity = "2:4"            # optional, of the weights B: "dense" or "N:M"; otherwise dense
//
//     [[operator]]                # one or more, run in this order
//     name = "qk"                 # optional
//     kind = "gemm"               # optional
//     m = 128
//     n = 128
//     k = 64
//     count = 12                  # optional: run it so often, as qk[0] to qk[11]
//     dtype = "bf16"              # optional
//     sparsity = "dense"          # optional
#pragma once

#include <string>

#include "sim/base/table.h"
#include "sim/workload/workload.h"

namespace systole {

// Throws InputError with all problems of the text, each with its place in `file`.
Workload read_workload(const std::string& text, const std::string& file, const OperandFormats& default_formats);

// The keys of a workload file ("operator.m" for those of an operator).
const std::vector<KeyInfo>& workload_keys();

} // namespace systole
