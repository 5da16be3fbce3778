#pragma once

#include <type_traits>

#include "armature/detail/transfer.hpp"
#include "armature/global_ptr.hpp"
#include "armature/handle.hpp"

namespace armature {

/// Puts: copy local memory to another rank's (armci-rma-2006, 3.1). `put` returns on local
/// completion: the source may be reused. Puts of one rank to one destination take effect in the
/// order of their calls; to see that they have taken effect, call fence(rank). The target does
/// nothing for it. Source and target must not overlap, unless they are the same. Any thread of a
/// rank may call.
///
/// Throws Error(bad_rank) and Error(bad_address), naming call, rank, address and nearest
/// allocation.

namespace detail {
/// Takes the value as it comes, so that the fast path need not put it into memory for this call.
template <class T>
[[gnu::noinline, gnu::cold]] void put_value_slow(Rank rank, T* to, T value) {
  put_slow(rank, to, &value, sizeof value, "put");
}
}  // namespace detail

/// Puts one value, as by a store: values of 1, 2, 4 and 8 naturally aligned bytes are never seen
/// half written.
template <Transferable T>
[[gnu::always_inline]] inline void put(global_ptr<T> to, const std::type_identity_t<T>& value) {
  if constexpr (sizeof(T) <= detail::SegmentView::extent_min) {
    if (detail::reachable<sizeof(T)>(to.rank(), to.address())) [[likely]]
      return detail::store(to.address(), value);
  }
  detail::put_value_slow<T>(to.rank(), to.address(), value);
}

/// `count` elements.
template <Transferable T>
inline void put(global_ptr<T> to, const std::type_identity_t<T>* from, std::size_t count) {
  const std::size_t bytes = detail::bytes_of<T>(count);
  if (detail::put_fast(to.rank(), to.address(), from, bytes)) [[likely]]
    return;
  detail::put_slow(to.rank(), to.address(), from, bytes, "put");
}

/// All elements of a contiguous range (vector, span, array...).
template <Transferable T, detail::Buffer<T> Range>
inline void put(global_ptr<T> to, const Range& from) {
  put(to, std::ranges::data(from), static_cast<std::size_t>(std::ranges::size(from)));
}

/// Untyped bytes.
inline void put_bytes(global_ptr<void> to, const void* from, std::size_t bytes) {
  if (detail::put_fast(to.rank(), to.address(), from, bytes)) [[likely]]
    return;
  detail::put_slow(to.rank(), to.address(), from, bytes, "put_bytes");
}

/// Non-blocking, explicit handle. The source must stay unchanged until the handle is complete; a
/// single value is copied. Non-blocking operations are not ordered, neither with each other nor
/// with blocking ones.
template <Transferable T>
inline Handle put_async(global_ptr<T> to, const std::type_identity_t<T>* from, std::size_t count) {
  const std::size_t bytes = detail::bytes_of<T>(count);
  if (detail::put_fast(to.rank(), to.address(), from, bytes)) [[likely]]
    return {};
  return Handle(detail::put_later(to.rank(), to.address(), from, bytes, "put_async"));
}
template <Transferable T, detail::Buffer<T> Range>
inline Handle put_async(global_ptr<T> to, const Range& from) {
  return put_async(to, std::ranges::data(from), static_cast<std::size_t>(std::ranges::size(from)));
}
template <Transferable T>
inline Handle put_async(global_ptr<T> to, const std::type_identity_t<T>& value) {
  put(to, value);
  return {};
}

/// Non-blocking, implicit handle: completed by wait_all().
template <class T, class... Source>
requires requires(global_ptr<T> to, const Source&... from) { put_async(to, from...); }
[[gnu::always_inline]] inline void put_nbi(global_ptr<T> to, const Source&... from) {
  detail::make_implicit(to.rank(), put_async(to, from...), "put_nbi");
}

}  // namespace armature
