// Where the labels of a picture go: greedy, so that none covers another one, a point or, if it can be helped, a line.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace systole {

// In pixels, y downwards.
struct PixelBox {
    double left = 0;
    double top = 0;
    double right = 0;
    double bottom = 0;

    bool overlaps(const PixelBox& other) const {
        return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
    }
    bool inside(const PixelBox& other) const {
        return left >= other.left && right <= other.right && top >= other.top && bottom <= other.bottom;
    }
};

// How wide a text may become. No font is asked: the width of a wide sans serif (DejaVu Sans), so others fit as well.
double text_width(const std::string& text, double font_size);

class LabelLayout {
  public:
    LabelLayout(const PixelBox& area, double font_size) : area_(area), font_size_(font_size) {}

    void keep_clear(const PixelBox& box) { taken_.push_back(box); }
    // A line to be avoided where there is a choice.
    void avoid_line(double x0, double y0, double x1, double y1);
    // Text turned by `degrees` (counter-clockwise) whose baseline begins at x, y.
    void keep_clear_turned(double x, double y, double width, double degrees);

    // The box of the label near the point, taken from now on; nothing if there is no room within the area.
    std::optional<PixelBox> place(double x, double y, const std::string& text);

  private:
    bool is_free(const PixelBox& box) const;
    int crossings(const PixelBox& box) const;

    PixelBox area_;
    double font_size_;
    std::vector<PixelBox> taken_;
    std::vector<PixelBox> lines_; // small boxes along each line
};

// Rows for texts that want to be centred at given places, so that no two of a row touch; row 0 comes first.
std::vector<int> rows_of(const std::vector<std::pair<double, double>>& spans);

} // namespace systole
