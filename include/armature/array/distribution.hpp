#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace armature {

/// Says how the indices of one dimension are spread over the positions of a process grid (HPF's
/// words). The default is block().
class Distribution {
 public:
  enum class Kind { block, block_of, cyclic, gen_block, map, collapsed, replicated };

  Distribution() = default;
  /// One block of neighbours for each position, as equal as can be.
  [[nodiscard]] static Distribution block() { return {}; }
  /// Blocks of `length`, the last ones shorter or empty. There must be enough positions.
  [[nodiscard]] static Distribution block(std::ptrdiff_t length) {
    return {Kind::block_of, length};
  }
  /// Blocks of `length` are dealt out in turn.
  [[nodiscard]] static Distribution cyclic(std::ptrdiff_t length = 1) {
    return {Kind::cyclic, length};
  }
  /// One block for each position, of these lengths. Their sum is the dimension's extent.
  [[nodiscard]] static Distribution gen_block(std::vector<std::ptrdiff_t> lengths) {
    Distribution one(Kind::gen_block, 0);
    one.lengths_ = std::move(lengths);
    return one;
  }
  /// Index i belongs to the position owners[i]. Every member keeps a map of the dimension's extent.
  [[nodiscard]] static Distribution map(std::vector<int> owners) {
    Distribution one(Kind::map, 0);
    one.owners_ = std::move(owners);
    return one;
  }
  /// The dimension is not divided: each member has all of it. The grid has one position there.
  [[nodiscard]] static Distribution collapsed() { return {Kind::collapsed, 0}; }

  /// Every position has all of the dimension: its members keep copies of each other's elements. A
  /// get takes the nearest copy, and puts go to all. The number of positions that the grid does not
  /// give is what the other dimensions leave.
  [[nodiscard]] static Distribution replicated() { return {Kind::replicated, 0}; }

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] std::ptrdiff_t length() const { return length_; }
  [[nodiscard]] const std::vector<std::ptrdiff_t>& lengths() const { return lengths_; }
  [[nodiscard]] const std::vector<int>& owners() const { return owners_; }
  friend bool operator==(const Distribution&, const Distribution&) = default;

 private:
  Distribution(Kind kind, std::ptrdiff_t length) : kind_(kind), length_(length) {}

  Kind kind_ = Kind::block;
  std::ptrdiff_t length_ = 0;
  std::vector<std::ptrdiff_t> lengths_;  // of gen_block
  std::vector<int> owners_;              // of map
};

}  // namespace armature
