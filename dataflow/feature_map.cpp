#include "dataflow/feature_map.h"

#include <algorithm>

namespace systole {

FeatureMap::FeatureMap(const ConvolutionWindow& window)
    : rows_(rows_of(window)), columns_(touched_span(columns_of(window))), width_(window.width),
      output_width_(window.outputs[1]), taps_(window.taps()), image_rows_(window.outputs[0] * window.outputs[1]),
      touched_rows_(touched_pixels(rows_)) {}

Interval FeatureMap::channels(const Interval& columns, bool goes_on) const {
    return {goes_on ? (columns.begin + taps_ - 1) / taps_ : columns.begin / taps_, (columns.end + taps_ - 1) / taps_};
}

Interval FeatureMap::images(const Interval& rows) const {
    return {rows.begin / image_rows_, (rows.end - 1) / image_rows_ + 1};
}

MapImage FeatureMap::image(const MapPart& part, std::int64_t number) const {
    const auto first = number * image_rows_; // row of A
    const auto outputs = [&](std::int64_t begin, std::int64_t end) -> Interval {
        begin = std::max(begin, first) - first;
        end = std::min(end, first + image_rows_) - first;
        return begin < end ? Interval{begin / output_width_, (end - 1) / output_width_ + 1} : Interval{};
    };
    return {outputs(part.rows.begin, part.rows.end), outputs(part.rows_from, part.rows.begin)};
}

std::int64_t FeatureMap::elements(const Interval& rows, std::int64_t rows_from) const {
    const MapPart part{rows, rows_from, {}};
    const auto touched = images(rows);
    const auto pixel_rows = [&](std::int64_t number) {
        const auto image = this->image(part, number);
        return touched_pixels(rows_, image.outputs, image.before);
    };
    auto sum = pixel_rows(touched.begin);
    if (touched.size() > 1)
        sum += pixel_rows(touched.end - 1);
    if (touched.size() > 2) // whole images
        sum += (touched.size() - 2) * touched_rows_;
    return sum * columns_.size();
}

} // namespace systole
