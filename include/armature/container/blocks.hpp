#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace armature {

/// The distribution of the indices 0 .. size-1 over the members of a team. Member m has the block
/// [first(m), first(m) + count(m)). Blocks follow each other in team order and may be empty.
class Blocks {
 public:
  Blocks() = default;
  /// Blocks are as equal as can be; the first members have one more.
  static Blocks even(std::size_t size, int members) {
    Blocks blocks;
    const auto n = static_cast<std::size_t>(members);
    blocks.least_ = size / n;
    blocks.longer_ = size % n;
    blocks.is_even_ = true;
    for (std::size_t m = 0; m <= n; ++m)
      blocks.bounds_.push_back(m * blocks.least_ + std::min(m, blocks.longer_));
    return blocks;
  }
  static Blocks of(std::span<const std::size_t> counts) {
    Blocks blocks;
    blocks.bounds_.assign(counts.size() + 1, 0);
    std::inclusive_scan(counts.begin(), counts.end(), blocks.bounds_.begin() + 1);
    return blocks;
  }

  [[nodiscard]] std::size_t size() const { return bounds_.empty() ? 0 : bounds_.back(); }
  [[nodiscard]] int members() const { return static_cast<int>(bounds_.size()) - 1; }
  [[nodiscard]] std::size_t first(int member) const {
    return bounds_[static_cast<std::size_t>(member)];
  }
  [[nodiscard]] std::size_t count(int member) const { return first(member + 1) - first(member); }

  /// Returns the member that has index i < size().
  [[nodiscard]] int owner(std::size_t i) const {
    if (is_even_) {
      const std::size_t in_longer = longer_ * (least_ + 1);
      return static_cast<int>(i < in_longer ? i / (least_ + 1)
                                            : longer_ + (i - in_longer) / least_);
    }
    return static_cast<int>(std::upper_bound(bounds_.begin(), bounds_.end(), i) - bounds_.begin()) -
           1;
  }

  /// Calls f(member, index within its block, count, index within the section) for every block that
  /// the section of `count` indices from `first` touches.
  template <class F>
  void for_each_piece(std::size_t first_index, std::size_t count, F f) const {
    if (count == 0) return;
    int member = owner(first_index);
    for (std::size_t done = 0; done < count; ++member) {
      const std::size_t within = first_index + done - first(member);
      const std::size_t n = std::min(count - done, this->count(member) - within);
      if (n > 0) f(member, within, n, done);
      done += n;
    }
  }

  friend bool operator==(const Blocks& a, const Blocks& b) { return a.bounds_ == b.bounds_; }

 private:
  std::vector<std::size_t> bounds_;
  std::size_t least_ = 0;   // when even: the length of a shorter block,
  std::size_t longer_ = 0;  // and how many have one more
  bool is_even_ = false;
};

}  // namespace armature
