#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/suite.hpp"

// `armature bench scale`: how what a job takes grows with its ranks.

namespace armature::bench {

namespace {

constexpr int processes[] = {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
constexpr int virtual_ranks[] = {4, 10, 100, 1000, 10'000, 100'000};
constexpr int quick_processes_max = 32, quick_virtual_max = 1000;

void collect(Collector& collector) {
  if (!collector.wants({"start", "halo", "connections", "barrier", "allreduce"})) return;
  for (const int ranks : processes)
    if (ranks >= collector.nodes() && (!collector.quick() || ranks <= quick_processes_max))
      collector.job({.ranks = ranks, .nodes = collector.nodes()}, "scale");
  const int hosts = std::max(2, collector.nodes());
  for (const int ranks : virtual_ranks)
    if (ranks > hosts && (!collector.quick() || ranks <= quick_virtual_max))
      collector.job({.ranks = ranks, .virtual_processes = hosts, .nodes = collector.nodes()},
                    "scale");
}

/// A row's name without its number of ranks, and that number.
struct Name {
  std::string kind;
  int ranks = 0;
};

Name name_of(const Row& row) {
  const std::size_t end = row.op.find_first_of("0123456789", row.op.rfind('.'));
  return {row.op.substr(0, end), std::stoi(row.op.substr(end))};
}

/// Each kind of row by itself: with how many times the ranks it took how many times as long.
std::string growth(const std::vector<Row>& rows) {
  std::map<std::string, std::vector<const Row*>> kinds;
  for (const Row& row : rows) kinds[name_of(row).kind].push_back(&row);
  std::string text = "\ngrowth           ranks   ns a rank   ranks x    time x\n";
  for (const auto& [kind, of_kind] : kinds)
    for (std::size_t i = 0; i < of_kind.size(); ++i) {
      const int ranks = name_of(*of_kind[i]).ranks;
      text += fmt::format("{:<14}{:>8}{:>12.0f}", kind, ranks, of_kind[i]->ns / ranks);
      if (i > 0)
        text += fmt::format("{:>10.1f}{:>10.2f}",
                            static_cast<double>(ranks) / name_of(*of_kind[i - 1]).ranks,
                            of_kind[i]->ns / of_kind[i - 1]->ns);
      text += '\n';
    }
  return text;
}

constexpr const char* footer =
    R"(Rows (time in ns), for jobs of 2 to 1,024 process ranks (.p2 .. .p1024) and of 4 to 100,000
virtual ranks on two processes (.v4 .. .v100000), or one process for each node:
  start              from the start of the command until all ranks have met; bytes: memory that
                     the job has added to the processes, for each rank
  halo               each rank puts 4 KiB to both neighbours in a ring, then all wait for all
  connections        with --nodes: the processes of other nodes to which a process is connected
                     after that, the most of all; a number instead of a time
  barrier            all ranks wait for all
  allreduce          the sum of a double of each rank, at all

Below the table is how each grows: time for each rank, and, from one number of ranks to the next,
how many times the ranks take how many times as long.

Examples:
  armature bench scale
  armature bench scale --quick
  armature bench scale --nodes 4 --json scale.json)";

}  // namespace

const Suite scale_suite = {.name = "scale",
                           .title = "How jobs grow with their number of ranks",
                           .footer = footer,
                           .collect = collect,
                           .aims = {},
                           .notes = growth,
                           .nodes = {1, 8, "Pretended nodes that the ranks are spread over"}};

}  // namespace armature::bench
