#pragma once

#include <cstdint>
#include <string>

#include "virtual/checkpoint/folder.hpp"
#include "virtual/checkpoint/page_sums.hpp"

namespace armature::checkpoints {

/// By the leader: the checkpoints that it has written, of which the next one may go on with what
/// changed since.
class Chain {
 public:
  /// The number of the last one; 0 where the next one has to be whole: after a failure, with other
  /// processes, in another directory, or since reading all of them would take much longer by now
  /// than reading one.
  [[nodiscard]] std::uint32_t goes_on_from(const std::string& directory,
                                           std::uint32_t regroup) const;
  /// What the next one says about the last one.
  [[nodiscard]] const Manifest::Before& last() const { return last_; }
  /// It is complete.
  void add(const std::string& folder, const Manifest& manifest, std::uint32_t regroup);
  void forget() { *this = {}; }

 private:
  std::string directory_;
  Manifest::Before last_;
  std::uint32_t number_ = 0, regroup_ = 0;
  std::uint32_t links_ = 0;                          // behind the whole one
  std::uint64_t whole_bytes_ = 0, links_bytes_ = 0;  // on disk
};

/// What a process keeps from one checkpoint to the next.
struct Kept {
  PageSums sums;
  std::uint32_t sums_of = 0;  // number of the checkpoint
  Chain chain;
};

}  // namespace armature::checkpoints
