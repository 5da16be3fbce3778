// Circles of Debian packages that need each other: the strongly connected components of the
// dependency graph, the graph experiment of the ARMI paper (section 5.3) on real data.
//
// Rank 0 reads the packages and tells every edge to the ranks that own its ends. Then all search
// together, once for each aggregation factor (component_search.hpp says how); all ranks compare
// what they found with Tarjan's algorithm run by rank 0, which reports and draws the times.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <optional>
#include <span>

#include <fmt/format.h>

#include <armature/armature.hpp>

#include "command_line.hpp"
#include "component_search.hpp"
#include "debian/amount.hpp"
#include "debian/first_rank.hpp"
#include "debian/graph_source.hpp"
#include "debian/output_file.hpp"
#include "debian/progress_line.hpp"
#include "directed_graph.hpp"
#include "graph_part.hpp"
#include "meshes.hpp"
#include "partition.hpp"
#include "report.hpp"
#include "tarjan.hpp"
#include "time_plot.hpp"
#include "timing.hpp"

namespace scc {
namespace {

using debian::ProgressLine;
using debian::succeeds_at_rank_0;

constexpr const char* program = "scc";

// One of the graphs that the packages make, as rank 0 has it.
struct Serial {
  DirectedGraph graph;
  Partition components;
  double seconds = 0;
};

Serial search_serially(const debian::PackageGraph& packages, debian::Fields fields, int repeat) {
  Serial serial{dependency_graph(packages, fields), {}, std::numeric_limits<double>::max()};
  for (int turn = 0; turn < repeat; ++turn) {
    const auto start = std::chrono::steady_clock::now();
    serial.components = tarjan(serial.graph);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    serial.seconds = std::min(serial.seconds, seconds.count());
  }
  return serial;
}

// Collective. Whether every search found the same components as the serial one, on all ranks.
class Comparison {
 public:
  Comparison(armature::World& world, const Dealing& dealing, const Serial* serial)
      : world_(world), dealing_(dealing), expected_(dealing.vertices) {
    if (serial != nullptr) expected_ = serial->components;
    broadcast(world, std::span(expected_), 0);
  }

  void compare(const SearchResult& found) {
    const auto all = gather(world_, dealing_, found.component);
    const int agree = named_by_smallest(all) == expected_ ? 1 : 0;
    agreeing_ = allreduce(world_, agree, armature::Minimum()) == 1 && agreeing_;
  }
  bool agreeing() const { return agreeing_; }

 private:
  armature::World& world_;
  const Dealing& dealing_;
  Partition expected_;
  bool agreeing_ = true;
};

debian::PackageGraph read_packages(const CommandLine& options, ProgressLine& progress) {
  if (options.meshes) return meshes();
  const debian::Source source = debian::find_source(options.source.file, options.source.archives);
  progress.finish("reading " + source.place + " ...");
  debian::PackageGraph packages = debian::read_graph(source);
  fmt::print("{}", describe(source, packages));
  std::fflush(stdout);
  return packages;
}

// Collective; `packages` is null at all ranks but 0. Nothing when the components are wrong.
std::optional<GraphReport> search_graph(armature::World& world, const CommandLine& options,
                                        debian::Fields fields, const debian::PackageGraph* packages,
                                        ProgressLine& progress) {
  std::optional<Serial> serial;
  if (packages != nullptr) {
    serial = search_serially(*packages, fields, options.repeat);
    fmt::print("\ngraph         {}\n{}", fields.to_string(),
               describe(serial->graph, serial->components, packages->names));
    std::fflush(stdout);
  }
  const GraphPart part = distribute(world, serial ? &serial->graph : nullptr);
  Comparison comparison(world, part.dealing, serial ? &*serial : nullptr);
  GraphReport report;
  report.title = fields.to_string();
  report.timings =
      time_searches(world, part, options.aggregations, options.repeat,
                    [&](Aggregation aggregation, const SearchResult& found) {
                      comparison.compare(found);
                      progress.update("searching, aggregation " + aggregation_word(aggregation));
                    });
  if (!comparison.agreeing()) return std::nullopt;
  if (serial) {
    report.serial_seconds = serial->seconds;
    fmt::print(
        "agreement     every search on all ranks found the components of Tarjan's algorithm\n"
        "time          Tarjan's algorithm on one rank {:.1f} ms; on {} ranks, the best of {}:\n{}",
        1e3 * serial->seconds, world.size(), options.repeat, timing_table(report));
    std::fflush(stdout);
  }
  return report;
}

int run_rank(armature::World& world, const CommandLine& options) {
  ProgressLine progress(world.rank() == 0);
  std::optional<debian::PackageGraph> packages;
  if (!succeeds_at_rank_0(world, program, [&] { packages = read_packages(options, progress); })) {
    return 1;
  }
  std::vector<GraphReport> reports;
  for (const debian::Fields fields : options.graphs) {
    const auto report =
        search_graph(world, options, fields, packages ? &*packages : nullptr, progress);
    if (!report) {
      return debian::say(world,
                         {"scc: the components are not those of Tarjan's algorithm\n", true});
    }
    reports.push_back(*report);
  }
  const bool drawn = succeeds_at_rank_0(world, program, [&] {
    debian::write_file(options.svg, draw(reports, world.size()));
    fmt::print("\npicture       {}\n", options.svg);
  });
  return drawn ? 0 : 1;
}

}  // namespace
}  // namespace scc

int main(int argc, char** argv) {
  return armature::run(argc, argv, [argc, argv](armature::World& world) {
    const scc::ParsedCommandLine parsed = scc::parse_command_line({argv + 1, argv + argc});
    // All ranks have come to the same result.
    return parsed.message.empty() ? scc::run_rank(world, parsed.options)
                                  : debian::say(world, parsed);
  });
}
