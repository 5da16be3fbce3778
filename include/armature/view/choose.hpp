#pragma once

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <string>
#include <utility>

#include "armature/container/range.hpp"
#include "armature/error.hpp"
#include "armature/view/all.hpp"
#include "armature/view/concepts.hpp"

// Views of some of the elements, or of all in another order, where they lie.

namespace armature {

/// Every `step`th of the elements [first, last).
template <DividedView V>
class strided_view : public detail::DividedPieces<strided_view<V>> {
 public:
  static constexpr const char* shown = detail::shown_by<V>();
  strided_view(V base, std::size_t first, std::size_t last, std::size_t step)
      : base_(std::move(base)), first_(first), last_(last), step_(step) {
    if (step == 0) throw Error(Errc::bad_argument, "views::strided: the step is 0");
    if (first > last || last > base_.size())
      throw Error(Errc::bad_argument,
                  std::string(step == 1 ? "views::slice: " : "views::strided: ") +
                      detail::described(base_) + " has no elements from " + std::to_string(first) +
                      " to before " + std::to_string(last));
  }
  [[nodiscard]] const Team& team() const { return base_.team(); }
  [[nodiscard]] std::size_t size() const { return chosen_below(last_); }
  void fence() const { base_.fence(); }
  [[nodiscard]] std::size_t begin_of(int member) const {
    return chosen_below(std::clamp(base_.begin_of(member), first_, last_));
  }
  static constexpr bool is_fetched = detail::is_fetched<V>;
  [[nodiscard]] auto local() const {
    const std::size_t begin = this->offset();
    const std::size_t at = first_ + begin * step_ - base_.offset();
    return detail::each_of(
        this->size_of(team().rank()),
        [part = base_.local(), at, step = step_](std::size_t k) -> decltype(auto) {
          return part[place(part, at + k * step)];
        });
  }
  [[nodiscard]] bool is_contiguous() const { return step_ == 1 && base_.is_contiguous(); }

 private:
  template <class Part>
  static auto place(const Part&, std::size_t k) {
    return static_cast<std::ranges::range_difference_t<Part>>(k);
  }
  /// How many of those before element `end` of the base are chosen.
  [[nodiscard]] std::size_t chosen_below(std::size_t end) const {
    return end == first_ ? 0 : (end - first_ - 1) / step_ + 1;
  }

  V base_;
  std::size_t first_, last_, step_;
};

/// The elements of a matrix that lies row after row, column after column: element c * rows + r is
/// element r * columns + c of the vector. local() is in the order of the vector.
template <DividedView V>
class transposed_view {
 public:
  using element_view = void;
  static constexpr const char* shown = detail::shown_by<V>();
  transposed_view(V base, std::size_t columns) : base_(std::move(base)), columns_(columns) {
    if (columns == 0 || base_.size() % columns != 0)
      throw Error(Errc::bad_argument, "views::transposed: " + std::to_string(base_.size()) +
                                          " elements of a " + shown + " are no matrix of " +
                                          std::to_string(columns) + " columns");
  }
  [[nodiscard]] const Team& team() const { return base_.team(); }
  [[nodiscard]] std::size_t size() const { return base_.size(); }
  void fence() const { base_.fence(); }
  static constexpr bool is_fetched = detail::is_fetched<V>;
  [[nodiscard]] auto local() const { return base_.local(); }
  [[nodiscard]] auto indices() const {
    return detail::each_of(
        base_.size_of(team().rank()),
        [first = base_.offset(), columns = columns_, rows = size() / columns_](std::size_t k) {
          return (first + k) % columns * rows + (first + k) / columns;
        });
  }
  [[nodiscard]] bool is_contiguous() const { return base_.is_contiguous(); }

 private:
  V base_;
  std::size_t columns_;
};

namespace views {

/// The elements [first, last). Throws Error(bad_argument).
template <class R>
requires DividedView<all_view_t<R>>
[[nodiscard]] auto slice(R&& from, std::size_t first, std::size_t last) {
  return strided_view(views::all(from), first, last, 1);
}
/// Every `step`th element from `first` on. Throws Error(bad_argument).
template <class R>
requires DividedView<all_view_t<R>>
[[nodiscard]] auto strided(R&& from, std::size_t step, std::size_t first = 0) {
  auto base = views::all(from);
  const std::size_t size = base.size();
  return strided_view(std::move(base), first, size, step);
}
/// A matrix that lies row after row, transposed. Throws Error(bad_argument) when rows of so many
/// columns do not fill it.
template <class R>
requires DividedView<all_view_t<R>>
[[nodiscard]] auto transposed(R&& from, std::size_t columns) {
  return transposed_view(views::all(from), columns);
}

}  // namespace views
}  // namespace armature
