// The DMA requests of one unit of an operand: a rectangle of a matrix, or a part of a feature map, which is one
// rectangle after the other: image by image, channel by channel, band by band of pixel rows. Bands alike, and channels
// that are one piece each, are one rectangle. Nothing is allocated.
#pragma once

#include "dataflow/feature_map.h"
#include "memory/dma_descriptor.h"

namespace systole {

// Where a group's channels lie in memory: images of [channels, height, width], one behind the other.
struct MapPlace {
    std::uint64_t base = 0;
    std::int64_t first = 0;          // element: channel 0 of the group in image 0
    std::int64_t image_elements = 0; // from one image to the next, all groups
    int element_bits = 8;
};

class OperandTransfer {
  public:
    OperandTransfer() = default;                                                                      // of nothing
    OperandTransfer(const DmaDescriptor& rectangle) : current_(rectangle), left_(rectangle.left()) {} // NOLINT
    OperandTransfer(const FeatureMap& map, const MapPart& part, const MapPlace& place, Bytes burst);

    bool done() const { return left_ == 0; }
    Bytes left() const { return left_; } // of a part of a map at first ceil(elements * bits / 8)
    MemoryRequest next();                // not done()
    std::int64_t requests() const;       // how many are to come

  private:
    bool next_rectangle();
    DmaRectangle take_bands(const PixelBands& bands);
    void enter_image();

    DmaDescriptor current_;
    Bytes left_ = 0;
    FeatureMap map_;
    MapPart part_;
    MapPlace place_;
    Bytes burst_ = 0;
    std::int64_t image_ = 0, images_end_ = 0;
    MapImage of_image_;
    std::int64_t channel_ = 0;
    std::int64_t at_ = 0;     // pixel row of the channel from which on rectangles are to come
    bool half_moved_ = false; // an odd number of half bytes is behind
};

} // namespace systole
