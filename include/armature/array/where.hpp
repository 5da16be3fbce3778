#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "armature/array/arithmetic.hpp"
#include "armature/array/distributed_array.hpp"
#include "armature/array/section_transform.hpp"

// Assignments under a mask (Fortran's WHERE): elements whose mask is false stay as they are, and f
// is not called for them. Collective; arrays are of the same shape and any distributions. An
// operand that is not aligned with the result is copied first, as is the mask.

namespace armature {

namespace detail {
/// f(operands...) where the mask says so, else what was there.
template <class T, class M, class F>
auto masked(F f) {
  return [f = std::move(f)](const M& is_chosen, const T& before, const auto&... operands) mutable {
    return is_chosen ? static_cast<T>(f(operands...)) : before;
  };
}
}  // namespace detail

/// out = f(in...) where the mask is true.
template <class M, class T, int N, class F, class... U>
requires std::is_invocable_r_v<T, F&, const U&...> && std::convertible_to<M, bool>
void where(const distributed_array<M, N>& mask, distributed_array<T, N>& out, F f,
           const distributed_array<U, N>&... in) {
  transform(out, detail::masked<T, M>(std::move(f)), mask, std::as_const(out), in...);
}
/// out = value where the mask is true.
template <class M, class T, int N>
requires std::convertible_to<M, bool>
void where(const distributed_array<M, N>& mask, distributed_array<T, N>& out,
           const std::type_identity_t<T>& value) {
  where(mask, out, [value] { return value; });
}
/// Sections of one shape: out = f(in...) where the mask is true.
template <class M, class T, class F, class... U>
requires std::is_invocable_r_v<T, F&, const U&...>
void where(const array_section<M>& mask, const array_section<T>& out, F f,
           const array_section<U>&... in) {
  transform(out, detail::masked<T, std::remove_const_t<M>>(std::move(f)), mask,
            array_section<const T>(out), in...);
}

}  // namespace armature
