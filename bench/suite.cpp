#include "bench/suite.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "bench/sample.hpp"
#include "bench/temporary_folder.hpp"
#include "bench/words.hpp"

namespace armature::bench {

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

std::vector<std::string> Collector::arguments_of(const std::string& task) const {
  std::vector<std::string> arguments{task};
  if (request_.quick) arguments.emplace_back("--quick");
  for (const std::string& op : request_.only) arguments.insert(arguments.end(), {"--only", op});
  return arguments;
}

void Collector::job(const Shape& shape, const std::string& task) {
  run_job({.shape = shape, .restart = {}, .arguments = arguments_of(task)},
          [this](const Row& row) { add(row); });
}

void Collector::job(const Shape& shape, const std::string& task,
                    std::initializer_list<std::string_view> ops) {
  std::vector<std::string> arguments{task};
  if (request_.quick) arguments.emplace_back("--quick");
  bool is_any = false;
  for (const std::string_view op : ops) {
    if (!wants({op})) continue;
    arguments.insert(arguments.end(), {"--only", std::string(op)});
    is_any = true;
  }
  if (!is_any) return;
  run_job({.shape = shape, .restart = {}, .arguments = arguments},
          [this](const Row& row) { add(row); });
}

void Collector::words() {
  if (wants({"words.p2"}) && !path_of(word_count_program).empty())
    add(words_row(std::size_t{quick() ? 1U : 100U} << 20));
}

void Collector::checkpoints(const Shape& shape) {
  const TemporaryFolder folder;
  std::vector<std::string> arguments = arguments_of("checkpoint");
  arguments.insert(arguments.end(), {"--folder", folder.path()});
  const auto on_row = [this](const Row& row) { add(row); };
  run_job({.shape = shape, .restart = {}, .arguments = arguments}, on_row);
  if (!wants({"restart"})) return;
  for (int i = 0; i < times(); ++i)
    run_job({.shape = shape, .restart = folder.path() + "/job", .arguments = {}}, on_row);
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

void Collector::compare(const Program& program, const std::string& op, const Hosting& hosting,
                        const Hosting& with) {
  if (!wants({op}) || path_of(program).empty()) return;
  for (int i = 0; i < times(); ++i) {
    // The two run in turns, and neither always first.
    const auto run = [&](const Hosting& as) { return program_ns(program, as, request_.quick); };
    Row row{.op = op, .bytes = 0, .ns = i % 2 == 0 ? run(hosting) : 0, .limit_ns = run(with)};
    if (i % 2 != 0) row.ns = run(hosting);
    add(row);
  }
}

void Collector::examples() {
  for (const Program& program : programs()) compare(program, program.name, {.virtual_each = 1}, {});
}

void Collector::examples_far_apart() {
  for (const Program& program : programs())
    for (const int each : {1, 8, 16})
      compare(program, std::string(program.name) + ".far" + std::to_string(each),
              {.virtual_each = each, .between_nodes = true}, {.between_nodes = true});
}

void Collector::modules_far_apart() {
  const Program b{"modules", "", "", "B "};
  if (!wants({"modules.after", "modules.together"}) || path_of(b).empty()) return;
  for (int i = 0; i < times(); ++i) {
    const std::string output = output_of(b, {.between_nodes = true}, request_.quick);
    const double b_ns = ns_behind(output, b);
    const double c_ns = ns_behind(output, {"modules", "", "", "C "});
    const double together_ns = ns_behind(output, {"modules", "", "", "together "});
    const double longer_ns = std::max(b_ns, c_ns);
    take({{.op = "modules.after", .ns = b_ns + c_ns, .limit_ns = longer_ns},
          {.op = "modules.together", .ns = together_ns, .limit_ns = longer_ns}});
  }
}

void Collector::take(const std::vector<Row>& rows) {
  for (const Row& row : rows)
    if (wants({row.op})) add(row);
}

bool Collector::wants(std::initializer_list<std::string_view> ops) const {
  return std::ranges::any_of(ops, [&](std::string_view op) { return wanted(request_.only, op); });
}

void Collector::add(const Row& row) {
  rows_.push_back(row);
  progress_.show(row);
}

}  // namespace armature::bench
