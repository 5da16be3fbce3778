#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "armature/handle.hpp"
#include "armature/rank.hpp"

namespace armature::progress {

/// A rank's operations with implicit handle that are still under way.
class Implicit {
 public:
  /// Does not look whether it is complete: that would send what had better gather. Waits for the
  /// oldest where there are very many.
  void add(Rank to, Handle handle) {
    if (std::ssize(pending_) >= pending_max) {
      const auto end = pending_.begin() + pending_max / 2;
      for (auto one = pending_.begin(); one != end; ++one) one->second.wait();
      pending_.erase(pending_.begin(), end);
    }
    pending_.emplace_back(to, std::move(handle));
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
  static constexpr std::ptrdiff_t pending_max = 4096;
  std::vector<std::pair<Rank, Handle>> pending_;
};

}  // namespace armature::progress
