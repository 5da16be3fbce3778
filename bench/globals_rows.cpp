#include "bench/globals_rows.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "bench/programs.hpp"
#include "bench/sample.hpp"

namespace armature::bench {

namespace {

std::filesystem::path own_path() { return std::filesystem::read_symlink("/proc/self/exe"); }

/// A program of bench/globals; empty: it is not there.
std::string path_of_program(const char* name) {
  const auto path = own_path().parent_path() / "bench" / name;
  return access(path.c_str(), X_OK) == 0 ? path.string() : std::string();
}

struct Run {
  const char* program;
  const char* task;
  int ranks, processes;
};

std::string output(const Run& run, bool is_private) {
  return output_of({own_path().string(), "run", "-n", std::to_string(run.ranks), "--virtual",
                    "--processes", std::to_string(run.processes), "--no-globals-note",
                    is_private ? "--private-globals=on" : "--private-globals=off",
                    path_of_program(run.program), run.task});
}

/// Times that the program prints, with copies and without, and what it prints of the limit.
struct Printed {
  double ns = 0, limit_ns = 0, shared_ns = 0;
};

Printed printed(const Run& run) {
  Printed found;
  std::istringstream with(output(run, true)), without(output(run, false));
  if (!(with >> found.ns) || !(without >> found.shared_ns))
    throw std::runtime_error("bench: " + std::string(run.program) + " does not say how long");
  with >> found.limit_ns;
  return found;
}

/// The one in the middle of several runs, by what copies add to it.
Printed middle_of(const Run& run, int times) {
  std::vector<Printed> all;
  for (int i = 0; i < times; ++i) all.push_back(printed(run));
  const auto middle = all.begin() + times / 2;
  std::ranges::nth_element(all, middle, {},
                           [](const Printed& one) { return one.ns - one.shared_ns; });
  return *middle;
}

double command_ns(const Run& run, bool is_private) {
  const double begin = now_ns();
  (void)output(run, is_private);
  return now_ns() - begin;
}

}  // namespace

std::vector<Row> globals_rows(bool quick) {
  const char *const small = "globals_small", *const large = "globals_large";
  if (path_of_program(small).empty() || path_of_program(large).empty()) return {};
  constexpr std::pair<const char*, std::size_t> programs[] = {{"globals_small", 0},
                                                              {"globals_large", 1 << 20}};
  const int times = quick ? 1 : 5;
  std::vector<Row> rows;
  for (const auto& [program, bytes] : programs) {
    const int ranks = bytes == 0 ? 2000 : 200;
    const Printed copy = middle_of({program, "copy", quick ? ranks / 10 : ranks, 1}, times);
    rows.push_back({"globals.copy", bytes, std::max(copy.ns - copy.shared_ns, 1.0), copy.limit_ns});
  }
  for (const auto& [program, bytes] : {std::pair{small, 0}, std::pair{large, 256}}) {
    const Printed one = middle_of({program, "switch", 2, 1}, times);
    rows.push_back({"globals.switch", static_cast<std::size_t>(bytes), one.ns, one.shared_ns});
  }
  const Printed move = middle_of({large, "migrate", 2, 2}, times);
  rows.push_back({"globals.migrate", 1 << 20, move.ns, move.shared_ns});
  const int many = quick ? 1000 : 10000;
  std::vector<double> with, without;
  for (int i = 0; i < times; ++i) {
    with.push_back(command_ns({small, "start", many, 2}, true));
    without.push_back(command_ns({small, "start", many, 2}, false));
  }
  rows.push_back({"globals.start." + std::to_string(many), 0, median(with), median(without)});
  return rows;
}

}  // namespace armature::bench
