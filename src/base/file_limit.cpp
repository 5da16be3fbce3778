#include "base/file_limit.hpp"

#include <sys/resource.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/fail.hpp"

namespace armature::base {

void raise_file_limit(std::uint64_t files, const std::string& who) {
  const rlim_t needed = files;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur >= needed) return;
  limit.rlim_cur = std::min(needed, limit.rlim_max);
  if (limit.rlim_cur < needed || setrlimit(RLIMIT_NOFILE, &limit) != 0)
    fail(
        Errc::start,
        fmt::format("{} needs {} open files, and only {} are allowed. Raise the hard limit (ulimit "
                    "-Hn, or nofile in /etc/security/limits.conf)",
                    who, needed, limit.rlim_max));
}

}  // namespace armature::base
