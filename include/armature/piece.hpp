#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "armature/detail/export.hpp"
#include "armature/global_ptr.hpp"
#include "armature/rank.hpp"

namespace armature {

namespace detail {
/// What a collective allocation gave each member of its team, in team order.
struct Allotment {
  struct Share {
    Rank rank;
    void* address = nullptr;
    std::size_t bytes = 0;
  };
  std::vector<Share> shares;
  int mine = 0;
  std::uint32_t team = 0;      // the id of the team that allocated it
  mutable bool freed = false;  // seen by all copies of the piece
};
[[noreturn]] ARMATURE_API void piece_bad_index(int index, std::size_t size);
}  // namespace detail

/// Memory that every member of a team has allocated together: its own piece, and where the others'
/// are. Copies refer to the same memory. Released by Team::free, or at the end of the job.
template <class T>
class Piece {
 public:
  Piece() = default;
  explicit Piece(std::shared_ptr<const detail::Allotment> allotment)
      : allotment_(std::move(allotment)) {}

  /// The first element of that team member's piece (for the world: of that rank's).
  [[nodiscard]] global_ptr<T> on(int member) const {
    const auto& share = share_of(member);
    return {share.rank, static_cast<T*>(share.address)};
  }
  /// How many elements that member asked for.
  [[nodiscard]] std::size_t size(int member) const { return share_of(member).bytes / sizeof(T); }
  /// My own piece. Throws, as do the others, where there is none.
  [[nodiscard]] std::span<T> local() const { return {on(mine()).address(), size(mine())}; }
  [[nodiscard]] T& operator[](std::size_t i) const { return on(mine()).address()[i]; }
  [[nodiscard]] int members() const {
    return allotment_ ? static_cast<int>(allotment_->shares.size()) : 0;
  }
  explicit operator bool() const { return allotment_ != nullptr; }
  [[nodiscard]] const std::shared_ptr<const detail::Allotment>& allotment() const {
    return allotment_;
  }

 private:
  [[nodiscard]] int mine() const { return allotment_ ? allotment_->mine : 0; }
  const detail::Allotment::Share& share_of(int member) const {
    if (static_cast<unsigned>(member) >= static_cast<unsigned>(members())) [[unlikely]]
      detail::piece_bad_index(member, static_cast<std::size_t>(members()));
    return allotment_->shares[static_cast<std::size_t>(member)];
  }

  std::shared_ptr<const detail::Allotment> allotment_;
};

}  // namespace armature
