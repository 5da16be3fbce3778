// A page that cannot be had when it is first touched kills the process (SIGBUS, or the kernel's
// choice of victim). So memory is asked for when it is allocated, and before that we look whether
// it can be there at all. The kernel's own answer, for a memory file, would come only after it had
// killed somebody.
#include "topology/memory.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "topology/cgroup.hpp"

namespace armature::topology {
namespace {

using base::readable_bytes;

std::optional<std::uint64_t> read_number(const std::string& path) {
  std::ifstream in(path);
  std::uint64_t value = 0;
  if (in >> value) return value;
  return std::nullopt;
}

/// Numbers of /proc/meminfo, in bytes: "MemAvailable:   123 kB".
class MemoryInfo {
 public:
  MemoryInfo() {
    std::ifstream in("/proc/meminfo");
    std::getline(in, text_, '\0');
  }
  /// Zero where the kernel does not say.
  [[nodiscard]] std::uint64_t operator[](const std::string& key) const {
    const std::size_t place = text_.find(key + ':');
    if (place == std::string::npos) return 0;
    return std::strtoull(text_.c_str() + place + key.size() + 1, nullptr, 10) * 1024;
  }

 private:
  std::string text_;
};

std::uint64_t difference(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : 0; }

/// Every limit keeps a part for what is not ours: page tables, stacks, what programs take without
/// asking. A part of the limit, not of what is left: that would be nothing when it is needed.
std::uint64_t kept_free(std::uint64_t total) {
  return std::min<std::uint64_t>(total / 32, std::uint64_t{256} << 20);
}

void tighten(MemoryRoom& room, std::uint64_t total, std::uint64_t free, const std::string& limit) {
  const std::uint64_t bytes = difference(free, kept_free(total));
  if (bytes < room.bytes) {
    room.bytes = bytes;
    room.limit = limit;
  }
  room.total = std::min(room.total, total);
}

void tighten_by_group(MemoryRoom& room, const std::string& root, std::string group, bool v2) {
  const char* limit_file = v2 ? "/memory.max" : "/memory.limit_in_bytes";
  const char* used_file = v2 ? "/memory.current" : "/memory.usage_in_bytes";
  for (;;) {
    const std::string dir = root + (group == "/" ? "" : group);
    const auto limit = read_number(dir + limit_file);
    const auto used = read_number(dir + used_file);
    if (limit && used && *limit < std::uint64_t{1} << 60) {
      // The kernel would give it up when asked.
      const auto cache =
          value_of(dir + "/memory.stat", v2 ? "inactive_file" : "total_inactive_file");
      tighten(
          room, *limit, difference(*limit, difference(*used, cache)),
          fmt::format("the memory limit of control group {} ({})", dir, readable_bytes(*limit)));
    }
    if (group.empty() || group == "/") return;
    group.resize(group.find_last_of('/'));
  }
}

void tighten_by_groups(MemoryRoom& room) {
  for (const auto& [controllers, group] : own_groups()) {
    if (controllers.empty()) tighten_by_group(room, "/sys/fs/cgroup", group, true);
    if (controllers == "memory") {
      tighten_by_group(room, "/sys/fs/cgroup/memory", group, false);
      tighten_by_group(room, "/sys/fs/cgroup/memory", "/",
                       false);  // inside a container the path may not exist
    }
  }
}

}  // namespace

MemoryRoom memory_room() {
  constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();
  MemoryRoom room{any, "nothing", any};
  const MemoryInfo info;
  if (const std::uint64_t total = info["MemTotal"]; total != 0)
    tighten(room, total, info["MemAvailable"] + info["SwapFree"], "the machine's free memory");
  if (read_number("/proc/sys/vm/overcommit_memory").value_or(0) == 2)
    tighten(room, info["CommitLimit"], difference(info["CommitLimit"], info["Committed_AS"]),
            "the commit limit (vm.overcommit_memory is 2)");
  tighten_by_groups(room);
  return room;
}

}  // namespace armature::topology
