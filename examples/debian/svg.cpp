#include "debian/svg.hpp"

#include <fmt/format.h>

namespace debian {
namespace {

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&') {
      safe += "&amp;";
    } else if (c == '<') {
      safe += "&lt;";
    } else if (c == '>') {
      safe += "&gt;";
    } else {
      safe += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return safe;
}

// The end of an element that has begun.
std::string hinted(const char* element, std::string_view hint) {
  if (hint.empty()) return "/>\n";
  return std::string("><title>") + escaped(hint) + "</title></" + element + ">\n";
}

}  // namespace

std::string svg_file(double width, double height, std::string_view title, const std::string& body) {
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0f}\" height=\"{:.0f}\" "
             "viewBox=\"0 0 {:.0f} {:.0f}\" font-family=\"system-ui, 'DejaVu Sans', sans-serif\" "
             "role=\"img\">\n",
             width, height, width, height) +
         "<title>" + escaped(title) + "</title>\n" +
         "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n" + body + "</svg>\n";
}

std::string svg_text(double x, double y, std::string_view words, const TextStyle& style) {
  return fmt::format(
             "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\" fill=\"{}\" text-anchor=\"{}\"{}>",
             x, y, style.size, style.color, style.anchor,
             style.bold ? " font-weight=\"600\"" : "") +
         escaped(words) + "</text>\n";
}

std::string svg_box(const Box& box, const std::string& color, std::string_view hint) {
  const std::string element = fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"{}\" fill=\"{}\"",
      box.x, box.y, box.width, box.height, box.corner, color);
  return element + hinted("rect", hint);
}

std::string svg_line(std::span<const Point> points, const LineStyle& style) {
  std::string places;
  for (const Point& point : points) places += fmt::format("{:.1f},{:.1f} ", point.x, point.y);
  return fmt::format(
      "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"{}/>\n", places,
      style.color, style.width, style.dashed ? " stroke-dasharray=\"6 4\"" : "");
}

std::string svg_dot(const Point& middle, double radius, const std::string& color,
                    std::string_view hint) {
  return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\"", middle.x, middle.y,
                     radius, color) +
         hinted("circle", hint);
}

}  // namespace debian
