#include "sim/cli/sweep_progress.h"

#include <algorithm>
#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "sim/report/wrap.h"

namespace systole {

namespace {

std::string duration_text(double seconds) {
    const auto whole = static_cast<long long>(seconds + 0.5);
    if (whole >= 3600) {
        return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
    }
    return whole >= 60 ? fmt::format("{} min {:02} s", whole / 60, whole % 60) : fmt::format("{} s", whole);
}

} // namespace

SweepProgressLine::SweepProgressLine(std::ostream& stream, const Metric& best_by, int columns)
    : stream_(stream), best_by_(best_by), columns_(columns) {
    const std::vector<Metric>& metrics = point_metrics();
    while (index_ < metrics.size() && &metrics[index_] != &best_by) {
        ++index_;
    }
}

SweepProgressLine::~SweepProgressLine() {
    if (drawn_) {
        stream_ << "\r\033[K" << std::flush;
    }
}

void SweepProgressLine::see(const Settings& settings, const PointOutcome& outcome) {
    if (index_ >= outcome.metrics.size() || !is_number(outcome.metrics[index_])) {
        return;
    }
    const Cell& value = outcome.metrics[index_];
    const bool better =
        best_by_.better == Better::higher ? number_of(value) > number_of(best_) : number_of(value) < number_of(best_);
    if (is_number(best_) && !better) {
        return;
    }
    best_ = value;
    best_settings_.clear();
    for (const auto& [key, text] : settings) {
        best_settings_ += " " + key + "=" + text;
    }
}

std::string SweepProgressLine::line(const SweepProgress& progress, double seconds) const {
    constexpr std::int64_t width = 20;
    const auto points = std::max<std::int64_t>(progress.points, 1);
    const auto filled = static_cast<std::size_t>(width * std::min(progress.stored, points) / points);
    std::string text = fmt::format("[{}{}] {}/{}", std::string(filled, '#'), std::string(width - filled, '.'),
                                   progress.stored, progress.points);
    if (progress.newly > 0 && seconds > 0) {
        const double rate = static_cast<double>(progress.newly) / seconds;
        const double left = static_cast<double>(progress.points - progress.stored) / rate;
        text += fmt::format("  {:.3g}/s  {} left", rate, duration_text(std::max(left, 0.0)));
    }
    if (progress.failed > 0) {
        text += fmt::format("  {} failed", progress.failed);
    }
    if (is_number(best_)) {
        text += fmt::format("  best {} {:.5g}:{}", best_by_.name, number_of(best_), best_settings_);
    }
    text = printable(text);
    return text.substr(0, static_cast<std::size_t>(std::max(columns_ - 1, 20)));
}

void SweepProgressLine::update(const SweepProgress& progress) {
    const Clock::time_point now = Clock::now();
    if (now < next_) {
        return;
    }
    next_ = now + std::chrono::milliseconds(100);
    drawn_ = true;
    stream_ << "\r\033[K" << line(progress, std::chrono::duration<double>(now - begin_).count()) << std::flush;
}

int terminal_columns() {
    winsize size{};
    const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : 80;
}

} // namespace systole
