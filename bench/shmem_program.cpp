#include "bench/shmem_program.hpp"

#include <unistd.h>

#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string>

#include "bench/programs.hpp"

namespace armature::bench {

namespace {

/// The program lies with OpenSHMEM's wrappers, in the build's folders and in the installed ones.
std::string path_of_program(const std::filesystem::path& command) {
  const std::filesystem::path root = command.parent_path().parent_path();
  for (const char* const place : {"shmem/bin/shmem_bench", "lib/armature-shmem/bin/shmem_bench"})
    if (const auto path = root / place; access(path.c_str(), X_OK) == 0) return path.string();
  throw std::runtime_error("bench: there is no shmem_bench beside " + command.string() +
                           ": it is built with OpenSHMEM");
}

}  // namespace

std::vector<Row> shmem_rows(bool quick) {
  const auto command = std::filesystem::read_symlink("/proc/self/exe");
  std::istringstream lines(output_of({command.string(), "run", "-n", "2", path_of_program(command),
                                      "armature", quick ? "20" : "300"}));
  std::vector<Row> rows;
  std::string system;
  for (Row row; lines >> system >> row.op >> row.bytes >> row.ns;) {
    // The line of the same by hand comes behind the row's.
    if (system == "limit" && !rows.empty() && rows.back().op == row.op)
      rows.back().limit_ns = row.ns;
    else
      rows.push_back(row);
  }
  if (rows.empty() || !lines.eof()) throw std::runtime_error("bench: shmem_bench says no rows");
  return rows;
}

}  // namespace armature::bench
