// Which part of a feature map a part of a convolution's A stands for (dataflow/window.h): what is fetched and what
// lies in VMEM. Rows of A are (image, y, x), columns (channel, i, j).
//
// A part is a product: channels x, in each image, pixel rows. Pixel rows are those that the output rows read which the
// rows of A belong to, each from the first to the last column that any output reads. docs/model.md, "Convolutions".
#pragma once

#include "dataflow/window.h"

namespace systole {

struct MapPart {
    Interval rows;              // of A, whichever core they are of
    std::int64_t rows_from = 0; // rows of A from here up to `rows` have brought their pixel rows
    Interval channels;
};

// Of one image: the output rows that are looked at, and those whose pixel rows are there already.
struct MapImage {
    Interval outputs;
    Interval before;
};

class FeatureMap {
  public:
    FeatureMap() = default; // of one pixel
    explicit FeatureMap(const ConvolutionWindow& window);

    // Of one channel: elements of the pixel rows of `rows` less those of the rows of A from `rows_from` on before.
    std::int64_t elements(const Interval& rows, std::int64_t rows_from) const;
    std::int64_t elements(const MapPart& part) const {
        return elements(part.rows, part.rows_from) * part.channels.size();
    }

    // The channels that columns of A belong to. `goes_on`: the first of them has begun with a column before and is left
    // out, if a column before belongs to it.
    Interval channels(const Interval& columns, bool goes_on) const;

    Interval images(const Interval& rows) const;
    MapImage image(const MapPart& part, std::int64_t number) const;

    const WindowSide& rows() const { return rows_; }
    const Interval& columns() const { return columns_; } // those that some output reads
    std::int64_t width() const { return width_; }
    std::int64_t channel_elements() const { return rows_.pixels * width_; }
    std::int64_t output_width() const { return output_width_; }
    std::int64_t image_rows() const { return image_rows_; } // rows of A of one image

  private:
    WindowSide rows_;
    Interval columns_{0, 1};
    std::int64_t width_ = 1;
    std::int64_t output_width_ = 1;
    std::int64_t taps_ = 1;
    std::int64_t image_rows_ = 1;   // rows of A of one image
    std::int64_t touched_rows_ = 1; // of pixels, of a whole image
};

} // namespace systole
