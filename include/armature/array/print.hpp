#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "armature/array/agreement.hpp"
#include "armature/array/distributed_array.hpp"
#include "armature/array/npy.hpp"
#include "armature/array/range.hpp"
#include "armature/array/use.hpp"

// An array as text, as GA_Print writes it: one member writes all of it, in order.

namespace armature {

namespace detail {

/// Appends a number so that it reads back the same.
template <class T>
requires std::is_arithmetic_v<T>
void append_number(std::string& text, T number) {
  std::array<char, 32> digits{};
  const auto end = [&] {
    if constexpr (std::integral<T>)
      return std::to_chars(digits.data(), digits.data() + digits.size(), +number).ptr;
    else
      return std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  }();
  text.append(digits.data(), end);
}
template <class T>
void append_number(std::string& text, const std::complex<T>& number) {
  text += '(';
  append_number(text, number.real());
  text += ',';
  append_number(text, number.imag());
  text += ')';
}

/// Writes text to a file; returns what went wrong, or nothing.
[[nodiscard]] ARMATURE_API std::string write_text(std::FILE* to, const std::string& text);

/// Writes one line: the elements of a row of the last dimension, some at a time.
template <class T, int N>
std::string print_row(const distributed_array<T, N>& array,
                      typename distributed_array<T, N>::Ranges ranges, std::string text,
                      std::FILE* to) {
  constexpr std::ptrdiff_t count_max = 4096;
  const std::ptrdiff_t n = array.extent(N - 1);
  const auto values =
      std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(std::min(n, count_max)));
  for (std::ptrdiff_t i = 0; i < n; i += count_max) {
    const std::ptrdiff_t count = std::min(n - i, count_max);
    ranges.back() = Range(i, i + count);
    const std::span<T> some(values.get(), static_cast<std::size_t>(count));
    array[ranges].get(some);
    for (const T& value : some) {
      text += ' ';
      append_number(text, value);
    }
    if (i + count == n) text += '\n';
    if (std::string wrong = write_text(to, text); !wrong.empty()) return wrong;
    text.clear();
  }
  return {};
}

template <class T, int N>
std::string print_rows(const distributed_array<T, N>& array, std::FILE* to) {
  std::string wrong =
      write_text(to, "array '" + array.name() + "', " + array.all().section().shape_text() + ":\n");
  if (array.size() == 0) return wrong;
  typename distributed_array<T, N>::Indices row{};
  while (wrong.empty()) {
    typename distributed_array<T, N>::Ranges ranges{};
    std::string label = "(";
    for (std::size_t d = 0; d + 1 < static_cast<std::size_t>(N); ++d) {
      ranges[d] = row[d];
      label += std::to_string(row[d]) + ", ";
    }
    wrong = print_row(array, ranges, label + ":)", to);
    std::size_t d = N - 1;
    while (d > 0 && ++row[d - 1] == array.extent(static_cast<int>(d) - 1)) row[--d] = 0;
    if (d == 0) break;
  }
  return wrong;
}

}  // namespace detail

/// Collective: member 0 writes all elements to `to`, in the order of a C array: a line with name
/// and shape, and one for each row of the last dimension. Such a line is `(2, :) 1 2.5 3`, with the
/// indices of the row before its elements. Numbers read back the same. What was written before the
/// call is printed; it fetches a few thousand elements at a time. Throws Error(bad_argument), on
/// every member, that names the array and what the system says, if `to` cannot be written.
template <detail::NpyElement T, int N>
void print(const distributed_array<T, N>& array, std::FILE* to = stdout) {
  array.store().require_use(detail::ArrayUse::get, [] { return "print()"; });
  array.fence();
  std::string wrong;
  if (array.team().rank() == 0) wrong = detail::print_rows(array, to);
  if (!wrong.empty())
    wrong = "distributed_array '" + array.name() + "' cannot be printed: " + wrong;
  detail::require_no_mistake(array.team(), wrong);
}

}  // namespace armature
