#include "heat_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>

#include <fmt/format.h>

#include "debian/amount.hpp"
#include "debian/svg.hpp"

namespace pagerank {
namespace {

using debian::Box;
using debian::readable_bytes;
using debian::svg_box;
using debian::svg_text;
using debian::TextStyle;

// Lengths in pixels.
constexpr double margin = 32;
constexpr double label_width = 84;
constexpr double panel_gap = 48;
constexpr double panel_width_min = 350;  // room for its words
constexpr double panel_top = 150;
constexpr double legend_height = 96;
constexpr double text_cell_min = 56;  // smaller cells hold no number

constexpr const char* ink = "#1f2933";
constexpr const char* faint_ink = "#66727f";

struct Color {
  double red, green, blue;
};

// Colours from pale to dark, even in lightness, and readable without colour vision.
constexpr std::array<Color, 6> scale = {Color{240, 246, 251}, {198, 219, 239}, {133, 182, 217},
                                        {66, 133, 190},       {24, 83, 154},   {8, 42, 97}};

Color color_at(double fraction) {
  const double place = std::clamp(fraction, 0.0, 1.0) * (scale.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), scale.size() - 2);
  const double part = place - static_cast<double>(below);
  const Color& a = scale[below];
  const Color& b = scale[below + 1];
  return {std::lerp(a.red, b.red, part), std::lerp(a.green, b.green, part),
          std::lerp(a.blue, b.blue, part)};
}

std::string hex(const Color& color) {
  return fmt::format("#{:02x}{:02x}{:02x}", std::lround(color.red), std::lround(color.green),
                     std::lround(color.blue));
}

class Drawing {
 public:
  explicit Drawing(const HeatMap& map)
      : map_(map),
        ranks_(static_cast<std::size_t>(map.ranks)),
        cell_(std::clamp(720.0 / map.ranks, 10.0, 84.0)),
        side_(cell_ * map.ranks),
        panel_width_(std::max(label_width + side_, panel_width_min)) {
    for (const HeatMapPanel& panel : map.panels) {
      for (const std::uint64_t bytes : panel.bytes) bytes_max_ = std::max(bytes_max_, bytes);
    }
  }

  std::string draw() const {
    const auto panels = static_cast<double>(map_.panels.size());
    std::string body = svg_text(margin, margin + 12, map_.title, {20, ink, "start", true});
    body += svg_text(margin, margin + 34, map_.subtitle, {13, faint_ink});
    double left = margin;
    for (const HeatMapPanel& panel : map_.panels) {
      body += draw_panel(panel, left);
      left += panel_width_ + panel_gap;
    }
    body += draw_legend(panel_top + side_ + 36);
    return debian::svg_file(2 * margin + panels * panel_width_ + (panels - 1) * panel_gap,
                            panel_top + side_ + legend_height, map_.title, body);
  }

 private:
  std::string draw_panel(const HeatMapPanel& panel, double left) const {
    const double grid = left + label_width;
    std::string body = svg_text(left, panel_top - 56, panel.title, {15, ink, "start", true});
    body += svg_text(left, panel_top - 38, panel.subtitle, {12, faint_ink});
    body += svg_text(grid, panel_top - 18, "from", {11, faint_ink});
    body += svg_text(left, panel_top - 6, "fetched by", {11, faint_ink});
    const std::string column_word = cell_ >= text_cell_min ? "rank " : "";
    for (std::size_t i = 0; i < ranks_; ++i) {
      if (cell_ < 16 && i % 8 != 0) continue;  // labels would overlap
      const double middle = cell_ * (static_cast<double>(i) + 0.5);
      const std::string number = std::to_string(i);
      body += svg_text(grid + middle, panel_top - 6, column_word + number, {11, ink, "middle"});
      body += svg_text(grid - 8, panel_top + middle + 4, "rank " + number, {11, ink, "end"});
    }
    for (std::size_t who = 0; who < ranks_; ++who) {
      for (std::size_t from = 0; from < ranks_; ++from) {
        const Box cell{grid + cell_ * static_cast<double>(from) + 1,
                       panel_top + cell_ * static_cast<double>(who) + 1, cell_ - 2, cell_ - 2,
                       std::min(3.0, cell_ / 6)};
        body += who == from ? draw_own(cell, who)
                            : draw_fetched(cell, panel.bytes[who * ranks_ + from], who, from);
      }
    }
    return body;
  }

  std::string draw_own(const Box& cell, std::size_t rank) const {
    std::string body =
        svg_box(cell, "#eceef0", fmt::format("rank {}'s own elements need no get", rank));
    if (cell_ >= text_cell_min) body += label(cell, "own", {11, faint_ink, "middle"});
    return body;
  }

  std::string draw_fetched(const Box& cell, std::uint64_t bytes, std::size_t who,
                           std::size_t from) const {
    const double fraction = fraction_of(bytes);
    const std::string amount = readable_bytes(bytes);
    std::string body = svg_box(cell, hex(color_at(fraction)),
                               fmt::format("rank {} fetched {} from rank {}", who, amount, from));
    if (cell_ >= text_cell_min) {
      body += label(cell, amount, {13, fraction > 0.6 ? "#fff" : ink, "middle"});
    }
    return body;
  }

  static std::string label(const Box& cell, const std::string& words, const TextStyle& style) {
    return svg_text(cell.x + cell.width / 2, cell.y + cell.height / 2 + 5, words, style);
  }

  std::string draw_legend(double top) const {
    constexpr double width = 280;
    constexpr int steps = 56;
    std::string body;
    for (int i = 0; i < steps; ++i) {
      body += svg_box({margin + i * width / steps, top, width / steps + 0.5, 12},
                      hex(color_at((i + 0.5) / steps)));
    }
    const std::array<const char*, 3> anchors = {"start", "middle", "end"};
    for (std::size_t half = 0; half < anchors.size(); ++half) {
      body += svg_text(margin + static_cast<double>(half) * width / 2, top + 28,
                       readable_bytes(bytes_max_ * half / 2), {11, ink, anchors[half]});
    }
    return body + svg_text(margin + width + 20, top + 10, "bytes fetched in the whole run",
                           {12, faint_ink});
  }

  double fraction_of(std::uint64_t bytes) const {
    return bytes_max_ == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(bytes_max_);
  }

  const HeatMap& map_;
  std::size_t ranks_;
  double cell_;
  double side_;
  double panel_width_;
  std::uint64_t bytes_max_ = 0;
};

}  // namespace

std::string draw(const HeatMap& map) { return Drawing(map).draw(); }

}  // namespace pagerank
