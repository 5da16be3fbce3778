#pragma once

#include <cstddef>
#include <ranges>
#include <span>
#include <type_traits>

#include "armature/container/range.hpp"
#include "armature/view/concepts.hpp"

namespace armature {

/// The elements of a distributed_vector or a section of it, where they lie.
template <class T>
class range_view : public detail::DividedPieces<range_view<T>> {
 public:
  static constexpr const char* shown = "distributed_vector";
  explicit range_view(const distributed_range<T>& range) : range_(range) {}

  [[nodiscard]] const Team& team() const { return range_.team(); }
  [[nodiscard]] std::size_t size() const { return range_.size(); }
  void fence() const { range_.fence(); }
  [[nodiscard]] std::size_t begin_of(int member) const { return range_.begin_of(member); }
  [[nodiscard]] std::span<T> local() const { return range_.local(); }
  [[nodiscard]] static constexpr bool is_contiguous() { return true; }
  /// An element, whoever has it. Throws Error(bad_argument) when there is none of that index.
  [[nodiscard]] element_reference<T> operator[](std::size_t i) const { return range_[i]; }
  [[nodiscard]] const distributed_range<T>& range() const { return range_; }

 private:
  distributed_range<T> range_;
};

/// The entries of a map or multimap, the elements of a set or list, the vertices of a graph: each
/// where it is, in no order. Functions that are called for them make no calls that insert or erase;
/// for that, see for_all of the container.
template <class C>
class container_view {
 public:
  using element_view = void;
  explicit container_view(const C& container) : container_(&container) {}

  [[nodiscard]] const Team& team() const { return container_->team(); }
  void fence() const { container_->fence(); }
  [[nodiscard]] auto local() const { return std::views::all(container_->local()); }
  [[nodiscard]] static constexpr bool is_contiguous() { return false; }

 private:
  const C* container_;
};

namespace views {

template <DistributedRange R>
[[nodiscard]] auto all(R&& range) {
  return range_view<typename detail::ViewOf<std::remove_reference_t<R>>::element_type>(
      range.view());
}
template <ElementView V>
[[nodiscard]] V all(const V& of) {
  return of;
}
template <class C>
requires(!DistributedRange<const C> && !ElementView<C> && requires(const C& container) {
  container.fence();
  container.for_all([](auto&&...) {});
  container.local();
}) [[nodiscard]] container_view<C> all(const C& container) {
  return container_view<C>(container);
}

}  // namespace views

/// Containers, arrays and views: views::all takes them.
template <class R>
concept Viewable = requires(R& from) {
  views::all(from);
};

template <class R>
using all_view_t = decltype(views::all(std::declval<R&>()));

}  // namespace armature
