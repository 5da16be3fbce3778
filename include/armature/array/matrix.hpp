#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "armature/array/distributed_array.hpp"
#include "armature/array/handles.hpp"
#include "armature/array/product.hpp"
#include "armature/array/range.hpp"
#include "armature/array/schedule.hpp"
#include "armature/array/view.hpp"
#include "armature/error.hpp"

namespace armature {

/// c = alpha * a * b + beta * c
template <class T>
struct multiply_options {
  T alpha = T(1);
  T beta = T(0);
  bool transposes_a = false;
  bool transposes_b = false;
};

namespace detail {

/// The panels of both factors that a member needs for one step, fetched while it computes with the
/// ones before.
template <class T>
class MatrixPanels {
 public:
  MatrixPanels(const distributed_array<T, 2>& a, const distributed_array<T, 2>& b,
               const multiply_options<T>& options, const Range& rows, const Range& columns)
      : a_(a), b_(b), options_(options), rows_(rows), columns_(columns) {}

  void fetch(const Range& step) {
    step_ = step;
    a_panel_.resize(static_cast<std::size_t>(rows_.count() * step.count()));
    b_panel_.resize(static_cast<std::size_t>(step.count() * columns_.count()));
    a_under_way_ = of(a_, rows_, step, options_.transposes_a, a_panel_);
    b_under_way_ = of(b_, step, columns_, options_.transposes_b, b_panel_);
  }
  void add_to(std::vector<T>& sums) {
    a_under_way_.wait();
    b_under_way_.wait();
    multiply_dense(sums.data(), a_panel_.data(), b_panel_.data(), rows_.count(), columns_.count(),
                   step_.count(), columns_.count());
  }

 private:
  static section_handle of(const distributed_array<T, 2>& factor, const Range& rows,
                           const Range& columns, bool is_transposed, std::vector<T>& panel) {
    if (is_transposed) return factor[{columns, rows}].transposed().get_async(std::span<T>(panel));
    return factor[{rows, columns}].get_async(std::span<T>(panel));
  }

  const distributed_array<T, 2>& a_;
  const distributed_array<T, 2>& b_;
  multiply_options<T> options_;
  Range rows_, columns_, step_;
  std::vector<T> a_panel_, b_panel_;
  section_handle a_under_way_, b_under_way_;
};

/// Computes the caller's block of the product, whose ranges are given.
template <class T>
std::vector<T> block_of_product(const distributed_array<T, 2>& a, const distributed_array<T, 2>& b,
                                const multiply_options<T>& options, const Range& rows,
                                const Range& columns) {
  constexpr std::ptrdiff_t step = 256;
  std::vector<T> sums(static_cast<std::size_t>(rows.count() * columns.count()));
  const std::ptrdiff_t depth = a.extent(options.transposes_a ? 0 : 1);
  if (sums.empty() || depth == 0) return sums;
  MatrixPanels<T> one(a, b, options, rows, columns), two(a, b, options, rows, columns);
  MatrixPanels<T>*now = &one, *next = &two;
  now->fetch(Range(0, std::min(step, depth)));
  for (std::ptrdiff_t at = 0; at < depth; at += step, std::swap(now, next)) {
    if (at + step < depth) next->fetch(Range(at + step, std::min(at + 2 * step, depth)));
    now->add_to(sums);
  }
  return sums;
}

}  // namespace detail

/// Collective: c = alpha * a * b + beta * c, of matrices of any distributions, each of the factors
/// transposed or not. `c` is none of the factors. Each member computes the block of the product
/// that it has, and gets what it needs of the factors meanwhile (SRUMMA). A `c` that is not in
/// blocks is copied from one that is. Throws Error(bad_argument) for shapes that do not fit.
template <class T>
void multiply(distributed_array<T, 2>& c, const distributed_array<T, 2>& a,
              const distributed_array<T, 2>& b,
              const std::type_identity_t<multiply_options<T>>& options = {}) {
  const int a_rows = options.transposes_a ? 1 : 0, b_rows = options.transposes_b ? 1 : 0;
  if (a.extent(a_rows) != c.extent(0) || b.extent(1 - b_rows) != c.extent(1) ||
      a.extent(1 - a_rows) != b.extent(b_rows))
    throw Error(Errc::bad_argument,
                "multiply: '" + a.name() + "' of " + a.all().section().shape_text() + ", '" +
                    b.name() + "' of " + b.all().section().shape_text() + " and '" + c.name() +
                    "' of " + c.all().section().shape_text() + " do not fit together");
  std::optional<distributed_array<T, 2>> in_blocks;
  if (!c.layout().axis(0).is_contiguous() || !c.layout().axis(1).is_contiguous()) {
    in_blocks.emplace(c.team(), c.shape(), array_options<2>{.name = c.name()});
    if (options.beta != T(0)) in_blocks->all() = c.all();
  }
  distributed_array<T, 2>& product = in_blocks ? *in_blocks : c;
  a.fence();
  const auto [rows, columns] = product.region();
  const std::vector<T> sums = detail::block_of_product(a, b, options, rows, columns);
  const auto mine = product.local();
  const T* sum = sums.data();
  for (std::ptrdiff_t i = 0; i < rows.count(); ++i)
    for (std::ptrdiff_t j = 0; j < columns.count(); ++j, ++sum) {
      T& element = mine(i, j);
      element = options.beta == T(0) ? options.alpha * *sum
                                     : options.alpha * *sum + options.beta * element;
    }
  product.fence();
  if (in_blocks) c.all() = product.all();
}

}  // namespace armature
