#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <utility>

#include "armature/detail/language.hpp"

namespace armature {

/// A unit of execution of the job, numbered 0 .. size-1 over the whole job, whatever hosts it
/// (a process, a thread, a fiber). Converts from and to integers, so that `(rank + 1) % size`
/// works, but not to a NodeId or a ProcessId. A number that no rank can have becomes
/// `Rank::none()`.
class Rank {
 public:
  constexpr Rank() = default;
  template <std::integral I>
  constexpr Rank(I number)  // NOLINT(google-explicit-constructor)
      : number_(std::in_range<std::int32_t>(number) ? static_cast<std::int32_t>(number) : -1) {}

  static constexpr Rank none() { return Rank(-1); }
  constexpr operator int() const { return number_; }  // NOLINT(google-explicit-constructor)

 private:
  std::int32_t number_ = -1;
};

namespace detail {
/// A number that means one kind of thing only: no arithmetic, no mixing.
template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  explicit constexpr Id(int number) : number_(number) {}
  [[nodiscard]] constexpr int number() const { return number_; }
  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  int number_ = -1;
};
}  // namespace detail

/// The processes that can map each other's memory (one OS instance), numbered 0 .. nodes-1.
using NodeId = detail::Id<struct NodeTag>;
/// An OS process of the job, numbered 0 .. processes-1.
using ProcessId = detail::Id<struct ProcessTag>;

}  // namespace armature

template <>
struct std::hash<armature::Rank> {
  std::size_t operator()(armature::Rank rank) const noexcept { return std::hash<int>{}(rank); }
};
