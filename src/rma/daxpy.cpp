#include "rma/daxpy.hpp"

#include <complex>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "rma/clones.hpp"

namespace armature::rma {

using armature::detail::Element;

namespace {

// Integers wrap around, as the hardware does, so their arithmetic is unsigned.
template <class T>
using Arithmetic = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                               std::type_identity<T>>::type;

// An element at whatever address: rows of a subarray may lie any number of bytes apart.
template <class T>
struct [[gnu::packed, gnu::may_alias]] Anywhere {
  T value;
};

template <class T>
[[gnu::always_inline]] inline void scaled(void* x, const void* y, std::size_t count,
                                          const void* a) {
  using U = Arithmetic<T>;
  auto* __restrict to = static_cast<Anywhere<U>*>(x);
  const auto* __restrict from = static_cast<const Anywhere<U>*>(y);
  U scale;
  std::memcpy(&scale, a, sizeof scale);
  for (std::size_t i = 0; i < count; ++i) to[i].value += scale * from[i].value;
}

template <class T>
[[gnu::always_inline]] inline void added(void* x, const void* y, std::size_t count) {
  using U = Arithmetic<T>;
  auto* __restrict to = static_cast<Anywhere<U>*>(x);
  const auto* __restrict from = static_cast<const Anywhere<U>*>(y);
  for (std::size_t i = 0; i < count; ++i) to[i].value += from[i].value;
}

// Complex numbers as pairs: the language's product would test every one for NaN.
template <class T>
[[gnu::always_inline]] inline void scaled_complex(void* x, const void* y, std::size_t count,
                                                  const void* a) {
  auto* __restrict to = static_cast<Anywhere<T>*>(x);
  const auto* __restrict from = static_cast<const Anywhere<T>*>(y);
  T scale[2];
  std::memcpy(scale, a, sizeof scale);
  for (std::size_t i = 0; i < count; ++i) {
    const T re = from[2 * i].value, im = from[2 * i + 1].value;
    to[2 * i].value += scale[0] * re - scale[1] * im;
    to[2 * i + 1].value += scale[0] * im + scale[1] * re;
  }
}

ARMATURE_CLONES void scaled_int32(void* x, const void* y, std::size_t n, const void* a) {
  scaled<std::int32_t>(x, y, n, a);
}
ARMATURE_CLONES void scaled_int64(void* x, const void* y, std::size_t n, const void* a) {
  scaled<std::int64_t>(x, y, n, a);
}
ARMATURE_CLONES void scaled_float(void* x, const void* y, std::size_t n, const void* a) {
  scaled<float>(x, y, n, a);
}
ARMATURE_CLONES void scaled_double(void* x, const void* y, std::size_t n, const void* a) {
  scaled<double>(x, y, n, a);
}
ARMATURE_CLONES void scaled_complex64(void* x, const void* y, std::size_t n, const void* a) {
  scaled_complex<float>(x, y, n, a);
}
ARMATURE_CLONES void scaled_complex128(void* x, const void* y, std::size_t n, const void* a) {
  scaled_complex<double>(x, y, n, a);
}
ARMATURE_CLONES void added_int32(void* x, const void* y, std::size_t n, const void*) {
  added<std::int32_t>(x, y, n);
}
ARMATURE_CLONES void added_int64(void* x, const void* y, std::size_t n, const void*) {
  added<std::int64_t>(x, y, n);
}
ARMATURE_CLONES void added_float(void* x, const void* y, std::size_t n, const void*) {
  added<float>(x, y, n);
}
ARMATURE_CLONES void added_double(void* x, const void* y, std::size_t n, const void*) {
  added<double>(x, y, n);
}
ARMATURE_CLONES void added_complex64(void* x, const void* y, std::size_t n, const void*) {
  added<float>(x, y, 2 * n);
}
ARMATURE_CLONES void added_complex128(void* x, const void* y, std::size_t n, const void*) {
  added<double>(x, y, 2 * n);
}

template <class T>
[[gnu::always_inline]] inline bool is_one(const void* scale) {
  T value;
  std::memcpy(&value, scale, sizeof value);
  return value == T(1);
}

}  // namespace

Daxpy daxpy(Element element, const void* scale) {
  switch (element) {
    case Element::int32:
      return is_one<std::int32_t>(scale) ? added_int32 : scaled_int32;
    case Element::int64:
      return is_one<std::int64_t>(scale) ? added_int64 : scaled_int64;
    case Element::float32:
      return is_one<float>(scale) ? added_float : scaled_float;
    case Element::float64:
      return is_one<double>(scale) ? added_double : scaled_double;
    case Element::complex64:
      return is_one<std::complex<float>>(scale) ? added_complex64 : scaled_complex64;
    case Element::complex128:
      return is_one<std::complex<double>>(scale) ? added_complex128 : scaled_complex128;
  }
  __builtin_unreachable();
}

// Real numbers times 1 are what they were; of complex ones an infinity would become none.
ARMATURE_CLONES
void add_one(Element element, void* x, const void* y, const void* a) {
  switch (element) {
    case Element::float64:
      return scaled<double>(x, y, 1, a);
    case Element::int64:
      return scaled<std::int64_t>(x, y, 1, a);
    case Element::float32:
      return scaled<float>(x, y, 1, a);
    case Element::int32:
      return scaled<std::int32_t>(x, y, 1, a);
    case Element::complex64:
    case Element::complex128:
      return daxpy(element, a)(x, y, 1, a);
  }
}

}  // namespace armature::rma
