#include "sim/report/label_layout.h"

#include <algorithm>
#include <cmath>

namespace systole {

namespace {

constexpr double per_character = 0.62; // of the font size: the mean of DejaVu Sans, rounded up
constexpr double line_height = 1.25;
constexpr double gap = 7; // between a point and its label

std::size_t characters(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

} // namespace

double text_width(const std::string& text, double font_size) {
    return static_cast<double>(characters(text)) * per_character * font_size;
}

void LabelLayout::avoid_line(double x0, double y0, double x1, double y1) {
    constexpr double step = 6;
    const double length = std::hypot(x1 - x0, y1 - y0);
    const int steps = static_cast<int>(std::ceil(length / step));
    for (int i = 0; i <= steps; ++i) {
        const double part = steps == 0 ? 0 : static_cast<double>(i) / steps;
        const double x = x0 + part * (x1 - x0);
        const double y = y0 + part * (y1 - y0);
        lines_.push_back({x - 2, y - 2, x + 2, y + 2});
    }
}

void LabelLayout::keep_clear_turned(double x, double y, double width, double degrees) {
    constexpr double pi = 3.14159265358979323846;
    const double half = font_size_ * line_height / 2;
    const double along_x = std::cos(degrees * pi / 180);
    const double along_y = -std::sin(degrees * pi / 180);
    for (double done = 0; done <= width; done += half) {
        const double at_x = x + done * along_x;
        const double at_y = y + done * along_y;
        taken_.push_back({at_x - half, at_y - half, at_x + half, at_y + half});
    }
}

bool LabelLayout::is_free(const PixelBox& box) const {
    return box.inside(area_) &&
           std::none_of(taken_.begin(), taken_.end(), [&](const PixelBox& other) { return box.overlaps(other); });
}

int LabelLayout::crossings(const PixelBox& box) const {
    return static_cast<int>(
        std::count_if(lines_.begin(), lines_.end(), [&](const PixelBox& part) { return box.overlaps(part); }));
}

std::optional<PixelBox> LabelLayout::place(double x, double y, const std::string& text) {
    const double width = text_width(text, font_size_);
    const double height = font_size_ * line_height;
    // Left edge and centre of the label, relative to the point; the better places first.
    std::vector<std::pair<double, double>> candidates;
    for (const double away : {0.0, 1.0, 2.0, 3.0}) {
        for (const double centre : {away * height, -away * height}) {
            candidates.emplace_back(gap + 4 * away, centre);
            candidates.emplace_back(-width - gap - 4 * away, centre);
            if (away > 0) {
                candidates.emplace_back(-width / 2, centre);
            }
        }
    }
    std::optional<PixelBox> best;
    int fewest = 0;
    for (const auto& [left, centre] : candidates) {
        const PixelBox box{x + left, y + centre - height / 2, x + left + width, y + centre + height / 2};
        if (!is_free(box)) {
            continue;
        }
        const int crossed = crossings(box);
        if (!best || crossed < fewest) {
            best = box;
            fewest = crossed;
        }
    }
    if (best) {
        taken_.push_back(*best);
    }
    return best;
}

std::vector<int> rows_of(const std::vector<std::pair<double, double>>& spans) {
    std::vector<int> rows(spans.size(), 0);
    for (std::size_t i = 0; i < spans.size(); ++i) {
        const auto clashes = [&](int row) {
            for (std::size_t j = 0; j < i; ++j) {
                if (rows[j] == row && spans[i].first < spans[j].second && spans[j].first < spans[i].second) {
                    return true;
                }
            }
            return false;
        };
        while (clashes(rows[i])) {
            ++rows[i];
        }
    }
    return rows;
}

} // namespace systole
