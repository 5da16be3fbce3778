#pragma once

// Kinds of numbers that C++ has no standard names for.

namespace caf {

__extension__ using Integer16 = __int128;
__extension__ using Real16 = __float128;

template <class Real>
struct Complex {
  Real real, imaginary;

  friend Complex operator+(Complex a, Complex b) {
    return {static_cast<Real>(a.real + b.real), static_cast<Real>(a.imaginary + b.imaginary)};
  }
};

}  // namespace caf
