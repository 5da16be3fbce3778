#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "armature/array/distributed_array.hpp"
#include "armature/array/rows.hpp"
#include "armature/array/schedule.hpp"
#include "armature/error.hpp"

// Elementwise operations on whole arrays. All are collective: what was written before is seen by
// them, and what they write is seen by all after. Each member works on its own elements. An operand
// that is not aligned with the result is copied first, to an array that is: loops that use one
// again and again do that copy once, by themselves.

namespace armature {

namespace detail {

/// Calls f(local indices) for all of the caller's elements, in the order of a C array.
template <class T, int N, class F>
void for_each_local(const distributed_array<T, N>& array, F f) {
  const auto extents = array.local().extents();
  if (array.local().size() == 0) return;
  typename distributed_array<T, N>::Indices i{};
  for (;;) {
    f(std::as_const(i));
    std::size_t d = N;
    while (d > 0 && ++i[d - 1] == extents[d - 1]) i[--d] = 0;
    if (d == 0) return;
  }
}

/// Throws Error(bad_argument), which names `what` and both arrays.
template <class T, class U, int N>
void require_same_shape(const distributed_array<T, N>& out, const distributed_array<U, N>& in,
                        const char* what) {
  if (out.shape() == in.shape()) return;
  throw Error(Errc::bad_argument, std::string(what) + " of distributed_array '" + in.name() +
                                      "' to '" + out.name() +
                                      "': " + in.all().section().shape_text() + " and " +
                                      out.all().section().shape_text());
}

/// An operand, aligned with an array.
template <class T, int N>
class AlignedOperand {
 public:
  template <class U>
  AlignedOperand(const distributed_array<U, N>& with, const distributed_array<T, N>& operand)
      : operand_(&operand) {
    if (operand.is_aligned_with(with)) return;
    copy_.emplace(operand.team(), operand.name(), with.layout());
    copy_->all() = operand.all();
    operand_ = &*copy_;
  }
  AlignedOperand(const AlignedOperand&) = delete;
  AlignedOperand& operator=(const AlignedOperand&) = delete;

  [[nodiscard]] const ArrayBlock* block() const { return &operand_->store().block(); }
  [[nodiscard]] const T* memory() const { return operand_->local_memory().data(); }

 private:
  std::optional<distributed_array<T, N>> copy_;
  const distributed_array<T, N>* operand_;
};

/// Calls f(count, pointers...) for all rows of the caller's blocks; the first pointer is to where
/// elements may be written.
template <class T, class F, class... Operands>
void for_rows(T* memory, const ArrayBlock* block, F f, const Operands&... operands) {
  const std::array<const ArrayBlock*, 1 + sizeof...(Operands)> blocks{block, operands.block()...};
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    for (ArrayRows rows(blocks); rows; rows.next())
      f(rows.count(), memory + rows.first(0), operands.memory() + rows.first(k + 1)...);
  }
  (std::index_sequence_for<Operands...>());
}

}  // namespace detail

/// out = f(in...), element by element. `out` may be one of the operands.
template <class T, int N, class F, class... U>
requires std::is_invocable_r_v<T, F&, const U&...>
void transform(distributed_array<T, N>& out, F f, const distributed_array<U, N>&... in) {
  out.fence();
  [&](const detail::AlignedOperand<U, N>&... operands) {
    detail::for_rows(
        out.local_memory().data(), &out.store().block(),
        [&f](std::ptrdiff_t count, T* to, const U*... from) {
          for (std::ptrdiff_t i = 0; i < count; ++i) to[i] = f(from[i]...);
        },
        operands...);
    out.fence();
  }(detail::AlignedOperand<U, N>(out, in)...);
}

/// Calls f(element) for all, each at the member that has it.
template <class T, int N, class F>
requires std::invocable<F&, T&>
void for_each(distributed_array<T, N>& array, F f) {
  array.fence();
  detail::for_rows(array.local_memory().data(), &array.store().block(),
                   [&f](std::ptrdiff_t count, T* row) {
                     for (std::ptrdiff_t i = 0; i < count; ++i) f(row[i]);
                   });
  array.fence();
}

template <class T, int N>
void fill(distributed_array<T, N>& array, const std::type_identity_t<T>& value) {
  for_each(array, [value](T& element) { element = value; });
}
/// Makes each element f(its indices).
template <class T, int N, class F>
requires std::is_invocable_r_v<T, F&, const typename distributed_array<T, N>::Indices&> void
generate(distributed_array<T, N>& array, F f) {
  array.fence();
  const auto mine = array.local();
  detail::for_each_local(array, [&](const auto& local) {
    const auto global = array.global(local);
    mine[local] = f(global);
  });
  array.fence();
}
/// array *= by
template <class T, int N>
void scale(distributed_array<T, N>& array, std::type_identity_t<T> by) {
  for_each(array, [by](T& element) { element *= by; });
}
/// out = alpha * a + beta * b
template <class T, int N>
void add(distributed_array<T, N>& out, std::type_identity_t<T> alpha,
         const distributed_array<T, N>& a, std::type_identity_t<T> beta,
         const distributed_array<T, N>& b) {
  transform(
      out, [alpha, beta](const T& x, const T& y) { return static_cast<T>(alpha * x + beta * y); },
      a, b);
}
/// out = the transpose of `a`: dimensions in the opposite order.
template <class T, int N>
void transpose(distributed_array<T, N>& out, const distributed_array<T, N>& a) {
  out.all() = a.all().transposed();
}

}  // namespace armature
