#include "rma/daxpy.hpp"

#include <complex>
#include <vector>

#include <gtest/gtest.h>

namespace armature::rma {
namespace {

template <class T>
class DaxpyTest : public ::testing::Test {};
using Types = ::testing::Types<std::int32_t, std::int64_t, float, double, std::complex<float>,
                               std::complex<double>>;
TYPED_TEST_SUITE(DaxpyTest, Types);

template <class T>
T whole(std::size_t i) {
  return T(static_cast<std::conditional_t<std::is_integral_v<T>, int, float>>(i));
}

template <class T>
void expect_daxpy(T scale) {
  for (std::size_t n = 0; n < 40; ++n) {
    std::vector<T> x(n), y(n), expected(n);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = whole<T>(i);
      y[i] = whole<T>(2 * i + 1);
      expected[i] = x[i] + scale * y[i];  // small whole numbers: exact in every type, fused or not
    }
    constexpr auto element = armature::detail::element_of<T>;
    daxpy(element, &scale)(x.data(), y.data(), n, &scale);
    ASSERT_EQ(x, expected) << n;
    EXPECT_EQ(std::size_t{1} << element_shift(element), sizeof(T));
  }
}

TYPED_TEST(DaxpyTest, adds_with_and_without_a_scale) {
  expect_daxpy<TypeParam>(TypeParam(1));
  expect_daxpy<TypeParam>(TypeParam(3));
  expect_daxpy<TypeParam>(TypeParam(0));
}

TYPED_TEST(DaxpyTest, adds_one_element_as_it_adds_many) {
  constexpr auto element = armature::detail::element_of<TypeParam>;
  for (const std::size_t divisor : {1, 3, 7}) {
    const TypeParam scale = whole<TypeParam>(10) / whole<TypeParam>(divisor);
    const TypeParam y = whole<TypeParam>(22) / whole<TypeParam>(7);
    TypeParam one = whole<TypeParam>(100) / whole<TypeParam>(3);
    std::vector<TypeParam> many(9, one);
    const std::vector<TypeParam> added(many.size(), y);
    add_one(element, &one, &y, &scale);
    daxpy(element, &scale)(many.data(), added.data(), many.size(), &scale);
    EXPECT_EQ(many, std::vector<TypeParam>(many.size(), one)) << divisor;  // to the last bit
  }
}

TEST(Daxpy, complex_scales_multiply_as_complex_numbers) {
  expect_daxpy(std::complex<double>(2, -3));
  expect_daxpy(std::complex<float>(0, 1));
}

TEST(Daxpy, integers_wrap_around) {
  std::int32_t x = INT32_MAX;
  const std::int32_t y = 1, scale = 1;
  daxpy(armature::detail::Element::int32, &scale)(&x, &y, 1, &scale);
  EXPECT_EQ(x, INT32_MIN);
}

}  // namespace
}  // namespace armature::rma
