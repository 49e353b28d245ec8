// The header of a .npy file: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace systole {

struct NpyHeader {
    std::string descr;
    bool fortran_order = false;
    std::vector<std::int64_t> shape;
    std::size_t size = 0; // bytes of the file before its values
};

// Throws InputError for what is no .npy file or has another header than NumPy writes.
NpyHeader parse_npy_header(std::string_view content, const std::string& file);

// With everything in front of the values; these begin at a multiple of 64 bytes.
std::string npy_header_text(const std::string& descr, std::int64_t rows, std::int64_t cols);

} // namespace systole
