#include "dataflow/operand_transfer.h"

#include <algorithm>

namespace systole {

OperandTransfer::OperandTransfer(const FeatureMap& map, const MapPart& part, const MapPlace& place, Bytes burst)
    : map_(map), part_(part), place_(place), burst_(burst) {
    constexpr std::int64_t byte = 8;
    left_ = ceil_div(map.elements(part) * place.element_bits, byte);
    if (left_ == 0)
        return;
    const auto images = map.images(part.rows);
    image_ = images.begin;
    images_end_ = images.end;
    enter_image();
    next_rectangle();
}

void OperandTransfer::enter_image() {
    channel_ = part_.channels.begin;
    at_ = 0;
    if (image_ < images_end_)
        of_image_ = map_.image(part_, image_);
}

// The next one that has bytes: half a byte may have been moved with the one before.
bool OperandTransfer::next_rectangle() {
    while (image_ < images_end_) {
        const auto bands = next_bands(map_.rows(), of_image_.outputs, of_image_.before, at_);
        if (bands.size == 0) {
            if (at_ == 0 || ++channel_ == part_.channels.end) {
                ++image_;
                enter_image();
            }
            at_ = 0;
            continue;
        }
        auto rectangle = take_bands(bands);
        rectangle.half_moved = half_moved_;
        half_moved_ ^= rectangle.rows * rectangle.cols * place_.element_bits % 8 != 0;
        current_ = DmaDescriptor(rectangle, burst_);
        if (!current_.done())
            return true;
    }
    return false;
}

DmaRectangle OperandTransfer::take_bands(const PixelBands& bands) {
    const auto width = map_.width();
    const auto& columns = map_.columns();
    const bool whole_width = columns.size() == width;
    DmaRectangle rectangle{.base = place_.base,
                           .first = place_.first + image_ * place_.image_elements + channel_ * map_.channel_elements() +
                                    bands.begin * width + columns.begin,
                           .rows = bands.count,
                           .cols = whole_width ? bands.size * width : columns.size(),
                           .pitch = std::max(bands.pitch, bands.size) * width,
                           .element_bits = place_.element_bits};
    if (!whole_width && bands.size > 1) { // a band is no single piece
        rectangle.rows = bands.size;
        rectangle.pitch = width;
        at_ = bands.begin + bands.size;
        return rectangle;
    }
    const bool first = channel_ == part_.channels.begin && at_ == 0;
    at_ = bands.end();
    if (first && bands.count == 1 && next_bands(map_.rows(), of_image_.outputs, of_image_.before, at_).size == 0) {
        rectangle.rows = part_.channels.size();
        rectangle.pitch = map_.channel_elements();
        channel_ = part_.channels.end - 1;
    }
    return rectangle;
}

MemoryRequest OperandTransfer::next() {
    const auto request = current_.next();
    left_ -= request.bytes;
    if (current_.done() && left_ > 0)
        next_rectangle();
    return request;
}

std::int64_t OperandTransfer::requests() const {
    if (done())
        return 0;
    auto rest = *this;
    std::int64_t sum = rest.current_.requests();
    while (rest.next_rectangle())
        sum += rest.current_.requests();
    return sum;
}

} // namespace systole
