#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <type_traits>

namespace armature {

/// A look at elements in local memory that lie at regular distances: what std::mdspan with strides
/// is in later standards. It owns nothing and checks nothing. Indices outside reach what lies
/// there, such as ghosts around a block.
template <class T, int N>
class array_view {
 public:
  using element_type = T;
  using Numbers = std::array<std::ptrdiff_t, static_cast<std::size_t>(N)>;

  array_view() = default;
  array_view(T* data, const Numbers& extents, const Numbers& strides)
      : data_(data), extents_(extents), strides_(strides) {}
  /// Dense, in the order of a C array.
  array_view(T* data, const Numbers& extents) : data_(data), extents_(extents) {
    std::ptrdiff_t stride = 1;
    for (std::size_t d = N; d-- > 0;) {
      strides_[d] = stride;
      stride *= extents[d];
    }
  }
  template <class U>
  requires std::same_as<T, const U> array_view(
      const array_view<U, N>& other)  // NOLINT(google-explicit-constructor)
      : array_view(other.data(), other.extents(), other.strides()) {}

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] const Numbers& extents() const { return extents_; }
  [[nodiscard]] std::ptrdiff_t extent(int d) const { return extents_[static_cast<std::size_t>(d)]; }
  /// How many elements further the next one in that dimension lies.
  [[nodiscard]] const Numbers& strides() const { return strides_; }
  [[nodiscard]] std::ptrdiff_t stride(int d) const { return strides_[static_cast<std::size_t>(d)]; }
  [[nodiscard]] std::ptrdiff_t size() const {
    std::ptrdiff_t size = 1;
    for (const std::ptrdiff_t n : extents_) size *= n;
    return size;
  }

  template <std::integral... I>
  requires(sizeof...(I) == static_cast<std::size_t>(N)) [[nodiscard]] T& operator()(I... i) const {
    std::ptrdiff_t at = 0;
    std::size_t d = 0;
    ((at += static_cast<std::ptrdiff_t>(i) * strides_[d++]), ...);
    return data_[at];
  }
  [[nodiscard]] T& operator[](const Numbers& i) const {
    std::ptrdiff_t at = 0;
    for (std::size_t d = 0; d < static_cast<std::size_t>(N); ++d) at += i[d] * strides_[d];
    return data_[at];
  }

 private:
  T* data_ = nullptr;
  Numbers extents_{};
  Numbers strides_{};
};

}  // namespace armature
