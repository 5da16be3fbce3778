#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "armature/handle.hpp"
#include "armature/rank.hpp"

namespace armature::progress {

/// A rank's operations with implicit handle that are still under way.
class Implicit {
 public:
  void add(Rank to, Handle handle) {
    if (!handle.test()) pending_.emplace_back(to, std::move(handle));
  }
  void wait() {
    for (auto& one : pending_) one.second.wait();
    pending_.clear();
  }
  void wait(Rank to) {
    for (auto& one : pending_)
      if (one.first == to) one.second.wait();
    (void)test(to);
  }
  /// Whether none to that rank is left.
  [[nodiscard]] bool test(Rank to) {
    std::erase_if(pending_, [&](auto& one) { return one.first == to && one.second.test(); });
    return std::none_of(pending_.begin(), pending_.end(),
                        [&](const auto& one) { return one.first == to; });
  }

 private:
  std::vector<std::pair<Rank, Handle>> pending_;
};

}  // namespace armature::progress
