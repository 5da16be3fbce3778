#include <sys/resource.h>

#include <fstream>
#include <optional>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "command/doctor/checks.hpp"
#include "command/run/job_files.hpp"
#include "space/layout.hpp"

// Limits that the shell, the service manager or the container set for a process.

namespace armature::command {
namespace {

constexpr rlim_t comfortable_ranks = 256;

rlimit limit_of(__rlimit_resource resource) {
  rlimit limit{};
  getrlimit(resource, &limit);
  return limit;
}

std::string bytes_or_unlimited(rlim_t bytes) {
  return bytes == RLIM_INFINITY ? "unlimited" : base::readable_bytes(bytes);
}

/// The largest job of process ranks, on one node, that may open what it needs.
rlim_t ranks_with_files(rlim_t limit) {
  rlim_t fewest = 0, most = space::ranks_max;
  while (fewest < most) {
    const auto ranks = static_cast<std::uint32_t>((fewest + most + 1) / 2);
    if (JobFiles{.ranks = ranks, .processes = ranks}.count() <= limit)
      fewest = ranks;
    else
      most = ranks - 1;
  }
  return fewest;
}

void check_open_files(Findings& findings) {
  const rlimit limit = limit_of(RLIMIT_NOFILE);
  const rlim_t ranks = ranks_with_files(limit.rlim_max);
  Finding finding{"open files", Health::good, "", ""};
  finding.found =
      fmt::format("{} (up to {}): enough for {} ranks", limit.rlim_cur, limit.rlim_max, ranks);
  if (ranks < comfortable_ranks) {
    finding.health = ranks < 2 ? Health::bad : Health::weak;
    finding.remedy =
        "raise the hard limit: ulimit -Hn 65536, or nofile in /etc/security/limits.conf";
  }
  findings.push_back(finding);
}

void check_processes(Findings& findings) {
  const rlimit limit = limit_of(RLIMIT_NPROC);
  Finding finding{"processes", Health::good, "unlimited", ""};
  if (limit.rlim_cur != RLIM_INFINITY) {
    finding.found = fmt::format("{} for this user", limit.rlim_cur);
    if (limit.rlim_cur < comfortable_ranks) {
      finding.health = Health::weak;
      finding.remedy = "each rank is a process: ulimit -u";
    }
  }
  findings.push_back(finding);
}

}  // namespace

void check_limits(Findings& findings) {
  check_open_files(findings);
  check_processes(findings);

  const rlimit address = limit_of(RLIMIT_AS);
  const bool room = address.rlim_cur == RLIM_INFINITY;
  findings.push_back(
      {"size of a process (RLIMIT_AS)", room ? Health::good : Health::bad,
       bytes_or_unlimited(address.rlim_cur),
       room ? "" : "segments are address ranges, most of them never used: ulimit -v unlimited"});

  const rlimit file = limit_of(RLIMIT_FSIZE);
  const bool large = file.rlim_cur == RLIM_INFINITY || file.rlim_cur >= space::segment_bytes_max;
  std::string remedy;
  if (!large) remedy = "each segment is a sparse memory file: ulimit -f unlimited";
  if (!large && file.rlim_cur >= space::segment_bytes_min)
    remedy += ", or armature run --segment-size";
  findings.push_back({"size of a file (RLIMIT_FSIZE)", large ? Health::good : Health::bad,
                      bytes_or_unlimited(file.rlim_cur), remedy});

  const rlimit locked = limit_of(RLIMIT_MEMLOCK);
  findings.push_back({"locked memory", Health::note,
                      bytes_or_unlimited(locked.rlim_cur) + "; matters to network cards only", ""});
}

}  // namespace armature::command
