#include "bench/programs.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file_descriptor.hpp"
#include "bench/process.hpp"

namespace armature::bench {

namespace {

constexpr Program all[] = {
    {"lu", "--no-threads --n 1600", "--no-threads --n 400", "one-sided"},
    {"mg", "--class A", "--class S", "one-sided"},
    {"jacobi", "--steps 200", "--steps 20", "by puts:"},
};

std::filesystem::path own_path() { return std::filesystem::read_symlink("/proc/self/exe"); }

}  // namespace

std::span<const Program> programs() { return all; }

std::string output_of(std::vector<std::string> command, std::string variable) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "bench: pipe");
  const base::FileDescriptor reading(ends[0]);
  base::FileDescriptor writing(ends[1]);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  Process process(std::move(command), writing.get(), std::move(variable));
  writing = {};
  std::string output;
  process.expect_success(reading.get(), [&] {
    char chunk[4096];
    for (ssize_t n = 0; (n = read(reading.get(), chunk, sizeof chunk)) > 0;)
      output.append(chunk, static_cast<std::size_t>(n));
  });
  return output;
}

std::string path_of(const Program& program) {
  const auto path = own_path().parent_path() / "examples" / program.name;
  return access(path.c_str(), X_OK) == 0 ? path.string() : std::string();
}

std::string output_of(const Program& program, Hosting hosting, bool quick) {
  const int ranks = 2 * std::max(hosting.virtual_each, 1);
  std::vector<std::string> command{own_path().string(), "run", "-n", std::to_string(ranks)};
  if (hosting.virtual_each > 0)
    command.insert(command.end(), {"--virtual", "--processes", "2", "--no-globals-note"});
  if (hosting.between_nodes) command.insert(command.end(), {"--nodes", "2"});
  command.push_back(path_of(program));
  std::istringstream words(quick ? program.quick_words : program.words);
  for (std::string word; words >> word;) command.push_back(word);
  return output_of(command, hosting.between_nodes ? "ARMATURE_NET_HOOK=delay=500" : "");
}

double ns_behind(std::string_view output, const Program& program) {
  const std::size_t before = output.find(program.before);
  const std::string number(before == output.npos
                               ? std::string_view("0")
                               : output.substr(before + std::string_view(program.before).size()));
  const double seconds = std::strtod(number.c_str(), nullptr);
  if (!(seconds > 0))
    throw std::runtime_error("bench: " + std::string(program.name) + " does not say how long");
  return seconds * 1e9;
}

double program_ns(const Program& program, Hosting hosting, bool quick) {
  return ns_behind(output_of(program, hosting, quick), program);
}

}  // namespace armature::bench
