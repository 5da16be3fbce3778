#pragma once

#include <array>
#include <cstddef>
#include <ranges>
#include <string>
#include <tuple>
#include <utility>

#include "armature/algorithm/aligned.hpp"
#include "armature/error.hpp"
#include "armature/view/all.hpp"
#include "armature/view/concepts.hpp"

// Views of what is made of elements when an algorithm looks at them.

namespace armature {
namespace detail {

/// f(element), or f(its parts) of a pair or tuple when f takes these.
template <class F, class E>
decltype(auto) call_with(F& f, E&& element) {
  if constexpr (std::invocable<F&, E>)
    return f(std::forward<E>(element));
  else
    return std::apply(f, std::forward<E>(element));
}

}  // namespace detail

/// f(element) of each. It is called whenever an algorithm reads the element.
template <ElementView V, class F>
class transformed_view {
 public:
  using element_view = void;
  static constexpr const char* shown = detail::shown_by<V>();
  transformed_view(V base, F f) : base_(std::move(base)), f_(std::move(f)) {}

  [[nodiscard]] const Team& team() const { return base_.team(); }
  void fence() const { base_.fence(); }
  static constexpr bool is_fetched = detail::is_fetched<V>;
  [[nodiscard]] auto local() const {
    return base_.local() | std::views::transform([f = f_](auto&& element) -> decltype(auto) {
             return detail::call_with(f, std::forward<decltype(element)>(element));
           });
  }
  [[nodiscard]] std::size_t size() const requires IndexedView<V> { return base_.size(); }
  [[nodiscard]] auto indices() const requires IndexedView<V> { return base_.indices(); }
  [[nodiscard]] std::size_t begin_of(int member) const requires DividedView<V> {
    return base_.begin_of(member);
  }
  [[nodiscard]] std::size_t offset() const requires DividedView<V> { return base_.offset(); }
  [[nodiscard]] std::size_t size_of(int member) const requires DividedView<V> {
    return base_.size_of(member);
  }
  [[nodiscard]] static constexpr bool is_contiguous() { return false; }

 private:
  V base_;
  F f_;
};

/// The elements for which `holds`. They have no indices: how many there are is count_if's to say.
template <ElementView V, class P>
class filtered_view {
 public:
  using element_view = void;
  filtered_view(V base, P holds) : base_(std::move(base)), holds_(std::move(holds)) {}

  [[nodiscard]] const Team& team() const { return base_.team(); }
  void fence() const { base_.fence(); }
  static constexpr bool is_fetched = detail::is_fetched<V>;
  [[nodiscard]] auto local() const {
    return base_.local() | std::views::filter([holds = holds_](const auto& element) -> bool {
             return detail::call_with(holds, element);
           });
  }
  [[nodiscard]] static constexpr bool is_contiguous() { return false; }

 private:
  V base_;
  P holds_;
};

/// Tuples of the elements that have the same index in each view.
template <DividedView First, DividedView... More>
class zipped_view : public detail::DividedPieces<zipped_view<First, More...>> {
 public:
  static constexpr const char* shown = detail::shown_by<First>();
  explicit zipped_view(First first, More... more) : views_(std::move(first), std::move(more)...) {
    std::apply([](const auto& one, const auto&... other) { (require_alike(one, other), ...); },
               views_);
  }
  [[nodiscard]] const Team& team() const { return std::get<0>(views_).team(); }
  [[nodiscard]] std::size_t size() const { return std::get<0>(views_).size(); }
  void fence() const {
    std::apply([](const auto&... each) { (each.fence(), ...); }, views_);
  }
  [[nodiscard]] std::size_t begin_of(int member) const {
    return std::get<0>(views_).begin_of(member);
  }
  static constexpr bool is_fetched = detail::is_fetched<First> || (detail::is_fetched<More> || ...);
  [[nodiscard]] auto local() const {
    return detail::each_of(
        this->size_of(team().rank()),
        [parts = std::apply([](const auto&... each) { return std::tuple(each.local()...); },
                            views_)](std::size_t k) {
          return std::apply(
              [k](const auto&... part) {
                return std::tuple<std::ranges::range_reference_t<decltype(part)>...>(
                    part[static_cast<std::ranges::range_difference_t<decltype(part)>>(k)]...);
              },
              parts);
        });
  }
  [[nodiscard]] static constexpr bool is_contiguous() { return false; }

 private:
  template <class A, class B>
  static void require_alike(const A& a, const B& b) {
    detail::require_same_size("views::zipped", a, b);
    for (int m = 0; m < a.team().size(); ++m)
      if (a.begin_of(m) != b.begin_of(m))
        throw Error(Errc::bad_argument,
                    "views::zipped: the views are divided differently: the piece of member " +
                        std::to_string(m) + " begins at " + std::to_string(a.begin_of(m)) +
                        " in one, at " + std::to_string(b.begin_of(m)) +
                        " in another; their views::balanced are divided alike");
  }

  std::tuple<First, More...> views_;
};

namespace views {

template <Viewable R, class F>
[[nodiscard]] auto transformed(R&& from, F f) {
  return transformed_view(views::all(from), std::move(f));
}
template <Viewable R, class P>
[[nodiscard]] auto filtered(R&& from, P holds) {
  return filtered_view(views::all(from), std::move(holds));
}
/// Throws Error(bad_argument) when the views have other sizes or members, or are divided
/// differently.
template <class... R>
requires(DividedView<all_view_t<R>>&&...) [[nodiscard]] auto zipped(R&&... from) {
  return zipped_view(views::all(from)...);
}

}  // namespace views
}  // namespace armature
