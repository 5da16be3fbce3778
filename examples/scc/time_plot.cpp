#include "time_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "debian/amount.hpp"
#include "debian/svg.hpp"

namespace scc {
namespace {

using debian::Point;
using debian::svg_text;

// Lengths in pixels.
constexpr double margin = 32;
constexpr double panel_top = 132;
constexpr double panel_width = 520;
constexpr double panel_height = 260;
constexpr double panel_gap = 56;
constexpr double axis_width = 52;
constexpr double bottom = 64;

constexpr const char* ink = "#1f2933";
constexpr const char* faint_ink = "#66727f";
constexpr const char* grid_ink = "#e3e7eb";
constexpr const char* search_ink = "#18539a";
constexpr const char* serial_ink = "#b0572c";

// A round step that divides the axis into about five.
double step_of(double highest) {
  const double power = std::pow(10, std::floor(std::log10(highest / 5)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (highest / (step * power) <= 6) return step * power;
  }
  return 10 * power;
}

class Panel {
 public:
  Panel(const GraphReport& report, double left) : report_(report), left_(left + axis_width) {
    double highest_ms = 1e3 * report.serial_seconds;
    for (const Timing& timing : report.timings) {
      highest_ms = std::max(highest_ms, 1e3 * timing.seconds);
    }
    step_ms_ = step_of(std::max(highest_ms, 1e-3));
    top_ms_ = step_ms_ * std::max(1.0, std::ceil(highest_ms / step_ms_));
  }

  std::string draw() const {
    std::string body =
        svg_text(left_ - axis_width, panel_top - 34, report_.title, {15, ink, "start", true}) +
        svg_text(left_ - axis_width, panel_top - 14, "milliseconds", {11, faint_ink});
    return body + draw_grid() + draw_serial() + draw_times();
  }

 private:
  double y_of(double ms) const { return panel_top + panel_height * (1 - ms / top_ms_); }
  // Factors stand at equal distances: they are powers of two. Adaptive stands a little apart.
  Point place(std::size_t i) const {
    constexpr double apart = 0.5;
    const double width = plot_width / (static_cast<double>(report_.timings.size()) + apart);
    const double shift = report_.timings[i].aggregation == 0 ? apart : 0;
    return {left_ + width * (static_cast<double>(i) + 0.5 + shift),
            y_of(1e3 * report_.timings[i].seconds)};
  }

  std::string draw_grid() const {
    std::string body;
    for (int i = 0; i * step_ms_ <= top_ms_ * 1.001; ++i) {
      const double y = y_of(i * step_ms_);
      body += debian::svg_line(std::array{Point{left_, y}, Point{left_ + plot_width, y}},
                               {grid_ink, 1, false});
      body += svg_text(left_ - 8, y + 4, fmt::format("{:g}", i * step_ms_), {11, ink, "end"});
    }
    return body + svg_text(left_ + plot_width / 2, panel_top + panel_height + 40,
                           "calls to one rank that travel together", {11, faint_ink, "middle"});
  }

  std::string draw_serial() const {
    const double y = y_of(1e3 * report_.serial_seconds);
    return debian::svg_line(std::array{Point{left_, y}, Point{left_ + plot_width, y}},
                            {serial_ink, 1, true}) +
           svg_text(left_ + plot_width, y - 6, "Tarjan's algorithm, one rank",
                    {11, serial_ink, "end"});
  }

  std::string draw_times() const {
    std::vector<Point> fixed;
    std::string dots;
    for (std::size_t i = 0; i < report_.timings.size(); ++i) {
      const Timing& timing = report_.timings[i];
      const Point at = place(i);
      const std::string word = aggregation_word(timing.aggregation);
      if (timing.aggregation != 0) fixed.push_back(at);
      dots += debian::svg_dot(at, timing.aggregation != 0 ? 4 : 6, search_ink,
                              fmt::format("{}: {:.2f} ms, {} calls", word, 1e3 * timing.seconds,
                                          debian::grouped(timing.calls)));
      dots += svg_text(at.x, panel_top + panel_height + 20, word, {11, ink, "middle"});
    }
    return debian::svg_line(fixed, {search_ink, 2, false}) + dots;
  }

  static constexpr double plot_width = panel_width - axis_width;
  const GraphReport& report_;
  double left_;  // of the plot itself
  double step_ms_;
  double top_ms_;
};

}  // namespace

std::string draw(const std::vector<GraphReport>& reports, int ranks) {
  constexpr const char* title = "Circles in Debian's dependency graph: time and aggregation";
  std::string body = svg_text(margin, margin + 12, title, {20, ink, "start", true});
  body += svg_text(margin, margin + 34,
                   fmt::format("Strongly connected components on {} ranks by remote methods, each "
                               "about one vertex",
                               ranks),
                   {13, faint_ink});
  double left = margin;
  for (const GraphReport& report : reports) {
    body += Panel(report, left).draw();
    left += panel_width + panel_gap;
  }
  return debian::svg_file(left - panel_gap + margin, panel_top + panel_height + bottom, title,
                          body);
}

}  // namespace scc
