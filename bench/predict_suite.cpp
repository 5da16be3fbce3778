#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/programs.hpp"
#include "bench/suite.hpp"

// `armature bench predict`: what a simulation predicts, beside what the same program takes on nodes
// whose packets are made late. The costs of a message are measured first, between two ranks.

namespace armature::bench {

namespace {

constexpr int delay_us = 5000;
constexpr int ranks_of_rows[] = {2, 4, 8, 16};
constexpr double within = 0.25;

/// The rows that a job of this program writes to its standard output.
std::vector<Row> rows_of(std::vector<std::string> run, const std::vector<std::string>& arguments,
                         const std::string& variable) {
  const std::string own = std::filesystem::read_symlink("/proc/self/exe").string();
  std::vector<std::string> command{own, "run"};
  command.insert(command.end(), run.begin(), run.end());
  command.insert(command.end(), {own, "bench-rank", "predicted", "--to", "/dev/stdout"});
  command.insert(command.end(), arguments.begin(), arguments.end());
  std::vector<Row> rows;
  std::istringstream lines(output_of(std::move(command), variable));
  for (std::string line; std::getline(lines, line);) rows.push_back(row_of(line));
  return rows;
}

/// One rank on each node.
std::vector<Row> measured(int ranks, const std::vector<std::string>& arguments) {
  const std::string count = std::to_string(ranks);
  return rows_of({"-n", count, "--nodes", count}, arguments,
                 fmt::format("ARMATURE_NET_HOOK=delay={}", delay_us));
}

std::vector<Row> predicted(int ranks, const std::string& network,
                           const std::vector<std::string>& arguments) {
  return rows_of({"-n", std::to_string(ranks), "--simulate", "1", "--network", network}, arguments,
                 {});
}

/// The costs of messages here. They are late by so much that their overhead counts for nothing.
std::string network_here(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--only", "message"});
  const std::vector<Row> rows = measured(2, arguments);
  if (rows.size() != 2) throw std::runtime_error("bench: no costs of messages were measured");
  const double byte_ns = (rows[1].ns - rows[0].ns) / static_cast<double>(rows[1].bytes);
  return fmt::format("latency={:.0f}ns,bandwidth={:.0f}MB/s", rows[0].ns,
                     1000 / std::clamp(byte_ns, 0.01, 1000.0));
}

void collect(Collector& collector) {
  std::vector<std::string> arguments;
  if (collector.quick()) arguments.emplace_back("--quick");
  for (const int ranks : ranks_of_rows) {
    std::vector<std::string> some = arguments;
    for (const char* const name : {"halo", "allreduce", "alltoall", "hotspot"})
      if (const std::string op = fmt::format("{}.p{}", name, ranks); collector.wants({op}))
        some.insert(some.end(), {"--only", op});
    if (some.size() == arguments.size()) continue;
    // Each time anew: how soon a rank runs that has been told something changes with what else the
    // machine does.
    const std::string network = network_here(arguments);
    const std::vector<Row> real = measured(ranks, some);
    std::vector<Row> rows = predicted(ranks, network, some);
    if (rows.size() != real.size())
      throw std::runtime_error("bench: other rows are predicted than were measured");
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].limit_ns = real[i].ns;
    collector.take(rows);
  }
}

/// A prediction that is too short is as wrong as one that is too long.
std::string worst(const std::vector<Row>& rows) {
  const auto off = [](const Row& row) { return std::abs(row.ratio().value_or(1) - 1); };
  const Row& row = *std::ranges::max_element(rows, {}, off);
  return fmt::format("\nfurthest off: {}, by {:.1f} %; {} within {:.0f} % of the real run\n",
                     row.op, 100 * off(row), off(row) <= within ? "all are" : "not all are",
                     100 * within);
}

constexpr const char* footer =
    R"(Rows (time in ns of a step), for jobs of 2, 4, 8 and 16 ranks (.p2 .. .p16). ns is what
`armature run --simulate --network` predicts. limit_ns is what the same program takes on as many
pretended nodes, whose packets are sent 5 ms late. Computing is armature::compute, which sleeps in
the real run. What a message and its bytes cost is measured between two ranks, before each job.
  halo               8 KiB to both neighbours in a ring, then 10 ms of computing
  allreduce          10 ms of computing, then the sum of a double
  alltoall           10 ms of computing, then 1 KiB from each to each
  hotspot            elements of which a quarter computes 26 ms and the others 2 ms; after an eighth
                     of the steps they are balanced

Below the table is the prediction that is furthest off.

Examples:
  armature bench predict
  armature bench predict --only halo alltoall.p16)";

constexpr double most = 1 + within;
constexpr Aim aims[] = {
    {.op = "halo.p2", .ratio_max = most},      {.op = "allreduce.p2", .ratio_max = most},
    {.op = "alltoall.p2", .ratio_max = most},  {.op = "hotspot.p2", .ratio_max = most},
    {.op = "halo.p4", .ratio_max = most},      {.op = "allreduce.p4", .ratio_max = most},
    {.op = "alltoall.p4", .ratio_max = most},  {.op = "hotspot.p4", .ratio_max = most},
    {.op = "halo.p8", .ratio_max = most},      {.op = "allreduce.p8", .ratio_max = most},
    {.op = "alltoall.p8", .ratio_max = most},  {.op = "hotspot.p8", .ratio_max = most},
    {.op = "halo.p16", .ratio_max = most},     {.op = "allreduce.p16", .ratio_max = most},
    {.op = "alltoall.p16", .ratio_max = most}, {.op = "hotspot.p16", .ratio_max = most}};

}  // namespace

const Suite predict_suite = {
    .name = "predict",
    .title = "Predicted times beside real runs on nodes that are far apart",
    .footer = footer,
    .collect = collect,
    .aims = aims,
    .notes = worst};

}  // namespace armature::bench
