#include "sim/report/plot_canvas.h"

#include <cmath>

#include <fmt/format.h>

#include "sim/report/numbers.h"

namespace systole {

namespace {

// Bytes of the character that begins at `text[at]`; 0 where it is no well-formed one of UTF-8 (RFC 3629).
std::size_t character_length(const std::string& text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(i < text.size() ? text[i] : '\0'); };
    const unsigned first = byte(at);
    const std::size_t length = first < 0x80                    ? 1
                               : first >= 0xC2 && first < 0xE0 ? 2
                               : first < 0xF0                  ? 3
                               : first < 0xF5                  ? 4
                                                               : 0;
    if (length == 1) {
        return first >= ' ' && first != 0x7F ? 1 : 0;
    }
    if (first < 0xC2) {
        return 0;
    }
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xC0U) != 0x80U) {
            return 0;
        }
    }
    const unsigned second = byte(at + 1);
    const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool beyond = (first == 0xED && second >= 0xA0) || (first == 0xF4 && second >= 0x90);
    const bool control = first == 0xC2 && second < 0xA0;
    return overlong || beyond || control ? 0 : length;
}

std::vector<std::string> characters_of(const std::string& text) {
    std::vector<std::string> all;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = character_length(text, at);
        all.push_back(length == 0 ? "?" : text.substr(at, length));
        at += length == 0 ? 1 : length;
    }
    return all;
}

std::string quoted(const std::string& clean) {
    std::string text = "'";
    for (const char c : clean) {
        text += c == '\'' ? "''" : std::string(1, c);
    }
    return text + "'";
}

const char* word(Align align) { return align == Align::left ? "left" : align == Align::right ? "right" : "center"; }

std::string range(const char* axis, const PanelAxis& of) {
    return fmt::format("unset logscale {0}\nset {0}range [{1:.9g}:{2:.9g}]\n{3}", axis, of.from, of.to,
                       of.logarithmic ? fmt::format("set logscale {}\n", axis) : "");
}

// gnuplot takes the label of a tic for a format.
std::string as_format(const std::string& label) {
    std::string text;
    for (const char c : label) {
        text += c == '%' ? "%%" : std::string(1, c);
    }
    return text;
}

std::string tics_text(const char* axis, const std::vector<Tic>& tics) {
    std::string text;
    for (const Tic& tic : tics) {
        text += fmt::format("{}{} {:.9g} {}", text.empty() ? "" : ", ", gnuplot_quoted(as_format(tic.label)), tic.at,
                            tic.minor ? 1 : 0);
    }
    return fmt::format("set {}tics ({}) nomirror textcolor rgb '{}'\n", axis, text, PlotCanvas::ink);
}

} // namespace

std::string clipped(const std::string& text, std::size_t most) {
    const std::vector<std::string> characters = characters_of(text);
    std::string kept;
    for (std::size_t i = 0; i < characters.size(); ++i) {
        if (i + 1 == most && characters.size() > most) {
            return kept + "\u2026";
        }
        kept += characters[i];
    }
    return kept;
}

std::string gnuplot_quoted(const std::string& text, std::size_t most) { return quoted(clipped(text, most)); }

double PanelAxis::pixel(double value) const {
    const double part = logarithmic ? std::log(value / from) / std::log(to / from) : (value - from) / (to - from);
    return first_pixel + part * (last_pixel - first_pixel);
}

std::string PlotCanvas::at(double x, double y) const {
    return fmt::format("screen {:.5f}, screen {:.5f}", x / width_, 1 - y / height_);
}

void PlotCanvas::begin_panel(const PixelBox& frame, const PanelAxis& x, const PanelAxis& y) {
    panels_ += fmt::format("set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\n", frame.left / width_,
                           frame.right / width_);
    panels_ += fmt::format("set tmargin at screen {:.5f}\nset bmargin at screen {:.5f}\n", 1 - frame.top / height_,
                           1 - frame.bottom / height_);
    panels_ += fmt::format("set border 3 linecolor rgb '{}'\n", faint);
    panels_ += range("x", x) + range("y", y);
    plots_.clear();
}

void PlotCanvas::x_tics(const std::vector<Tic>& tics, const std::string& title) {
    panels_ += tics_text("x", tics);
    panels_ += fmt::format("set xlabel {} textcolor rgb '{}'\n", gnuplot_quoted(title), ink);
    panels_ += "set grid xtics linecolor rgb '#dddddd' linetype 1\n";
}

