#include "topology/memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/fail.hpp"
#include "base/file_descriptor.hpp"
#include "command/doctor/checks.hpp"
#include "space/layout.hpp"

// Memory, memory files, and room for segments in the address space.

namespace armature::command {
namespace {

using base::readable_bytes;

std::string first_word(const char* path) {
  std::string word;
  std::ifstream(path) >> word;
  return word;
}

void check_overcommit(Findings& findings) {
  const std::string mode = first_word("/proc/sys/vm/overcommit_memory");
  Finding finding{"overcommit", Health::good, "mode " + (mode.empty() ? "unknown" : mode), ""};
  if (mode == "2") {
    finding.health = Health::weak;
    finding.remedy =
        "memory is promised only while the commit limit lasts: sysctl vm.overcommit_memory=0";
  }
  findings.push_back(finding);
}

/// Tries with a memory file what a job does with each segment. Returns what failed, or nothing.
std::string try_memory_file(std::uint64_t address) {
  constexpr std::size_t touched = std::size_t{4} << 20;
  const base::FileDescriptor file(memfd_create("armature-doctor", MFD_CLOEXEC));
  const auto failed = [](const char* what) {
    return std::string(what) + ": " + base::system_text(errno);
  };
  if (!file) return failed("memfd_create");
  // A limit of their size is told by itself (check_limits).
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const std::uint64_t bytes = std::min<std::uint64_t>(limit.rlim_cur, space::segment_bytes_max);
  if (ftruncate(file.get(), static_cast<off_t>(bytes)) != 0)
    return failed("a sparse file as large as a segment");
  if (fallocate(file.get(), 0, 0, static_cast<off_t>(touched)) != 0)
    return failed("4 MiB of memory");
  void* start = mmap(reinterpret_cast<void*>(address), touched, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_FIXED_NOREPLACE, file.get(), 0);
  if (start == MAP_FAILED) return failed("mapping it where segments lie");
  std::memset(start, 1, touched);
  munmap(start, touched);
  return "";
}

void check_huge_pages(Findings& findings) {
  std::string line;
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
  std::getline(file, line);
  const auto begin = line.find('['), end = line.find(']');
  const std::string mode = begin != std::string::npos && end != std::string::npos
                               ? line.substr(begin + 1, end - begin - 1)
                               : "";
  const bool off = mode.empty() || mode == "never" || mode == "deny";
  findings.push_back({"huge pages for shared memory", off ? Health::note : Health::good,
                      off ? "off; large transfers can gain from them: echo advise > "
                            "/sys/kernel/mm/transparent_hugepage/shmem_enabled"
                          : mode,
                      ""});
}

}  // namespace

void check_memory(Findings& findings) {
  const auto room = topology::memory_room();
  Finding memory{"memory", Health::good,
                 fmt::format("{} to be had, bounded by {}", readable_bytes(room.bytes), room.limit),
                 ""};
  if (room.bytes < std::uint64_t{64} << 20) {
    memory.health = Health::bad;
    memory.remedy = "free memory, or raise the limit named";
  } else if (room.bytes < std::uint64_t{512} << 20) {
    memory.health = Health::weak;
    memory.remedy = "that is little: free memory, or raise the limit named";
  }
  findings.push_back(memory);
  check_overcommit(findings);
  check_huge_pages(findings);
}

void check_address_space(Findings& findings) {
  // A limit on files is an answer, too, and no reason to die.
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  const std::string problem = try_memory_file(space::default_base);
  std::signal(SIGXFSZ, before);
  findings.push_back(
      {"memory files", problem.empty() ? Health::good : Health::bad,
       problem.empty() ? "work" : problem + " failed",
       problem.empty() ? ""
                       : "Armature needs memfd_create of Linux, allowed by the sandbox, and room: "
                         "ulimit -f unlimited, memory limits"});

  void* start = mmap(reinterpret_cast<void*>(space::default_base), space::default_room, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  const int error = errno;
  if (start != MAP_FAILED) munmap(start, space::default_room);
  Finding room{"address space", Health::good,
               fmt::format("room for {} from {:#x} on", readable_bytes(space::default_room),
                           space::default_base),
               ""};
  if (start == MAP_FAILED) {
    room.health = Health::bad;
    room.found = fmt::format("no room for {} at {:#x}: {}", readable_bytes(space::default_room),
                             space::default_base, base::system_text(error));
    room.remedy =
        "ulimit -v unlimited; or smaller segments elsewhere: armature run --segment-size 1G --base "
        "0x100000000000";
  }
  findings.push_back(room);
}

}  // namespace armature::command
