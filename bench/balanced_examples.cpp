#include "bench/balanced_examples.hpp"

#include <filesystem>
#include <stdexcept>
#include <string>

#include "bench/programs.hpp"

namespace armature::bench {
namespace {

std::string run(const Program& program, std::vector<std::string> options) {
  std::vector<std::string> command{std::filesystem::read_symlink("/proc/self/exe").string(), "run"};
  command.insert(command.end(), options.begin(), options.end());
  command.push_back(path_of(program));
  for (const char* const word : {program.words, program.quick_words})
    if (*word != '\0') command.emplace_back(word);
  return output_of(std::move(command));
}

/// The line of a text that begins so.
std::string line_of(const std::string& text, const std::string& begin) {
  const std::size_t at = ("\n" + text).find("\n" + begin);
  if (at == std::string::npos) throw std::runtime_error("bench: an example prints no " + begin);
  return text.substr(at, text.find('\n', at) - at);
}

/// A row has the example's times of the busiest place and the ideal ones.
Row row_of_line(const std::string& op, const std::string& line, const char* most) {
  return {.op = op,
          .ns = ns_behind(line, {"example", "", "", most}),
          .limit_ns = ns_behind(line, {"example", "", "", "ideal"})};
}

}  // namespace

std::vector<Row> balanced_examples_rows() {
  std::vector<Row> rows;
  // Elements of object arrays: four process ranks.
  for (const char* const name : {"argon", "particles", "tree_search"}) {
    const Program program{name, "none", "chosen", ""};
    if (path_of(program).empty()) continue;
    const std::string output = run(program, {"-n", "4"});
    rows.push_back(row_of_line(std::string(name) + ".before", line_of(output, "none"), "busiest"));
    rows.push_back(row_of_line(std::string(name) + ".after", line_of(output, "chosen"), "busiest"));
  }
  // Ranks: whoever has nothing to do takes some of the others'.
  const Program hotspot{"hotspot", "100", "", ""};
  if (path_of(hotspot).empty()) return rows;
  std::vector<std::string> options{"-n",          "32", "--virtual",
                                   "--processes", "2",  "--no-globals-note"};
  const char* const took = "processes:";
  rows.push_back(row_of_line("hotspot.before", run(hotspot, options), took));
  options.emplace_back("--balance");
  rows.push_back(row_of_line("hotspot.after", run(hotspot, options), took));
  return rows;
}

}  // namespace armature::bench
