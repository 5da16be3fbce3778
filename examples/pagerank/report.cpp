#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "debian/amount.hpp"

namespace pagerank {

using debian::grouped;
using debian::readable_bytes;

namespace {

FetchCount total(const ParallelRun& run) {
  FetchCount sum;
  for (const FetchCount& count : run.counts) {
    sum.gets += count.gets;
    sum.bytes += count.bytes;
    sum.waits += count.waits;
    sum.seconds += count.seconds;
  }
  return sum;
}

// The four columns of one way of fetching.
std::string counts(const FetchCount& count) {
  return fmt::format(" │ {:>11} {:>11} {:>9} {:>7.1f}", grouped(count.gets), grouped(count.waits),
                     readable_bytes(count.bytes), 1e3 * count.seconds);
}

std::string row(const std::string& rank, std::uint64_t rows, std::uint64_t entries,
                const FetchCount& one_by_one, const FetchCount& aggregated) {
  return fmt::format("  {:<5} {:>8} {:>9}", rank, grouped(rows), grouped(entries)) +
         counts(one_by_one) + counts(aggregated) + "\n";
}

}  // namespace

std::string top_table(const debian::PackageGraph& graph, const SparseMatrix& matrix,
                      const Ranking& ranking, std::size_t count) {
  std::vector<std::size_t> order(graph.names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  count = std::min(count, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      const double x = ranking.scores[a];
                      const double y = ranking.scores[b];
                      return x != y ? x > y : a < b;
                    });
  std::string table =
      fmt::format("  {:>4}  {:<28} {:>10}  {:>10}\n", "", "package", "score", "named by");
  for (std::size_t place = 0; place < count; ++place) {
    const std::size_t i = order[place];
    table += fmt::format("  {:>3}.  {:<28} {:>10.6f}  {:>10}\n", place + 1, graph.names[i],
                         ranking.scores[i], grouped(matrix.row_begin[i + 1] - matrix.row_begin[i]));
  }
  return table;
}

std::string fetch_table(const RowBlocks& blocks, const SparseMatrix& matrix,
                        const ParallelRun& one_by_one, const ParallelRun& aggregated) {
  const std::string heads =
      fmt::format(" │ {:>11} {:>11} {:>9} {:>7}", "gets", "waits", "bytes", "ms");
  std::string table =
      fmt::format("  {:>24} │ {:<41} │ {}\n", "", "one by one", "aggregated, each element once") +
      fmt::format("  {:<5} {:>8} {:>9}", "rank", "rows", "entries") + heads + heads + "\n";
  for (int rank = 0; rank < blocks.blocks(); ++rank) {
    const auto i = static_cast<std::size_t>(rank);
    const std::uint32_t entries =
        matrix.row_begin[blocks.first(rank + 1)] - matrix.row_begin[blocks.first(rank)];
    table += row(std::to_string(rank), blocks.rows(rank), entries, one_by_one.counts[i],
                 aggregated.counts[i]);
  }
  return table + row("all", matrix.rows(), matrix.nonzeros(), total(one_by_one), total(aggregated));
}

HeatMap fetch_map(const SparseMatrix& matrix, const ParallelRun& one_by_one,
                  const ParallelRun& aggregated) {
  const auto panel = [](const char* title, const char* way, const ParallelRun& run) {
    return HeatMapPanel{
        title,
        fmt::format("{}: {} gets, {:.0f} ms", way, grouped(total(run).gets), 1e3 * run.seconds),
        run.bytes_from};
  };
  HeatMap map;
  map.title = "Who fetched how much from whom";
  map.ranks = static_cast<int>(one_by_one.counts.size());
  map.subtitle = fmt::format(
      "PageRank of {} packages with {} dependencies on {} ranks, {} iterations",
      grouped(matrix.rows()), grouped(matrix.nonzeros()), map.ranks, one_by_one.ranking.iterations);
  map.panels = {panel("One by one", "a get for every remote entry", one_by_one),
                panel("Aggregated", "each remote element once", aggregated)};
  return map;
}

double largest_difference(const Ranking& a, const Ranking& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.scores.size(); ++i) {
    const double difference = std::abs(a.scores[i] - b.scores[i]);
    if (std::isnan(difference)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, difference);
  }
  return largest;
}

}  // namespace pagerank
