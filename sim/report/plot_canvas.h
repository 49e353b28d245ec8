// A gnuplot script in the making, in pixels from the upper left corner: gnuplot draws, the layout is decided here.
#pragma once

#include <string>
#include <vector>

#include "sim/report/label_layout.h"

namespace systole {

enum class PictureFormat { svg, png };

enum class Align { left, centre, right };

// A text within single quotes of gnuplot: control characters and what is not UTF-8 become '?', a text of more than
// `most` characters ends in an ellipsis.
std::string gnuplot_quoted(const std::string& text, std::size_t most = 200);

// The same shortening, without quotes.
std::string clipped(const std::string& text, std::size_t most);

// One axis of a panel, linear or logarithmic, from pixel to pixel.
struct PanelAxis {
    double from = 0;
    double to = 1;
    double first_pixel = 0;
    double last_pixel = 1;
    bool logarithmic = false;

    double pixel(double value) const;
};

struct Tic {
    double at = 0;
    std::string label;
    bool minor = false;
};

class PlotCanvas {
  public:
    static constexpr const char* ink = "#333333";
    static constexpr const char* faint = "#777777";

    PlotCanvas(double width, double height, double font_size) : width_(width), height_(height), font_size_(font_size) {}

    double width() const { return width_; }
    double font_size() const { return font_size_; }
    double line_height() const { return 1.35 * font_size_; }

    // A panel; what is said until end_panel(), and before the first panel, belongs to it. x and y lie on the sides of
    // `frame`, y from bottom to top.
    void begin_panel(const PixelBox& frame, const PanelAxis& x, const PanelAxis& y);
    void x_tics(const std::vector<Tic>& tics, const std::string& title);
    void y_tics(const std::vector<Tic>& tics);
    void no_axes(); // of the panel: neither border nor tics
    void text(double x, double y, const std::string& text, Align align = Align::left, const char* color = ink,
              double degrees = 0);                             // y: the middle of the line
    void heading(double x, double y, const std::string& text); // larger
    void swatch(double x, double y, const std::string& color); // a filled square around x, y
    void line(double x0, double y0, double x1, double y1, const std::string& style);
    // Data in the panel's own units: "using ... with ...", and its rows of numbers. Drawn in the order given.
    void series(const std::string& style, const std::vector<std::string>& rows);
    void end_panel();

    std::string script(PictureFormat format) const;

  private:
    std::string at(double x, double y) const;

    double width_;
    double height_;
    double font_size_;
    std::string panels_;
    std::string plots_; // of the panel that is open
    int blocks_ = 0;    // of data
};

// scaled() of a number without a unit: "240.1", "14.91 k".
std::string scaled_number(double value);

// Greatest power of ten up to value.
double decade_below(double value);

// Tics of a logarithmic axis at powers of ten, with minor ones between.
std::vector<Tic> decades(double from, double to, const std::string& unit);

} // namespace systole
