#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "armature/array/section.hpp"
#include "armature/array/section_transform.hpp"

// Sections in arithmetic, as P++ and Fortran write it:
//
//     a[inner] = (a[left] + a[right]) / 2.0;
//
// An expression computes nothing: it is a function and the sections that it takes. The assignment
// is one section_transform, so that all operands are read before anything is written.

namespace armature {

/// Elements of sections of one shape, computed by f. A value, which does not keep arrays alive.
template <class F, class... U>
class section_expression {
 public:
  section_expression(F f, std::tuple<array_section<const U>...> operands)
      : f_(std::move(f)), operands_(std::move(operands)) {}

  [[nodiscard]] const F& function() const { return f_; }
  [[nodiscard]] const std::tuple<array_section<const U>...>& operands() const { return operands_; }

 private:
  F f_;
  std::tuple<array_section<const U>...> operands_;
};

namespace detail {

template <class T>
auto as_expression(const array_section<T>& section) {
  using Value = std::remove_const_t<T>;
  const auto itself = [](const Value& x) { return x; };
  return section_expression<decltype(itself), Value>(
      itself, std::tuple(array_section<const Value>(section)));
}
template <class F, class... U>
const section_expression<F, U...>& as_expression(const section_expression<F, U...>& expression) {
  return expression;
}
/// A number, which has no sections.
template <class T>
requires std::is_arithmetic_v<T>
auto as_expression(T value) {
  const auto constant = [value] { return value; };
  return section_expression<decltype(constant)>(constant, std::tuple<>());
}

template <class E>
inline constexpr bool is_of_sections = false;
template <class T>
inline constexpr bool is_of_sections<array_section<T>> = true;
template <class F, class... U>
inline constexpr bool is_of_sections<section_expression<F, U...>> = true;

template <class A, class B>
concept Expressible = (is_of_sections<A> && (is_of_sections<B> || std::is_arithmetic_v<B>)) ||
                      (std::is_arithmetic_v<A> && is_of_sections<B>);

/// op(one's, other's elements): the operands of one come first.
template <class Op, class F, class... U, class G, class... V>
auto combined(Op op, const section_expression<F, U...>& one,
              const section_expression<G, V...>& other) {
  const auto both = [op, f = one.function(), g = other.function()](const U&... x, const V&... y) {
    return op(f(x...), g(y...));
  };
  return section_expression<decltype(both), U..., V...>(
      both, std::tuple_cat(one.operands(), other.operands()));
}

}  // namespace detail

template <class A, class B>
requires detail::Expressible<A, B>
[[nodiscard]] auto operator+(const A& a, const B& b) {
  return detail::combined(std::plus<>(), detail::as_expression(a), detail::as_expression(b));
}
template <class A, class B>
requires detail::Expressible<A, B>
[[nodiscard]] auto operator-(const A& a, const B& b) {
  return detail::combined(std::minus<>(), detail::as_expression(a), detail::as_expression(b));
}
template <class A, class B>
requires detail::Expressible<A, B>
[[nodiscard]] auto operator*(const A& a, const B& b) {
  return detail::combined(std::multiplies<>(), detail::as_expression(a), detail::as_expression(b));
}
template <class A, class B>
requires detail::Expressible<A, B>
[[nodiscard]] auto operator/(const A& a, const B& b) {
  return detail::combined(std::divides<>(), detail::as_expression(a), detail::as_expression(b));
}

/// Collective: out = the expression. Sections of other shapes throw Error(bad_argument).
template <class T>
template <class F, class... U>
requires(!std::is_const_v<T> && std::is_invocable_r_v<T, const F&, const U&...>) const
    array_section<T>& array_section<T>::operator=(
        const section_expression<F, U...>& expression) const {
  std::apply(
      [&](const auto&... operands) {
        const auto f = [g = expression.function()](const U&... x) {
          return static_cast<T>(g(x...));
        };
        transform(*this, f, operands...);
      },
      expression.operands());
  return *this;
}

}  // namespace armature
