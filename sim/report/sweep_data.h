// A sweep as its pictures take it: plain numbers and texts, wherever they were stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace systole {

struct SweepAxis {
    std::string name;                // "array.rows,array.cols"
    std::vector<std::string> values; // as they are shown: "8x8", "ws"
    bool changes_work = false;       // another network or size: times of its values are not those of one task
};

enum class SweepOrder { lower_is_better, higher_is_better, none };

struct SweepMetric {
    std::string name; // "array_utilization"
    std::string unit; // "s", "bytes", ...; "" for a ratio, which is shown as percent
    std::string help;
    SweepOrder order = SweepOrder::none;
};

struct SweepPoint {
    std::int64_t number = 0;     // its place in the space
    std::vector<std::size_t> at; // for each axis the value that it has
    std::vector<double> values;  // for each metric; not a number: not known
    std::string bound;           // what sets the lower bound of the roofline
    std::string command;         // that runs it again
    bool on_front = false;       // no other point is better in time and area
};

// All texts may come from users' files.
struct SweepData {
    std::string title;
    std::string version;
    std::vector<SweepAxis> axes;
    std::vector<SweepMetric> metrics;
    std::vector<SweepPoint> points; // those that are good, one at least
    std::int64_t total = 0;         // of the whole sweep
    std::int64_t failed = 0;        // of those that were run

    std::size_t metric(const std::string& name) const; // throws InternalError for one that is not there
    double value(const SweepPoint& point, const std::string& metric) const {
        return point.values[this->metric(metric)];
    }
};

// What lies along the pictures. Of the points that share a cell the best one stands for all.
struct SweepView {
    std::size_t x = 0;                 // an axis
    std::optional<std::size_t> y;      // another one; nothing: one row
    std::size_t value = 0;             // a metric that has a better and a worse
    std::optional<std::size_t> winner; // an axis: a cell shows which of its values is best, not how good it is
};

// More points than this make pictures that no browser is happy with, more values of an axis cells that nobody sees.
inline constexpr std::size_t most_pictured_points = 50'000;
inline constexpr std::size_t most_pictured_values = 100;

// Throws InputError for more points or values on x and y.
void require_drawable(const SweepData& data, const SweepView& view);

// One for each combination of x and y, row by row: the index of the best point in `metric`, nothing where no point is.
// `winner_value`: of the points with this value of the winner's axis alone.
std::vector<std::optional<std::size_t>> best_of_cells(const SweepData& data, const SweepView& view, std::size_t metric,
                                                      std::optional<std::size_t> winner_value = {});

struct CellWinner {
    std::size_t value = 0;           // of the winner's axis: the first one that is best
    std::vector<std::size_t> equals; // others that are as good
    // How much worse the best of the rest is: 0.25: a quarter more (or, of what should be high, the winner has a
    // quarter more); nothing: there is no rest.
    std::optional<double> ahead;
    std::size_t point = 0; // the index of the winner's best point
};

std::vector<std::optional<CellWinner>> winners_of_cells(const SweepData& data, const SweepView& view);

std::size_t columns_of(const SweepData& data, const SweepView& view); // of x
std::size_t rows_of(const SweepData& data, const SweepView& view);    // of y; 1 without

std::string winner_text(const SweepData& data, const SweepView& view, const CellWinner& winner); // "ws = is +12 %"

// "45.10 %", "1.234 ms", "256 KiB", "16.38 k".
std::string metric_text(const SweepMetric& metric, double value);

} // namespace systole
