#include "armature/strided.hpp"

#include <atomic>

#include "armature/detail/transfer.hpp"
#include "armature/detail/view.hpp"
#include "base/fail.hpp"
#include "rma/protocol.hpp"
#include "rma/subarray.hpp"
#include "wait/rank_context.hpp"
#include "wait/thread_call.hpp"

namespace armature {
namespace {

using rma::Finish;
using rma::Operation;
using rma::Reach;
using rma::Subarray;
using rma::Verb;

[[nodiscard]] bool is_reachable(Rank rank, const void* first, const Reach& reach) {
  return detail::reachable(rank, static_cast<const std::byte*>(first) + reach.below, reach.bytes);
}

/// The other side of a transfer, and this one.
struct Sides {
  Verb verb;
  Rank rank;
  void* to;
  const void* from;
  const char* call;

  [[nodiscard]] const void* remote() const { return verb == Verb::get ? from : to; }
};

Sides put_sides(global_ptr<void> to, const void* from, const char* call) {
  return {Verb::put, to.rank(), to.address(), from, call};
}
Sides get_sides(void* to, global_ptr<const void> from, const char* call) {
  return {Verb::get, from.rank(), to, from.address(), call};
}

/// Calls copy() between what orders it, for what may be touched at once.
template <class Copy>
[[gnu::always_inline]] inline detail::Request* touch(Verb verb, Copy&& copy) {
  if (verb == Verb::put) std::atomic_thread_fence(std::memory_order_release);
  copy();
  if (verb == Verb::get) std::atomic_thread_fence(std::memory_order_acquire);
  return nullptr;
}

Operation operation_on(const Sides& sides) {
  return {.verb = sides.verb,
          .rank = sides.rank,
          .update = {.call = sides.call},
          .to = sides.to,
          .from = sides.from};
}

detail::Request* start_strided(const Sides& sides, const Strided& shape, Finish finish) {
  const wait::ThreadCall under_way(sides.call);
  const Subarray subarray = Subarray::from(shape, sides.call);
  if (subarray.empty())
    return wait::mapping(sides.call).require_rank(sides.rank, sides.call), nullptr;
  const auto& strides = sides.verb == Verb::get ? subarray.from_strides : subarray.to_strides;
  if (is_reachable(sides.rank, sides.remote(), rma::reach(subarray, strides, sides.call)))
      [[likely]]
    return touch(sides.verb, [&] { rma::copy_subarray(sides.to, sides.from, subarray); });
  Operation what = operation_on(sides);
  what.subarray = subarray;
  return rma::start(what, finish);
}

}  // namespace

void put_strided(global_ptr<void> to, const void* from, const Strided& shape) {
  (void)start_strided(put_sides(to, from, "put_strided"), shape, Finish::now);
}
void get_strided(void* to, global_ptr<const void> from, const Strided& shape) {
  (void)start_strided(get_sides(to, from, "get_strided"), shape, Finish::now);
}
Handle put_strided_async(global_ptr<void> to, const void* from, const Strided& shape) {
  return Handle(start_strided(put_sides(to, from, "put_strided"), shape, Finish::later));
}
Handle get_strided_async(void* to, global_ptr<const void> from, const Strided& shape) {
  return Handle(start_strided(get_sides(to, from, "get_strided"), shape, Finish::later));
}
void put_strided_nbi(global_ptr<void> to, const void* from, const Strided& shape) {
  detail::make_implicit(to.rank(), put_strided_async(to, from, shape), "put_strided_nbi");
}
void get_strided_nbi(void* to, global_ptr<const void> from, const Strided& shape) {
  detail::make_implicit(from.rank(), get_strided_async(to, from, shape), "get_strided_nbi");
}

namespace {

/// The reach of a patch's remote side.
Reach patch_reach(const Patch& patch, std::ptrdiff_t stride, const char* call) {
  std::ptrdiff_t span = 0;
  std::size_t bytes = 0;
  bool overflow = __builtin_mul_overflow(patch.rows - 1, stride, &span);
  const std::size_t distance =
      span < 0 ? -static_cast<std::size_t>(span) : static_cast<std::size_t>(span);
  overflow |= __builtin_add_overflow(distance, patch.row_bytes, &bytes);
  if (overflow) base::fail(Errc::bad_argument, std::string(call) + ": rows and strides overflow");
  return {span < 0 ? span : 0, bytes};
}

/// A patch as a subarray.
void describe(const Patch& patch, Subarray& subarray) {
  subarray.row_bytes = patch.row_bytes;
  subarray.levels = 1;
  subarray.counts[0] = patch.rows;
  subarray.to_strides[0] = patch.to_stride;
  subarray.from_strides[0] = patch.from_stride;
}

/// Begins what is not all within reach of loads and stores. Its sides are copied, so that those of
/// a patch within reach stay in registers.
[[gnu::noinline]] detail::Request* start_described(Sides sides, const Patch& patch, Finish finish) {
  Operation what = operation_on(sides);
  describe(patch, what.subarray);
  return rma::start(what, finish);
}

/// Inlined, so that what a short patch takes is known to each call.
[[gnu::always_inline]] inline detail::Request* start_patch(const Sides& sides, const Patch& patch,
                                                           Finish finish) {
  const wait::ThreadCall under_way(sides.call);
  if (patch.rows == 0 || patch.row_bytes == 0)
    return wait::mapping(sides.call).require_rank(sides.rank, sides.call), nullptr;
  const std::ptrdiff_t stride = sides.verb == Verb::get ? patch.from_stride : patch.to_stride;
  if (is_reachable(sides.rank, sides.remote(), patch_reach(patch, stride, sides.call))) [[likely]]
    return touch(sides.verb, [&] {
      rma::copy_rows(sides.to, patch.to_stride, sides.from, patch.from_stride, patch.rows,
                     patch.row_bytes);
    });
  return start_described(sides, patch, finish);
}

/// Whether that is one short row to copy, which needs no more of the library than a put does.
[[gnu::always_inline]] inline bool is_short_row(const Patch& patch) {
  return patch.rows == 1 && patch.row_bytes - 1 < detail::copy_short_max;
}

}  // namespace

void put_patch(global_ptr<void> to, const void* from, const Patch& patch) {
  if (is_short_row(patch) && detail::put_fast(to.rank(), to.address(), from, patch.row_bytes))
      [[likely]]
    return;
  (void)start_patch(put_sides(to, from, "put_patch"), patch, Finish::now);
}
void get_patch(void* to, global_ptr<const void> from, const Patch& patch) {
  if (is_short_row(patch) && detail::get_fast(from.rank(), to, from.address(), patch.row_bytes))
      [[likely]]
    return;
  (void)start_patch(get_sides(to, from, "get_patch"), patch, Finish::now);
}
Handle put_patch_async(global_ptr<void> to, const void* from, const Patch& patch) {
  return Handle(start_patch(put_sides(to, from, "put_patch"), patch, Finish::later));
}
Handle get_patch_async(void* to, global_ptr<const void> from, const Patch& patch) {
  return Handle(start_patch(get_sides(to, from, "get_patch"), patch, Finish::later));
}
void put_patch_nbi(global_ptr<void> to, const void* from, const Patch& patch) {
  detail::make_implicit(to.rank(), put_patch_async(to, from, patch), "put_patch_nbi");
}
void get_patch_nbi(void* to, global_ptr<const void> from, const Patch& patch) {
  detail::make_implicit(from.rank(), get_patch_async(to, from, patch), "get_patch_nbi");
}

}  // namespace armature
