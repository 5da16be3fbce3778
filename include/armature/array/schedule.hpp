#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "armature/array/plan.hpp"
#include "armature/array/section.hpp"
#include "armature/array/store.hpp"
#include "armature/array/transfers.hpp"
#include "armature/handle.hpp"

namespace armature {

namespace detail {

/// A copy from section to section, planned: what this member puts where.
class ArrayCopy {
 public:
  ARMATURE_API ArrayCopy(const ArrayStore& to, const ArraySection& to_section,
                         const ArrayStore& from, const ArraySection& from_section);

  ARMATURE_API void run();
  [[nodiscard]] const ArrayTransfers& transfers() const { return transfers_; }

 private:
  std::byte* stage();

  const ArrayStore* from_;
  const ArrayStore* to_;
  bool is_staged_;                 // from one place of an array to another that overlaps it
  std::vector<std::byte> staged_;  // then the caller's block
  ArrayTransfers transfers_;
};

/// Collective: runs the copy between two sections, planned now or kept from a call before.
ARMATURE_API void copy_sections(const ArrayStore& to, const ArraySection& to_section,
                                const ArrayStore& from, const ArraySection& from_section);

}  // namespace detail

/// A copy between two sections of the same shape, of arrays of any distributions, planned once and
/// run any number of times: `to = from`. Sections of the same array may overlap: the result is as
/// if all had been read before anything is written. Running it sends one message to each
/// member of another node with which the caller shares elements. The second run and later ones
/// allocate nothing.
///
/// Construction and run() are collective. Both arrays belong to the same team, and live as long.
/// What any member wrote to `from` before run() is copied, and what is copied is seen by all after.
template <class T>
class copy_schedule {
 public:
  /// Throws Error(bad_argument) for sections of different shapes, and arrays of different teams.
  copy_schedule(const array_section<T>& to,
                const array_section<const std::type_identity_t<T>>& from)
      : copy_(to.store(), to.section(), from.store(), from.section()) {}

  void run() { copy_.run(); }
  /// How many members this one puts to in each run, itself among them, if it does.
  [[nodiscard]] std::size_t partners() const { return copy_.transfers().ranks(); }
  /// How many messages it sends in each run: one to each of those that is on another node.
  [[nodiscard]] std::size_t messages() const { return copy_.transfers().messages(); }
  /// How many bytes it puts.
  [[nodiscard]] std::size_t bytes() const { return copy_.transfers().bytes(); }

 private:
  detail::ArrayCopy copy_;
};

/// Collective: `to = from`. The plans of the last copies to an array are kept, so that one that
/// repeats is not planned again (copy_cache.hpp).
template <class T>
void copy(const array_section<T>& to, const array_section<const std::type_identity_t<T>>& from) {
  detail::copy_sections(to.store(), to.section(), from.store(), from.section());
}
template <class T>
void copy(const array_section<T>& to, const array_section<T>& from) requires(!std::is_const_v<T>) {
  detail::copy_sections(to.store(), to.section(), from.store(), from.section());
}

template <class T>
template <class U>
requires(std::same_as<std::remove_const_t<U>, T> && !std::is_const_v<T>) const
    array_section<T>& array_section<T>::operator=(const array_section<U>& from) const {
  detail::copy_sections(store(), section(), from.store(), from.section());
  return *this;
}

}  // namespace armature