void PlotCanvas::y_tics(const std::vector<Tic>& tics) {
    panels_ += tics_text("y", tics) + "set grid ytics linecolor rgb '#dddddd' linetype 1\n";
}

void PlotCanvas::no_axes() { panels_ += "unset border; unset xtics; unset ytics; unset grid\n"; }

void PlotCanvas::text(double x, double y, const std::string& text, Align align, const char* color, double degrees) {
    panels_ += fmt::format("set label {} at {} {} rotate by {:.2f} front textcolor rgb '{}'\n", gnuplot_quoted(text),
                           at(x, y), word(align), degrees, color);
}

void PlotCanvas::heading(double x, double y, const std::string& text) {
    panels_ += fmt::format("set label {} at {} left font sprintf(',%.1f', heading_size) front textcolor rgb '{}'\n",
                           gnuplot_quoted(text), at(x, y), ink);
}

void PlotCanvas::swatch(double x, double y, const std::string& color) {
    const double half = 0.4 * font_size_;
    panels_ += fmt::format("set object rectangle from {} to {} fillcolor rgb '{}' fillstyle solid 1 noborder\n",
                           at(x - half, y + half), at(x + half, y - half), color);
}

void PlotCanvas::line(double x0, double y0, double x1, double y1, const std::string& style) {
    panels_ += fmt::format("set arrow from {} to {} nohead {}\n", at(x0, y0), at(x1, y1), style);
}

void PlotCanvas::series(const std::string& style, const std::vector<std::string>& rows) {
    const std::string block = fmt::format("$data{}", ++blocks_);
    panels_ += block + " << END_OF_DATA\n";
    for (const std::string& row : rows) {
        panels_ += row + "\n";
    }
    panels_ += "END_OF_DATA\n";
    plots_ += (plots_.empty() ? "plot " : ", ") + block + " " + style;
}

void PlotCanvas::end_panel() {
    panels_ += plots_ + "\nunset label; unset arrow; unset object; unset xlabel; unset xtics; unset ytics\n";
}

std::string PlotCanvas::script(PictureFormat format) const {
    constexpr double png_scale = 2;     // pixels for screens with small ones
    constexpr double png_points = 0.75; // a point of cairo's fonts is 4/3 pixels
    constexpr double svg_points = 0.8;  // its points are larger
    constexpr double heading = 1.2;
    const bool svg = format == PictureFormat::svg;
    const double font = svg ? font_size_ : png_points * font_size_;
    const std::string terminal =
        svg ? fmt::format("set terminal svg size {:.0f},{:.0f} fixed font 'sans-serif,{:.1f}' noenhanced background "
                          "'#ffffff'\n",
                          width_, height_, font)
            : fmt::format("set terminal pngcairo size {:.0f},{:.0f} font 'sans-serif,{:.2f}' fontscale {:.0f} "
                          "linewidth {:.0f} pointscale {:.0f} noenhanced background '#ffffff'\n",
                          png_scale * width_, png_scale * height_, font, png_scale, png_scale, png_scale);
    return terminal + fmt::format("heading_size = {:.2f}\npoint_scale = {}\n", heading * font, svg ? svg_points : 1) +
           "set encoding utf8\nset multiplot\nunset key\nset tics front\n" + panels_ + "unset multiplot\n";
}

std::string scaled_number(double value) {
    std::string text = scaled(value, "");
    if (text.back() == ' ') {
        text.pop_back();
    }
    return text;
}

double decade_below(double value) { return std::pow(10, std::floor(std::log10(value) + 1e-9)); }

std::vector<Tic> decades(double from, double to, const std::string& unit) {
    constexpr int all_labelled = 9; // above that every second power has a label
    const double count = std::log10(to / from);
    const int every = count > all_labelled ? 2 : 1;
    std::vector<Tic> tics;
    const int first = static_cast<int>(std::floor(std::log10(from) + 1e-9));
    for (int power = first; std::pow(10, power) <= to; ++power) {
        for (int digit = 1; digit <= 9; ++digit) {
            const double value = digit * std::pow(10, power);
            if (value < from * (1 - 1e-9) || value > to * (1 + 1e-9)) {
                continue;
            }
            const bool labelled = digit == 1 && (power - first) % every == 0;
            const std::string label = !labelled ? "" : unit.empty() ? scaled_number(value) : scaled(value, unit);
            tics.push_back({value, label, digit != 1});
        }
    }
    return tics;
}

} // namespace systole
