#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "command/predict/points.hpp"

namespace armature::command::predict {
namespace {

constexpr double width = 720, height = 440, left = 90, right = 170, top = 50, bottom = 60;

/// One axis: values to places, logarithmic.
class Axis {
 public:
  Axis(double least, double most, double begin, double end)
      : low_(std::log10(least)), high_(std::log10(most)), begin_(begin), end_(end) {
    if (high_ - low_ < 1e-9) high_ = low_ + 1;
  }
  [[nodiscard]] double at(double value) const {
    return begin_ + (end_ - begin_) * (std::log10(value) - low_) / (high_ - low_);
  }

 private:
  double low_, high_, begin_, end_;
};

/// The name of a program is any text.
std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<')
      safe += "&lt;";
    else if (c == '&')
      safe += "&amp;";
    else if (static_cast<unsigned char>(c) >= 32)
      safe += c;
  }
  return safe;
}

std::string label(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     escaped(text));
}

struct Curve {
  const char* name;
  const char* colour;
  double Point::*value;
};
constexpr Curve curves[] = {{"time", "#b03020", &Point::time_s},
                            {"a rank's work", "#2060b0", &Point::work_s},
                            {"imbalance", "#c08000", &Point::imbalance_s},
                            {"latency", "#208040", &Point::latency_s},
                            {"bandwidth", "#7040a0", &Point::bandwidth_s}};

/// Values that are too small to be seen are left out.
std::string curve_of(const Curve& curve, const std::vector<Point>& points, const Axis& x,
                     const Axis& y, double least) {
  std::string line, dots;
  for (const Point& point : points) {
    const double value = point.*curve.value;
    if (value < least) continue;
    line += fmt::format("{:.1f},{:.1f} ", x.at(point.ranks), y.at(value));
    dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n",
                        x.at(point.ranks), y.at(value), curve.colour);
  }
  return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n{}",
                     line, curve.colour, dots);
}

/// So many that all values are seen, at most five.
int decades_of(const std::vector<Point>& points, double high) {
  constexpr double most = 5;
  double decades = 1;
  for (const Point& point : points)
    for (const Curve& curve : curves)
      if (const double value = point.*curve.value; value > high * std::pow(10, -most))
        decades = std::max(decades, std::ceil(std::log10(high / value)));
  return static_cast<int>(std::min(decades, most));
}

}  // namespace

std::string draw(const std::vector<Point>& points, const std::string& title) {
  double most = 1e-9;
  for (const Point& point : points) most = std::max(most, point.time_s);
  const double high = std::pow(10, std::ceil(std::log10(most)));
  const int decades = decades_of(points, high);
  const double low = high * std::pow(10, -decades);
  const Axis x(points.front().ranks, points.back().ranks, left, width - right);
  const Axis y(low, high, height - bottom, top);
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, height);
  text += label(width / 2, 24, "middle", title);
  text += label((left + width - right) / 2, height - 16, "middle", "ranks");
  for (int decade = 0; decade <= decades; ++decade) {
    const double value = low * std::pow(10, decade);
    text += fmt::format("<line x1=\"{}\" y1=\"{:.1f}\" x2=\"{}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>\n",
                        left, y.at(value), width - right, y.at(value));
    text += label(left - 8, y.at(value) + 4, "end", fmt::format("{:g} s", value));
  }
  for (const Point& point : points)
    text += label(x.at(point.ranks), height - bottom + 18, "middle", std::to_string(point.ranks));
  for (std::size_t i = 0; i < std::size(curves); ++i) {
    text += curve_of(curves[i], points, x, y, low);
    const double at = top + 20 * static_cast<double>(i);
    text += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"10\" height=\"10\" fill=\"{}\"/>\n",
                        width - right + 20, at, curves[i].colour);
    text += label(width - right + 36, at + 10, "start", curves[i].name);
  }
  for (const Point& point : points)
    text += label(x.at(point.ranks), y.at(point.time_s) - 8, "middle", point.limit());
  return text + "</svg>\n";
}

}  // namespace armature::command::predict
