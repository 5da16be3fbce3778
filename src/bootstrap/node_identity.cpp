#include "bootstrap/node_identity.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include <fmt/format.h>

#include "base/process_stat.hpp"

namespace armature::bootstrap {
namespace {

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// The inode tells a namespace from others; 0 where there are none.
unsigned long long space_number(const char* name) {
  struct stat status {};
  return stat(fmt::format("/proc/self/ns/{}", name).c_str(), &status) == 0 ? status.st_ino : 0;
}

}  // namespace

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "?";
}

std::string node_identity() {
  const char* pretended = std::getenv(node_variable);
  return fmt::format("{}/{}/{:x}/{:x}/{}", first_line("/proc/sys/kernel/random/boot_id"),
                     host_name(), space_number("net"), space_number("pid"),
                     pretended != nullptr ? pretended : "");
}

unsigned long long start_of_process(int pid) {
  const auto stat = base::process_stat(pid);
  return stat ? stat->started : 0;
}

}  // namespace armature::bootstrap
