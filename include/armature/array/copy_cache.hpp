#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>

#include "armature/error.hpp"

namespace armature::detail {

class ArrayCopy;
class ArrayStore;
struct ArraySection;

/// The plans of the last copies to sections of an array. A copy between the same two sections is
/// not planned again, and allocates nothing. Plans are each member's own: it does not matter
/// whether others have kept theirs. Threads may use a cache at once: a plan that is in use is not
/// lent twice.
class ArrayCopyCache {
 public:
  struct Entry;

  ARMATURE_API ArrayCopyCache();
  ArrayCopyCache(const ArrayCopyCache&) = delete;
  ArrayCopyCache& operator=(const ArrayCopyCache&) = delete;
  ARMATURE_API ~ArrayCopyCache();

  /// Returns the plan of a copy to a section of `to`, whose cache this is: a kept one, or a new
  /// one. Throws as ArrayCopy does.
  std::unique_ptr<Entry> take(const ArrayStore& to, const ArraySection& to_section,
                              const ArrayStore& from, const ArraySection& from_section);
  void give_back(std::unique_ptr<Entry> entry) noexcept;
  /// Differs from that of any other array, as long as somebody holds it.
  [[nodiscard]] const std::shared_ptr<const int>& identity() const { return identity_; }
  /// How many copies have been planned so far.
  [[nodiscard]] ARMATURE_API std::size_t planned() const;

 private:
  static constexpr std::size_t entries_max = 8;

  mutable std::mutex mutex_;
  std::shared_ptr<const int> identity_ = std::make_shared<const int>(0);
  std::size_t planned_ = 0;
  std::array<std::unique_ptr<Entry>, entries_max> entries_;  // the last one used comes first
};

}  // namespace armature::detail
