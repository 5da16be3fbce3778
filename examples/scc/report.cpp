#include "report.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include <fmt/format.h>

#include "debian/amount.hpp"

namespace scc {
namespace {

using debian::grouped;

constexpr std::size_t circles_shown = 5;
constexpr std::size_t line_width = 78;

// Lists as many names as fit a line, and how many there are besides.
std::string named(const std::vector<Vertex>& members, const std::vector<std::string>& names) {
  std::string words;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::string& name = names[members[i]];
    if (i > 0 && words.size() + name.size() > line_width) {
      return words + fmt::format(" and {} more", grouped(members.size() - i));
    }
    words += (i > 0 ? " " : "") + name;
  }
  return words;
}

}  // namespace

std::string aggregation_word(Aggregation aggregation) {
  return aggregation == 0 ? "adaptive" : std::to_string(aggregation);
}

std::string describe(const DirectedGraph& graph, const Partition& components,
                     const std::vector<std::string>& names) {
  const auto found = circles(components);
  std::string text = fmt::format(
      "vertices      {}\nedges         {}\ncomponents    {}\n"
      "circles       {} (components of more than one package)\n",
      grouped(graph.vertices()), grouped(graph.edges()), grouped(count_components(components)),
      grouped(found.size()));
  const std::size_t shown = std::min(circles_shown, found.size());
  for (std::size_t i = 0; i < shown; ++i) {
    text += fmt::format("{:<13} {:>5}  {}\n", i == 0 ? "the largest" : "", grouped(found[i].size()),
                        named(found[i], names));
  }
  return text;
}

std::string timing_table(const GraphReport& report) {
  std::string table = fmt::format("  {:>11} {:>8} {:>12} {:>9} {:>14}\n", "aggregation", "rounds",
                                  "calls", "ms", "calls/s");
  for (const Timing& timing : report.timings) {
    table +=
        fmt::format("  {:>11} {:>8} {:>12} {:>9.2f} {:>14}\n", aggregation_word(timing.aggregation),
                    timing.rounds, grouped(timing.calls), 1e3 * timing.seconds,
                    grouped(static_cast<std::uint64_t>(timing.calls_per_second())));
  }
  return table;
}

}  // namespace scc
