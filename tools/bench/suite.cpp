#include "bench/suite.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "bench/sample.hpp"

namespace armature::tools::bench {

Progress::Progress() : terminal_(isatty(STDERR_FILENO) == 1) {}
Progress::~Progress() { say("\r\033[K"); }

void Progress::show(const Row& row) {
  ++rows_;
  say("\r\033[K" + std::to_string(rows_) + " rows, now after " + row.op + " " +
      std::to_string(row.bytes));
}

void Progress::say(const std::string& text) const {
  if (terminal_) std::fputs(text.c_str(), stderr);
}

void Collector::job(const Shape& shape, const std::string& task) {
  std::vector<std::string> arguments{task};
  if (request_.quick) arguments.emplace_back("--quick");
  for (const std::string& op : request_.only) arguments.insert(arguments.end(), {"--only", op});
  run_job({.shape = shape, .arguments = arguments}, [this](const Row& row) { add(row); });
}

void Collector::startup(int ranks, int times) {
  const std::string op = "start." + std::to_string(ranks);
  if (!wants({op})) return;
  std::vector<double> ns, bare_ns;
  for (int i = 0; i < times; ++i) {
    bare_ns.push_back(bare_startup_ns(ranks));
    ns.push_back(startup_ns(ranks));
  }
  add({.op = op, .bytes = 0, .ns = median(ns), .limit_ns = median(bare_ns)});
}

bool Collector::wants(std::initializer_list<std::string_view> ops) const {
  return std::ranges::any_of(ops, [&](std::string_view op) { return wanted(request_.only, op); });
}

void Collector::add(const Row& row) {
  rows_.push_back(row);
  progress_.show(row);
}

}  // namespace armature::tools::bench
