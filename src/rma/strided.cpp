#include "armature/strided.hpp"

#include <atomic>

#include "armature/detail/transfer.hpp"
#include "armature/detail/view.hpp"
#include "base/fail.hpp"
#include "rma/far.hpp"
#include "rma/section.hpp"
#include "wait/rank_context.hpp"
#include "wait/thread_call.hpp"

namespace armature {
namespace {

using rma::Reach;
using rma::Section;

/// Throws unless all that the section touches on the remote side, from `first` on, is good. The
/// network, when that lies on another node.
[[nodiscard]] rma::Network* check(Rank rank, const void* first, const Reach& reach,
                                  const char* call) {
  const void* lowest = static_cast<const std::byte*>(first) + reach.below;
  if (detail::reachable(rank, lowest, reach.bytes)) [[likely]]
    return nullptr;
  if (rma::Network* const net = rma::far(rank, call)) {
    rma::require_far(*net, rank, lowest, reach.bytes, call);
    return net;
  }
  wait::mapping(call).require(rank, lowest, reach.bytes, call);
  return nullptr;
}

}  // namespace

void put_strided(global_ptr<void> to, const void* from, const Strided& shape) {
  const wait::ThreadCall under_way("put_strided");
  const Section section = Section::from(shape, "put_strided");
  if (section.empty()) return wait::mapping("put_strided").require_rank(to.rank(), "put_strided");
  if (rma::Network* const net =
          check(to.rank(), to.address(), rma::reach(section, section.to_strides, "put_strided"),
                "put_strided"))
    return rma::write_far(*net, to.rank(), to.address(), from, section, {.call = "put_strided"});
  std::atomic_thread_fence(std::memory_order_release);
  rma::copy_section(to.address(), from, section);
}

void get_strided(void* to, global_ptr<const void> from, const Strided& shape) {
  const wait::ThreadCall under_way("get_strided");
  const Section section = Section::from(shape, "get_strided");
  if (section.empty()) return wait::mapping("get_strided").require_rank(from.rank(), "get_strided");
  if (rma::Network* const net =
          check(from.rank(), from.address(),
                rma::reach(section, section.from_strides, "get_strided"), "get_strided"))
    return rma::get_far(*net, from.rank(), to, from.address(), section, "get_strided");
  rma::copy_section(to, from.address(), section);
  std::atomic_thread_fence(std::memory_order_acquire);
}

Handle put_strided_async(global_ptr<void> to, const void* from, const Strided& shape) {
  const wait::ThreadCall under_way("put_strided");
  const Section section = Section::from(shape, "put_strided");
  if (!section.empty())
    if (rma::Network* const net =
            check(to.rank(), to.address(), rma::reach(section, section.to_strides, "put_strided"),
                  "put_strided"))
      return Handle(rma::write_far_later(*net, to.rank(), to.address(), from, section,
                                         {.call = "put_strided"}));
  put_strided(to, from, shape);
  return {};
}
Handle get_strided_async(void* to, global_ptr<const void> from, const Strided& shape) {
  const wait::ThreadCall under_way("get_strided");
  const Section section = Section::from(shape, "get_strided");
  if (!section.empty())
    if (rma::Network* const net =
            check(from.rank(), from.address(),
                  rma::reach(section, section.from_strides, "get_strided"), "get_strided"))
      return Handle(rma::get_far_later(*net, from.rank(), to, from.address(), section));
  get_strided(to, from, shape);
  return {};
}
void put_strided_nbi(global_ptr<void> to, const void* from, const Strided& shape) {
  const wait::ThreadCall under_way("put_strided");
  if (rma::far(to.rank(), "put_strided") == nullptr) return put_strided(to, from, shape);
  detail::make_implicit(to.rank(), put_strided_async(to, from, shape), "put_strided_nbi");
}
void get_strided_nbi(void* to, global_ptr<const void> from, const Strided& shape) {
  const wait::ThreadCall under_way("get_strided");
  if (rma::far(from.rank(), "get_strided") == nullptr) return get_strided(to, from, shape);
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

/// A patch as a section.
Section section_of(const Patch& patch) {
  Section section;
  section.row_bytes = patch.row_bytes;
  section.levels = 1;
  section.counts[0] = patch.rows;
  section.to_strides[0] = patch.to_stride;
  section.from_strides[0] = patch.from_stride;
  return section;
}

}  // namespace

void put_patch(global_ptr<void> to, const void* from, const Patch& patch) {
  const wait::ThreadCall under_way("put_patch");
  if (patch.rows == 0 || patch.row_bytes == 0)
    return wait::mapping("put_patch").require_rank(to.rank(), "put_patch");
  if (rma::Network* const net = check(
          to.rank(), to.address(), patch_reach(patch, patch.to_stride, "put_patch"), "put_patch"))
    return rma::write_far(*net, to.rank(), to.address(), from, section_of(patch),
                          {.call = "put_patch"});
  std::atomic_thread_fence(std::memory_order_release);
  rma::copy_rows(to.address(), patch.to_stride, from, patch.from_stride, patch.rows,
                 patch.row_bytes);
}

void get_patch(void* to, global_ptr<const void> from, const Patch& patch) {
  const wait::ThreadCall under_way("get_patch");
  if (patch.rows == 0 || patch.row_bytes == 0)
    return wait::mapping("get_patch").require_rank(from.rank(), "get_patch");
  if (rma::Network* const net =
          check(from.rank(), from.address(), patch_reach(patch, patch.from_stride, "get_patch"),
                "get_patch"))
    return rma::get_far(*net, from.rank(), to, from.address(), section_of(patch), "get_patch");
  rma::copy_rows(to, patch.to_stride, from.address(), patch.from_stride, patch.rows,
                 patch.row_bytes);
  std::atomic_thread_fence(std::memory_order_acquire);
}

Handle put_patch_async(global_ptr<void> to, const void* from, const Patch& patch) {
  const wait::ThreadCall under_way("put_patch");
  if (patch.rows != 0 && patch.row_bytes != 0)
    if (rma::Network* const net = check(
            to.rank(), to.address(), patch_reach(patch, patch.to_stride, "put_patch"), "put_patch"))
      return Handle(rma::write_far_later(*net, to.rank(), to.address(), from, section_of(patch),
                                         {.call = "put_patch"}));
  put_patch(to, from, patch);
  return {};
}
Handle get_patch_async(void* to, global_ptr<const void> from, const Patch& patch) {
  const wait::ThreadCall under_way("get_patch");
  if (patch.rows != 0 && patch.row_bytes != 0)
    if (rma::Network* const net =
            check(from.rank(), from.address(), patch_reach(patch, patch.from_stride, "get_patch"),
                  "get_patch"))
      return Handle(rma::get_far_later(*net, from.rank(), to, from.address(), section_of(patch)));
  get_patch(to, from, patch);
  return {};
}
void put_patch_nbi(global_ptr<void> to, const void* from, const Patch& patch) {
  const wait::ThreadCall under_way("put_patch");
  if (rma::far(to.rank(), "put_patch") == nullptr) return put_patch(to, from, patch);
  detail::make_implicit(to.rank(), put_patch_async(to, from, patch), "put_patch_nbi");
}
void get_patch_nbi(void* to, global_ptr<const void> from, const Patch& patch) {
  const wait::ThreadCall under_way("get_patch");
  if (rma::far(from.rank(), "get_patch") == nullptr) return get_patch(to, from, patch);
  detail::make_implicit(from.rank(), get_patch_async(to, from, patch), "get_patch_nbi");
}

}  // namespace armature
