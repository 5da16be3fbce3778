#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "armature/detail/transfer.hpp"
#include "armature/global_ptr.hpp"
#include "armature/handle.hpp"
#include "armature/iov.hpp"
#include "armature/strided.hpp"

namespace armature {

/// x += a * y, x at another rank (armci-1999, 2.2). Atomic per element with respect to other
/// accumulates of the same type, wherever they come from; not with respect to puts or fetch_add.
/// Returns on local completion, ordered like put, never loses an update. Errors as for put.
template <class T>
concept Accumulable = (std::integral<T> && std::is_signed_v<T> &&
                       (sizeof(T) == 4 || sizeof(T) == 8)) ||
                      std::same_as<T, float> || std::same_as<T, double> ||
                      std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;

template <class T>
struct AccumulateOptions {
  T scale = T(1);
};

namespace detail {
enum class Element { int32, int64, float32, float64, complex64, complex128 };

template <Accumulable T>
inline constexpr Element element_of = std::is_same_v<T, float>                 ? Element::float32
                                      : std::is_same_v<T, double>              ? Element::float64
                                      : std::is_same_v<T, std::complex<float>> ? Element::complex64
                                      : std::is_same_v<T, std::complex<double>>
                                          ? Element::complex128
                                      : sizeof(T) == 4 ? Element::int32
                                                       : Element::int64;

ARMATURE_API void accumulate(Element element, global_ptr<void> to, const void* from,
                             std::size_t bytes, const void* scale);
ARMATURE_API void accumulate_strided(Element element, global_ptr<void> to, const void* from,
                                     const Strided& shape, const void* scale);
ARMATURE_API void accumulate_vector(Element element, Rank rank, std::span<const Iov> iov,
                                    const void* scale);
/// These three begin an accumulate that the caller waits for. nullptr: it is complete.
[[nodiscard]] ARMATURE_API Request* accumulate_later(Element element, global_ptr<void> to,
                                                     const void* from, std::size_t bytes,
                                                     const void* scale);
[[nodiscard]] ARMATURE_API Request* accumulate_strided_later(Element element, global_ptr<void> to,
                                                             const void* from, const Strided& shape,
                                                             const void* scale);
[[nodiscard]] ARMATURE_API Request* accumulate_vector_later(Element element, Rank rank,
                                                            std::span<const Iov> iov,
                                                            const void* scale);
}  // namespace detail

template <Accumulable T>
void accumulate(global_ptr<T> to, const std::type_identity_t<T>* from, std::size_t count,
                AccumulateOptions<std::type_identity_t<T>> options = {}) {
  detail::accumulate(detail::element_of<T>, to, from, detail::bytes_of<T>(count), &options.scale);
}
template <Accumulable T>
void accumulate(global_ptr<T> to, const std::type_identity_t<T>& value,
                AccumulateOptions<std::type_identity_t<T>> options = {}) {
  accumulate(to, &value, 1, options);
}
template <Accumulable T, detail::Buffer<T> Range>
void accumulate(global_ptr<T> to, const Range& from,
                AccumulateOptions<std::type_identity_t<T>> options = {}) {
  accumulate(to, std::ranges::data(from), static_cast<std::size_t>(std::ranges::size(from)),
             options);
}

/// Sections and pieces of elements of type T; byte counts must be multiples of sizeof(T).
template <Accumulable T>
void accumulate_strided(global_ptr<T> to, const std::type_identity_t<T>* from, const Strided& shape,
                        AccumulateOptions<std::type_identity_t<T>> options = {}) {
  detail::accumulate_strided(detail::element_of<T>, to, from, shape, &options.scale);
}
template <Accumulable T>
void accumulate_vector(Rank rank, std::span<const Iov> iov,
                       AccumulateOptions<std::type_identity_t<T>> options = {}) {
  detail::accumulate_vector(detail::element_of<T>, rank, iov, &options.scale);
}

/// Non-blocking, with explicit and with implicit handle, as for put.
template <Accumulable T>
Handle accumulate_async(global_ptr<T> to, const std::type_identity_t<T>* from, std::size_t count,
                        AccumulateOptions<std::type_identity_t<T>> options = {}) {
  return Handle(detail::accumulate_later(detail::element_of<T>, to, from,
                                         detail::bytes_of<T>(count), &options.scale));
}
template <Accumulable T>
Handle accumulate_async(global_ptr<T> to, const std::type_identity_t<T>& value,
                        AccumulateOptions<std::type_identity_t<T>> options = {}) {
  accumulate(to, value, options);
  return {};
}
template <Accumulable T, detail::Buffer<T> Range>
Handle accumulate_async(global_ptr<T> to, const Range& from,
                        AccumulateOptions<std::type_identity_t<T>> options = {}) {
  return accumulate_async(to, std::ranges::data(from),
                          static_cast<std::size_t>(std::ranges::size(from)), options);
}
template <class T, class... Source>
requires requires(global_ptr<T> to, const Source&... from) { accumulate_async(to, from...); }
void accumulate_nbi(global_ptr<T> to, const Source&... from) {
  detail::make_implicit(to.rank(), accumulate_async(to, from...), "accumulate_nbi");
}
template <Accumulable T>
Handle accumulate_strided_async(global_ptr<T> to, const std::type_identity_t<T>* from,
                                const Strided& shape,
                                AccumulateOptions<std::type_identity_t<T>> options = {}) {
  return Handle(
      detail::accumulate_strided_later(detail::element_of<T>, to, from, shape, &options.scale));
}
template <Accumulable T>
void accumulate_strided_nbi(global_ptr<T> to, const std::type_identity_t<T>* from,
                            const Strided& shape,
                            AccumulateOptions<std::type_identity_t<T>> options = {}) {
  detail::make_implicit(to.rank(), accumulate_strided_async(to, from, shape, options),
                        "accumulate_strided_nbi");
}
template <Accumulable T>
Handle accumulate_vector_async(Rank rank, std::span<const Iov> iov,
                               AccumulateOptions<std::type_identity_t<T>> options = {}) {
  return Handle(detail::accumulate_vector_later(detail::element_of<T>, rank, iov, &options.scale));
}
template <Accumulable T>
void accumulate_vector_nbi(Rank rank, std::span<const Iov> iov,
                           AccumulateOptions<std::type_identity_t<T>> options = {}) {
  detail::make_implicit(rank, accumulate_vector_async<T>(rank, iov, options),
                        "accumulate_vector_nbi");
}

}  // namespace armature
