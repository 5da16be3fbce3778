#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "armature/container/range.hpp"
#include "armature/error.hpp"
#include "armature/rmi.hpp"
#include "armature/team.hpp"

// An algorithm on several ranges works on the pieces of the first one. Where another range is
// divided in the same way, the same elements are at hand; where not, they are fetched into a buffer
// before, or written back from one after.

namespace armature::detail {

/// The pieces of ranges that belong together must be the same ranks'.
template <class A, class B>
void require_same_members(const char* algorithm, const A& a, const B& b) {
  const Team& one = a.team();
  const Team& other = b.team();
  if (one.state() == other.state()) return;
  bool is_same = one.size() == other.size();
  for (int m = 0; is_same && m < one.size(); ++m)
    is_same = one.world_rank(m) == other.world_rank(m);
  if (!is_same)
    throw Error(Errc::bad_argument,
                std::string(algorithm) +
                    ": the ranges' teams have other members, or the same in another order");
}

template <class A, class B>
void require_same_size(const char* algorithm, const A& a, const B& b) {
  require_same_members(algorithm, a, b);
  if (a.size() != b.size())
    throw Error(Errc::bad_argument, std::string(algorithm) + ": one range has " +
                                        std::to_string(a.size()) + " elements, another " +
                                        std::to_string(b.size()));
}

/// Collective: what any member wrote to any of the ranges is seen by all after.
template <class T, class... More>
void enter(const distributed_range<T>& first, const distributed_range<More>&... more) {
  constexpr bool has_bytes =
      (Transferable<std::remove_const_t<T>> || ... || Transferable<std::remove_const_t<More>>);
  constexpr bool has_objects =
      !(Transferable<std::remove_const_t<T>> && ... && Transferable<std::remove_const_t<More>>);
  const auto take = []<class U>(const distributed_range<U>& range) {
    if constexpr (Transferable<std::remove_const_t<U>>)
      return range.store().take_visits();
    else
      return true;
  };
  // One fence is enough for all: it is the team's.
  bool knows_of_calls = take(first);
  ((knows_of_calls = take(more) || knows_of_calls), ...);
  if constexpr (!has_objects) {
    meet(first.team(), knows_of_calls);
  } else {
    rmi_fence(first.team());
    if constexpr (has_bytes) first.team().barrier();
  }
}

/// The elements of `range` that have the indices of my piece of `shape`, for reading.
template <class T>
class Aligned {
 public:
  template <class U>
  Aligned(const distributed_range<T>& range, const distributed_range<U>& shape) {
    if (range.divided_as(shape)) {
      elements_ = range.local();
    } else {
      fetched_.resize(shape.local().size());
      range.read(shape.offset(), std::span<std::remove_const_t<T>>(fetched_));
      elements_ = fetched_;
    }
  }
  Aligned(const Aligned&) = delete;
  Aligned& operator=(const Aligned&) = delete;
  [[nodiscard]] std::span<const T> elements() const { return elements_; }

 private:
  std::vector<std::remove_const_t<T>> fetched_;
  std::span<const T> elements_;
};

/// Room for the elements of `range` that have the indices of my piece of `shape`; write_back() puts
/// them where they belong.
template <class T>
class AlignedOutput {
 public:
  template <class U>
  AlignedOutput(const distributed_range<T>& range, const distributed_range<U>& shape)
      : range_(range), offset_(shape.offset()), is_direct_(range.divided_as(shape)) {
    if (is_direct_) {
      elements_ = range.local();
    } else {
      kept_.resize(shape.local().size());
      elements_ = kept_;
    }
  }
  AlignedOutput(const AlignedOutput&) = delete;
  AlignedOutput& operator=(const AlignedOutput&) = delete;
  [[nodiscard]] std::span<T> elements() const { return elements_; }
  void write_back() const {
    if (!is_direct_) range_.write(offset_, std::span<const T>(kept_));
  }

 private:
  distributed_range<T> range_;
  std::size_t offset_;
  bool is_direct_;
  std::vector<T> kept_;
  std::span<T> elements_;
};

}  // namespace armature::detail
