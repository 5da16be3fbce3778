#include "command/run/placing.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "command/run/console.hpp"
#include "command/run/links.hpp"
#include "command/run/near_partners.hpp"
#include "wait/recorded_links.hpp"

namespace armature::command {
namespace {

/// The number of the row that a rank is in, by their first ranks.
std::size_t row_with(std::uint32_t rank, const std::vector<std::uint32_t>& first) {
  return static_cast<std::size_t>(std::ranges::upper_bound(first, rank) - first.begin()) - 1;
}

ProcessLinks between_processes(const Links& links, const std::vector<std::uint32_t>& first) {
  ProcessLinks all(first.size(), std::vector<std::int64_t>(first.size()));
  for (std::uint32_t rank = 0; rank < links.ranks; ++rank)
    for (std::uint32_t partner = 0; partner < links.ranks; ++partner) {
      const auto bytes =
          static_cast<std::int64_t>(links.bytes[std::size_t{rank} * links.ranks + partner]);
      const std::size_t one = row_with(rank, first), other = row_with(partner, first);
      if (bytes == 0 || one == other) continue;
      all[one][other] += bytes;
      all[other][one] += bytes;
    }
  return all;
}

}  // namespace

std::vector<std::int32_t> place_ranks(const LaunchOptions& options, std::uint32_t ranks,
                                      const std::vector<std::uint32_t>& of_processes,
                                      const std::vector<std::uint32_t>& of_nodes) {
  if (options.place.empty()) return {};
  if (ranks > wait::links_ranks_max)
    base::fail(Errc::start, fmt::format("--place: {} ranks are too many: it is for {}", ranks,
                                        wait::links_ranks_max));
  const ProcessLinks links = between_processes(read_links(options.place, ranks), of_processes);
  NodesOfProcesses in_rows;
  for (const std::uint32_t first : of_processes)
    in_rows.push_back(static_cast<int>(row_with(first, of_nodes)));
  const NodesOfProcesses placed = near_partners(links, in_rows);
  say(fmt::format(
      "--place {}: of what was recorded, {} bytes go between nodes; {} with ranks in a "
      "row",
      options.place, bytes_between_nodes(links, placed), bytes_between_nodes(links, in_rows)));
  std::vector<std::int32_t> nodes;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    nodes.push_back(placed[row_with(rank, of_processes)]);
  return nodes;
}

}  // namespace armature::command
