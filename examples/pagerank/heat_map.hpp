// An SVG picture of who fetched how much from whom. It has a square of ranks by ranks for each way
// of fetching, on one scale of colour, so that they can be compared at a glance.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pagerank {

struct HeatMapPanel {
  std::string title;
  std::string subtitle;
  std::vector<std::uint64_t> bytes;  // [who * ranks + from whom]
};

struct HeatMap {
  std::string title;
  std::string subtitle;
  int ranks = 0;
  std::vector<HeatMapPanel> panels;
};

std::string draw(const HeatMap& map);

}  // namespace pagerank
