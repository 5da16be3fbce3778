#pragma once

#include <sys/types.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace armature::command {

/// The processes that a job brings into being. Whoever becomes a launcher by exec may have children
/// already: of `armature run ... > >(gzip > log.gz)` the shell makes gzip one. These, and whatever
/// they start, are nobody's ranks, and go on when the job ends.
class Descendants {
 public:
  /// All that are there now are others'.
  Descendants();

  /// All below this one that are not others', children before their children. Orphans of ours are
  /// among them where this process is a child subreaper.
  [[nodiscard]] std::vector<pid_t> of_the_job() const;

  /// Kills and reaps all of them, also those that appear meanwhile; returns how many there were.
  int kill_all() const;

 private:
  using Identity = std::pair<pid_t, std::uint64_t>;  // with its start: pids are given anew
  std::vector<Identity> others_;                     // in order
};

}  // namespace armature::command
