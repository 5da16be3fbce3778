#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checkpoint/folder.hpp"
#include "checkpoint/page_sums.hpp"

namespace armature::checkpoints {

/// Whether the next one may go on from it. Not where a file of those that it needs is missing or
/// cut off, nor where reading all of them would take much longer by now than reading one.
[[nodiscard]] bool can_go_on(const Found& last);
/// Describes that one for the manifest of the next, which goes on from it.
[[nodiscard]] Manifest::Before before_next(const Link& last);

/// Used by the leader: the checkpoints that it has written. The next one may go on from them with
/// what changed since.
class Chain {
 public:
  /// The number of the last one; 0 where the next one has to be whole. That is so after a failure,
  /// with other processes, in another directory, or behind a chain that is long.
  [[nodiscard]] std::uint32_t goes_on_from(const std::string& directory,
                                           std::uint32_t reconfiguration) const;
  /// The description of the last one in the manifest of the next.
  [[nodiscard]] const Manifest::Before& last() const { return last_; }
  /// Adds a checkpoint that is complete.
  void add(const std::string& folder, const Manifest& manifest, std::uint32_t reconfiguration);
  void forget() { *this = {}; }

 private:
  std::string directory_;
  Manifest::Before last_;
  std::uint32_t number_ = 0, reconfiguration_ = 0;
};

/// A process keeps this from one checkpoint to the next.
struct Kept {
  PageSums sums;
  std::uint32_t sums_of = 0;  // number of the checkpoint
  Chain chain;
  // Several nodes: the checkpoint's id, by which it is known whatever lies in its folder by now,
  // and the ranks that this process wrote there.
  std::uint64_t id = 0;
  std::vector<int> ranks;
};

}  // namespace armature::checkpoints
