#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <ranges>
#include <string>
#include <type_traits>

#include "armature/error.hpp"
#include "armature/team.hpp"

namespace armature {

/// A look at elements of a container, or at what is made of them, that algorithms work on: a value
/// of a few words that keeps no container alive. Each member of the team treats the elements that
/// local() gives it. Its function fence() is collective: what any member wrote before is seen by
/// all after. What local() returns is valid until the next fence, and the container must not change
/// its size meanwhile.
template <class V>
concept ElementView = requires(const V& of) {
  typename V::element_view;
  { of.team() } -> std::same_as<const Team&>;
  of.fence();
  { of.local() } -> std::ranges::input_range;
};

/// One whose elements have numbers from 0 to size() - 1. indices() gives those of local(), in its
/// order.
template <class V>
concept IndexedView = ElementView<V> && requires(const V& of) {
  { of.size() } -> std::same_as<std::size_t>;
  { of.indices() } -> std::ranges::random_access_range;
  { of.local() } -> std::ranges::random_access_range;
};

/// One whose pieces follow each other in team order: that of member m is [begin_of(m),
/// begin_of(m + 1)).
template <class V>
concept DividedView = IndexedView<V> && requires(const V& of, int m) {
  { of.begin_of(m) } -> std::same_as<std::size_t>;
};

template <ElementView V>
using view_reference_t = std::ranges::range_reference_t<decltype(std::declval<const V&>().local())>;
template <ElementView V>
using view_value_t = std::remove_cvref_t<view_reference_t<V>>;

namespace detail {

/// Whether local() gets elements of other members, who must not write before it has.
template <class V>
inline constexpr bool is_fetched = requires {
  requires V::is_fetched;
};

/// The container whose elements a view shows, for errors.
template <class V>
constexpr const char* shown_by() {
  if constexpr (requires { V::shown; })
    return V::shown;
  else
    return "container";
}
/// "a view of 10 elements of a distributed_vector".
template <class V>
std::string described(const V& of) {
  return "a view of " + std::to_string(of.size()) + " elements of a " + shown_by<V>();
}

/// Whether a value names memory of the member that has it, as a std::span does: elsewhere it says
/// nothing.
template <class T>
inline constexpr bool is_of_local_memory = std::ranges::view<T>;

/// The elements f(0) to f(count - 1), as a range.
template <class F>
auto each_of(std::size_t count, F f) {
  return std::views::iota(std::size_t{0}, count) | std::views::transform(std::move(f));
}

/// Calls that follow from begin_of alone.
template <class Self>
class DividedPieces {
 public:
  using element_view = void;

  [[nodiscard]] std::size_t size_of(int member) const {
    return self().begin_of(member + 1) - self().begin_of(member);
  }
  /// The index of the first of local().
  [[nodiscard]] std::size_t offset() const { return self().begin_of(self().team().rank()); }
  [[nodiscard]] auto indices() const {
    const std::size_t begin = offset();
    return std::views::iota(begin, begin + size_of(self().team().rank()));
  }
  [[nodiscard]] bool is_local(std::size_t i) const {
    return i - offset() < size_of(self().team().rank());
  }
  /// The member that has element i. Throws Error(bad_argument).
  [[nodiscard]] int owner(std::size_t i) const {
    const std::size_t size = self().size();
    if (i >= size)
      throw Error(Errc::bad_argument, described(self()) + " has no element " + std::to_string(i));
    const auto members = std::views::iota(0, self().team().size());
    return *std::ranges::partition_point(members,
                                         [&](int m) { return self().begin_of(m + 1) <= i; });
  }
  [[nodiscard]] bool empty() const { return self().size() == 0; }

 private:
  [[nodiscard]] const Self& self() const { return static_cast<const Self&>(*this); }
};

}  // namespace detail
}  // namespace armature
