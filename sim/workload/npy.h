// Matrices in NumPy's .npy files (format versions 1.0 to 3.0: NumPy Enhancement Proposal 1, numpy.lib.format).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pe/format.h"

namespace systole {

// Row-major, whatever the order in the file. A double holds every value of the types that are read but the integers of
// 64 bits, which are refused beyond 2^53.
struct NpyMatrix {
    std::int64_t rows = 0, cols = 0;
    std::vector<double> values;
};

// Reads '<f2', '<f4', '<f8' and integers of 1, 2, 4 and 8 bytes, little-endian, C or Fortran order, two dimensions of
// at least 1. Throws InputError with the file, what is wrong and what would cure it: no such file, not .npy, a header
// that is no header, another type, byte order or number of dimensions, a file that is shorter or longer than it says,
// more than 4 GiB of values.
NpyMatrix read_npy(const std::string& file);
NpyMatrix parse_npy(std::string_view content, const std::string& file);

// The file of a matrix with values of `format`, version 1.0, C order. int8, int32, fp16 and fp32 have their own type;
// int4 is written as int8 and bf16 and fp8 as fp32, which hold all their values.
std::string npy_text(Format format, std::int64_t rows, std::int64_t cols, const std::vector<double>& values);

} // namespace systole
