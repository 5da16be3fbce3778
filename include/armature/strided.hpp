#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "armature/detail/export.hpp"
#include "armature/detail/transfer.hpp"
#include "armature/global_ptr.hpp"
#include "armature/handle.hpp"

namespace armature {

/// A subarray of a multidimensional array (armci-rma-2006, 3.2.2): `counts[0]` bytes lie together.
/// At level i = 1, 2... there are `counts[i]` such groups. They lie `to_strides[i-1]` bytes apart
/// at the target and `from_strides[i-1]` bytes apart at the source. Strides may differ per side and
/// may be negative. counts.size() is 1 + the number of levels, which is 0 to 8. A count of 0 moves
/// nothing.
///
///     // 64 rows of 32 doubles, out of a matrix whose rows are of 1024, into a dense patch
///     const std::size_t counts[] = {32 * 8, 64};
///     const std::ptrdiff_t dense[] = {32 * 8}, apart[] = {1024 * 8};
///     get_strided(patch, matrix.on(3), {counts, dense, apart});
struct Strided {
  static constexpr std::size_t levels_max = 8;

  std::span<const std::size_t> counts;
  std::span<const std::ptrdiff_t> to_strides;
  std::span<const std::ptrdiff_t> from_strides;
};

/// Put and get of subarrays. Completion, order and errors as for put and get; every byte of the
/// remote side is checked. Groups of the target side must not overlap each other.
ARMATURE_API void put_strided(global_ptr<void> to, const void* from, const Strided& shape);
ARMATURE_API void get_strided(void* to, global_ptr<const void> from, const Strided& shape);
ARMATURE_API Handle put_strided_async(global_ptr<void> to, const void* from, const Strided& shape);
ARMATURE_API Handle get_strided_async(void* to, global_ptr<const void> from, const Strided& shape);
ARMATURE_API void put_strided_nbi(global_ptr<void> to, const void* from, const Strided& shape);
ARMATURE_API void get_strided_nbi(void* to, global_ptr<const void> from, const Strided& shape);

/// The commonest subarray by name: `rows` rows of `row_bytes` bytes, the given number of bytes
/// apart.
struct Patch {
  std::size_t row_bytes = 0;
  std::size_t rows = 0;
  std::ptrdiff_t to_stride = 0;
  std::ptrdiff_t from_stride = 0;
};
ARMATURE_API void put_patch(global_ptr<void> to, const void* from, const Patch& patch);
ARMATURE_API void get_patch(void* to, global_ptr<const void> from, const Patch& patch);
ARMATURE_API Handle put_patch_async(global_ptr<void> to, const void* from, const Patch& patch);
ARMATURE_API Handle get_patch_async(void* to, global_ptr<const void> from, const Patch& patch);
ARMATURE_API void put_patch_nbi(global_ptr<void> to, const void* from, const Patch& patch);
ARMATURE_API void get_patch_nbi(void* to, global_ptr<const void> from, const Patch& patch);

/// A patch of elements: `rows` rows of `columns` elements. Strides are in elements, too. Its
/// members are named: `{.columns = 32, .rows = 64, .to_stride = 32, .from_stride = 1024}`.
struct ElementPatch {
  /// Keeps a list of four bare numbers what it was before there were these: a Patch, of bytes.
  struct Named {};
  Named named = {};
  std::size_t columns = 0;
  std::size_t rows = 0;
  std::ptrdiff_t to_stride = 0;
  std::ptrdiff_t from_stride = 0;

  template <Transferable T>
  [[nodiscard]] Patch of() const {
    const auto size = static_cast<std::ptrdiff_t>(sizeof(T));
    return {detail::bytes_of<T>(columns), rows, to_stride * size, from_stride * size};
  }
};
///     // 64 rows of 32 doubles, out of a matrix whose rows are of 1024, into a dense patch
///     get_patch(patch, matrix.on(3), {.columns = 32, .rows = 64, .to_stride = 32,
///                                     .from_stride = 1024});
template <Transferable T>
void put_patch(global_ptr<T> to, const std::type_identity_t<T>* from, const ElementPatch& patch) {
  put_patch(global_ptr<void>(to), static_cast<const void*>(from), patch.of<T>());
}
template <Transferable T>
void get_patch(T* to, global_ptr<const std::type_identity_t<T>> from, const ElementPatch& patch) {
  get_patch(static_cast<void*>(to), global_ptr<const void>(from), patch.of<T>());
}
template <Transferable T>
Handle put_patch_async(global_ptr<T> to, const std::type_identity_t<T>* from,
                       const ElementPatch& patch) {
  return put_patch_async(global_ptr<void>(to), static_cast<const void*>(from), patch.of<T>());
}
template <Transferable T>
Handle get_patch_async(T* to, global_ptr<const std::type_identity_t<T>> from,
                       const ElementPatch& patch) {
  return get_patch_async(static_cast<void*>(to), global_ptr<const void>(from), patch.of<T>());
}
template <Transferable T>
void put_patch_nbi(global_ptr<T> to, const std::type_identity_t<T>* from,
                   const ElementPatch& patch) {
  put_patch_nbi(global_ptr<void>(to), static_cast<const void*>(from), patch.of<T>());
}
template <Transferable T>
void get_patch_nbi(T* to, global_ptr<const std::type_identity_t<T>> from,
                   const ElementPatch& patch) {
  get_patch_nbi(static_cast<void*>(to), global_ptr<const void>(from), patch.of<T>());
}

}  // namespace armature
