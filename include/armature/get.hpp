#pragma once

#include <type_traits>

#include "armature/detail/transfer.hpp"
#include "armature/global_ptr.hpp"
#include "armature/handle.hpp"

namespace armature {

/// Gets: copy another rank's memory to local memory (armci-rma-2006, 3.1). `get` returns when the
/// data are there. Gets of one rank from one other are performed in the order of their calls, and
/// after its earlier blocking puts to it. Errors as for put.

/// Gets one value, as by a load.
template <Transferable T>
[[nodiscard, gnu::always_inline]] inline std::remove_cv_t<T> get(global_ptr<T> from) {
  using Value = std::remove_cv_t<T>;
  if constexpr (sizeof(T) <= detail::SegmentView::extent_min) {
    if (detail::reachable<sizeof(T)>(from.rank(), from.address())) [[likely]]
      return detail::load<Value>(from.address());
  }
  Value value;
  detail::get_slow(from.rank(), &value, from.address(), sizeof(T), "get");
  return value;
}

/// `count` elements.
template <Transferable T>
inline void get(std::remove_cv_t<T>* to, global_ptr<T> from, std::size_t count) {
  const std::size_t bytes = detail::bytes_of<T>(count);
  if (detail::get_fast(from.rank(), to, from.address(), bytes)) [[likely]]
    return;
  detail::get_slow(from.rank(), to, from.address(), bytes, "get");
}

namespace detail {
/// An array is none: it is a range.
template <class P>
concept Pointer = std::is_pointer_v<std::remove_reference_t<P>>;
}  // namespace detail

/// Gets one element.
template <Transferable T, detail::Pointer P>
inline void get(P&& to, global_ptr<T> from) {
  get(to, from, 1);
}

/// Gets as many elements as the contiguous range holds.
template <Transferable T, class Range>
requires detail::WritableBuffer<std::remove_reference_t<Range>, T>
inline void get(Range&& to, global_ptr<T> from) {
  get(std::ranges::data(to), from, static_cast<std::size_t>(std::ranges::size(to)));
}

/// Untyped bytes.
inline void get_bytes(void* to, global_ptr<const void> from, std::size_t bytes) {
  if (detail::get_fast(from.rank(), to, from.address(), bytes)) [[likely]]
    return;
  detail::get_slow(from.rank(), to, from.address(), bytes, "get_bytes");
}

namespace detail {
/// The slow path of the non-blocking ones.
ARMATURE_API Handle get_later(Rank rank, void* to, const void* from, std::size_t bytes,
                              const char* call);
ARMATURE_API void get_implicit(Rank rank, void* to, const void* from, std::size_t bytes,
                               const char* call);
}  // namespace detail

/// Non-blocking, explicit handle. The target holds the data once the handle is complete.
template <class T>
Handle get_async(std::remove_cv_t<T>* to, global_ptr<T> from, std::size_t count) {
  const std::size_t bytes = detail::bytes_of<T>(count);
  if (detail::get_fast(from.rank(), to, from.address(), bytes)) [[likely]]
    return {};
  return detail::get_later(from.rank(), to, from.address(), bytes, "get_async");
}
template <class T, detail::Pointer P>
Handle get_async(P&& to, global_ptr<T> from) {
  return get_async(to, from, 1);
}
template <class T, class Range>
requires detail::WritableBuffer<std::remove_reference_t<Range>, T> Handle
get_async(Range&& to, global_ptr<T> from) {
  return get_async(std::ranges::data(to), from, static_cast<std::size_t>(std::ranges::size(to)));
}

/// Non-blocking, implicit handle: completed by wait_all().
template <class T>
[[gnu::always_inline]] inline void get_nbi(std::remove_cv_t<T>* to, global_ptr<T> from,
                                           std::size_t count) {
  const std::size_t bytes = detail::bytes_of<T>(count);
  if (detail::get_fast(from.rank(), to, from.address(), bytes)) [[likely]]
    return;
  detail::get_implicit(from.rank(), to, from.address(), bytes, "get_nbi");
}
template <class T, detail::Pointer P>
[[gnu::always_inline]] inline void get_nbi(P&& to, global_ptr<T> from) {
  get_nbi(to, from, 1);
}
template <class T, class Range>
requires detail::WritableBuffer<std::remove_reference_t<Range>, T>
inline void get_nbi(Range&& to, global_ptr<T> from) {
  get_nbi(std::ranges::data(to), from, static_cast<std::size_t>(std::ranges::size(to)));
}

}  // namespace armature
