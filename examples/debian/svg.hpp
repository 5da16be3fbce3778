// The few elements of SVG that the pictures are made of. Lengths are pixels.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace debian {

struct TextStyle {
  double size = 13;
  const char* color = "#000";
  const char* anchor = "start";  // or middle, end
  bool bold = false;
};

struct Box {
  double x, y, width, height;
  double corner = 0;
};

struct Point {
  double x, y;
};

struct LineStyle {
  const char* color = "#000";
  double width = 1;
  bool dashed = false;
};

// A whole file: no script, no style sheet, no font but the viewer's own.
std::string svg_file(double width, double height, std::string_view title, const std::string& body);
std::string svg_text(double x, double y, std::string_view words, const TextStyle& style);
// `hint` is what a viewer shows when pointed at the box; none when empty.
std::string svg_box(const Box& box, const std::string& color, std::string_view hint = {});
// Straight from point to point.
std::string svg_line(std::span<const Point> points, const LineStyle& style);
std::string svg_dot(const Point& middle, double radius, const std::string& color,
                    std::string_view hint = {});

}  // namespace debian
