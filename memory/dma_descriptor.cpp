#include "memory/dma_descriptor.h"

#include <algorithm>

namespace systole {

namespace {
constexpr std::int64_t byte = 8; // bits
}

DmaDescriptor::DmaDescriptor(const DmaRectangle& r, Bytes burst) : burst_(burst) {
    const std::int64_t row_bits = r.cols * r.element_bits;
    const std::int64_t pitch_bits = r.pitch * r.element_bits;
    const auto start = r.base + static_cast<std::uint64_t>(r.first * r.element_bits / byte);
    if (r.rows == 1 || r.cols == r.pitch) {
        add(start, 1, (r.rows * row_bits + (r.half_moved ? 0 : byte - 1)) / byte, 0);
    } else if (row_bits % byte == 0 && pitch_bits % byte == 0) {
        add(start, r.rows, row_bits / byte, pitch_bits / byte);
    } else {
        half_byte_rows(r);
    }
}

// Rows that begin or end in the middle of a byte. Of two rows together both length and distance are whole bytes, so the
// 0th, 2nd, ... row go first, then the 1st, 3rd, ... Half a byte at the end of a row is moved with the rows of even
// number and not again with the others. So the bytes are those of the packed elements, ceil(rows * cols / 2), and each
// lies within its row, which touches ceil(cols / 2) at least. With `half_moved` it is the other way round.
void DmaDescriptor::half_byte_rows(const DmaRectangle& r) {
    const std::int64_t row_bits = r.cols * r.element_bits;
    const std::int64_t pitch_bits = r.pitch * r.element_bits;
    const auto address = [&](std::int64_t row) {
        return r.base + static_cast<std::uint64_t>((r.first * r.element_bits + row * pitch_bits) / byte);
    };
    const auto down = row_bits / byte, up = ceil_div(row_bits, byte);
    add(address(0), ceil_div(r.rows, 2), r.half_moved ? down : up, 2 * pitch_bits / byte);
    add(address(1), r.rows / 2, r.half_moved ? up : down, 2 * pitch_bits / byte);
}

void DmaDescriptor::add(std::uint64_t address, std::int64_t count, Bytes bytes, Bytes pitch) {
    if (count * bytes == 0)
        return;
    auto& rows = rows_[rows_[0].count > 0 ? 1 : 0];
    rows = {address, count, bytes, pitch, std::max<std::int64_t>(1, burst_ / bytes)};
    left_ += count * bytes;
}

std::int64_t DmaDescriptor::requests() const {
    std::int64_t sum = 0;
    Bytes offset = offset_;
    for (const auto& rows : rows_) {
        if (rows.count == 0)
            continue;
        sum += rows.bytes <= burst_
                   ? ceil_div(rows.count, rows.together)
                   : ceil_div(rows.bytes - offset, burst_) + (rows.count - 1) * ceil_div(rows.bytes, burst_);
        offset = 0;
    }
    return sum;
}

MemoryRequest DmaDescriptor::next() {
    auto& rows = front();
    MemoryRequest request;
    request.address = rows.address + static_cast<std::uint64_t>(offset_);
    std::int64_t finished = 0; // rows
    if (rows.bytes > burst_) {
        request.bytes = std::min(burst_, rows.bytes - offset_);
        offset_ += request.bytes;
        finished = offset_ == rows.bytes ? 1 : 0;
    } else {
        finished = std::min(rows.count, rows.together);
        request.bytes = finished * rows.bytes;
        if (finished > 1) {
            request.piece_bytes = rows.bytes;
            request.pitch = rows.pitch;
        }
    }
    if (finished > 0) {
        offset_ = 0;
        rows.address += static_cast<std::uint64_t>(finished * rows.pitch);
        rows.count -= finished;
    }
    left_ -= request.bytes;
    return request;
}

} // namespace systole
