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
/// The result of a collective allocation: each member's memory, in team order.
class AllocationTable {
 public:
  struct Share {
    Rank rank;
    void* address = nullptr;
    std::size_t bytes = 0;
  };

  /// Members one after the other with as many bytes each, whose ranks and addresses lie equally far
  /// apart. As a rule these are all, so that it takes no more memory however many members there
  /// are.
  struct Row {
    Share first;
    int members = 1;
    int rank_step = 0;
    std::ptrdiff_t address_step = 0;
    int begin = 0;  // the number of the first one

    [[nodiscard]] Share share(int member) const {
      const int i = member - begin;
      return {Rank(first.rank + i * rank_step),
              static_cast<std::byte*>(first.address) + i * address_step, first.bytes};
    }
    /// The members of `next` follow, if these and those are one row; false: they are not.
    ARMATURE_API bool append(const Row& next);
  };

  /// Adds the row of the next members.
  ARMATURE_API void add(Row row);
  /// Called when there are no more.
  ARMATURE_API void shrink();
  [[nodiscard]] int members() const { return members_; }
  [[nodiscard]] Share share(int member) const {
    return rows_.size() == 1 ? rows_.front().share(member) : row_of(member).share(member);
  }

  int mine = 0;
  std::uint32_t team = 0;      // the id of the team that allocated it
  mutable bool freed = false;  // seen by all copies of the piece

 private:
  [[nodiscard]] ARMATURE_API const Row& row_of(int member) const;

  std::vector<Row> rows_;
  int members_ = 0;

 public:
  Share own;  // of `mine`: found without a look at the rows
};
using Allotment [[deprecated("use AllocationTable")]] = AllocationTable;
[[noreturn]] ARMATURE_API void piece_bad_index(int index, std::size_t size);
[[noreturn]] ARMATURE_API void piece_no_element(std::size_t index, std::size_t size);
}  // namespace detail

/// Memory that every member of a team has allocated together: its own piece, and where the others'
/// are. Copies refer to the same memory. Released by Team::free, or at the end of the job.
template <class T>
class Piece {
 public:
  Piece() = default;
  explicit Piece(std::shared_ptr<const detail::AllocationTable> table) : table_(std::move(table)) {}

  /// The first element of that team member's piece (for the world: of that rank's).
  [[nodiscard]] global_ptr<T> on(int member) const {
    const auto share = share_of(member);
    return {share.rank, static_cast<T*>(share.address)};
  }
  /// How many elements that member asked for.
  [[nodiscard]] std::size_t size(int member) const { return share_of(member).bytes / sizeof(T); }
  /// My own piece. Throws, as do the others, where there is none.
  [[nodiscard]] std::span<T> local() const { return {on(mine()).address(), size(mine())}; }
  /// An element of my own piece. Loops over many go through local(), whose place is looked up once.
  [[nodiscard]] T& operator[](std::size_t i) const {
    if (table_ == nullptr) [[unlikely]]
      detail::piece_bad_index(0, 0);
    const std::size_t elements = table_->own.bytes / sizeof(T);
    if (i >= elements) [[unlikely]]
      detail::piece_no_element(i, elements);
    return static_cast<T*>(table_->own.address)[i];
  }
  [[nodiscard]] int members() const { return table_ ? table_->members() : 0; }
  explicit operator bool() const { return table_ != nullptr; }
  [[nodiscard]] const std::shared_ptr<const detail::AllocationTable>& table() const {
    return table_;
  }
  [[deprecated("use table")]] [[nodiscard]] const std::shared_ptr<const detail::AllocationTable>&
  allotment() const {  // deprecated
    return table_;
  }

 private:
  [[nodiscard]] int mine() const { return table_ ? table_->mine : 0; }
  [[nodiscard]] detail::AllocationTable::Share share_of(int member) const {
    if (static_cast<unsigned>(member) >= static_cast<unsigned>(members())) [[unlikely]]
      detail::piece_bad_index(member, static_cast<std::size_t>(members()));
    return table_->share(member);
  }

  std::shared_ptr<const detail::AllocationTable> table_;
};

}  // namespace armature
