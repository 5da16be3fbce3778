// Accumulate: x += a * y, atomic per element with respect to other accumulates. Elements are added
// under the lock of the chunk of memory that they begin in, so that ranks that add to different
// places, or follow each other through a long array, do not wait for each other; one lock is held
// at a time. The lock is kept from row to row of a subarray as long as the rows begin in the same
// chunk.
#include "armature/accumulate.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "rma/daxpy.hpp"
#include "rma/local.hpp"
#include "rma/protocol.hpp"
#include "wait/lock.hpp"
#include "wait/rank_context.hpp"
#include "wait/running_rank.hpp"
#include "wait/thread_call.hpp"

namespace armature::detail {
namespace {

using rma::Finish;
using rma::Operation;
using rma::Update;
using rma::Verb;

void require_whole_elements(Element element, std::size_t bytes, const char* call) {
  const std::size_t element_bytes = std::size_t{1} << rma::element_shift(element);
  if (bytes != SIZE_MAX && (bytes & (element_bytes - 1)) != 0)
    base::fail(Errc::bad_argument,
               fmt::format("{}: {} bytes are not a whole number of elements of {}", call, bytes,
                           element_bytes));
}

Update update_of(Element element, const void* scale, const char* call) {
  return {static_cast<std::uint32_t>(element), scale, call};
}

Request* start_piece(Finish finish, Element element, global_ptr<void> to, const void* from,
                     std::size_t bytes, const void* scale) {
  constexpr const char* call = "accumulate";
  const wait::ThreadCall under_way(call);
  (void)wait::this_rank(call);
  require_whole_elements(element, bytes, call);
  const rma::OnePiece piece{to.address(), from, bytes};
  const Update update = update_of(element, scale, call);
  if (reachable(to.rank(), to.address(), bytes)) [[likely]]
    return rma::add_local(to.rank(), piece, update), nullptr;
  return rma::start(rma::operation_on(Verb::add, to.rank(), piece, update), finish);
}

Request* start_strided(Finish finish, Element element, global_ptr<void> to, const void* from,
                       const Strided& shape, const void* scale) {
  constexpr const char* call = "accumulate_strided";
  const wait::ThreadCall under_way(call);
  const space::AddressSpace& space = wait::this_rank(call).space;
  Operation what{.verb = Verb::add,
                 .rank = to.rank(),
                 .update = update_of(element, scale, call),
                 .to = to.address(),
                 .from = from,
                 .subarray = rma::Subarray::from(shape, call)};
  if (what.subarray.empty()) return space.require_rank(to.rank(), call), nullptr;
  require_whole_elements(element, what.subarray.row_bytes, call);
  const rma::Reach reach = rma::reach(what.subarray, what.subarray.to_strides, call);
  const auto* lowest = static_cast<const std::byte*>(to.address()) + reach.below;
  if (reachable(to.rank(), lowest, reach.bytes)) [[likely]]
    return rma::add_local(what), nullptr;
  return rma::start(what, finish);
}

Request* start_lists(Finish finish, Element element, Rank rank, std::span<const Iov> lists,
                     const void* scale) {
  constexpr const char* call = "accumulate_vector";
  const wait::ThreadCall under_way(call);
  const space::AddressSpace& space = wait::this_rank(call).space;
  if (lists.empty()) return space.require_rank(rank, call), nullptr;
  for (const Iov& s : lists) require_whole_elements(element, s.bytes, call);
  return rma::start(rma::operation_on(Verb::add, rank, lists, update_of(element, scale, call)),
                    finish);
}

/// A single element of a rank of this node, by a thread that runs a rank: the commonest accumulate.
/// Its lock is free most of the time, and then all is done here. False, and nothing done, else.
/// Invariant, as for longer ones: an element is read and written under the lock of the chunk that
/// it begins in, by whoever adds to it, so none of the additions is lost.
[[gnu::always_inline]] inline bool accumulate_one(Element element, global_ptr<void> to,
                                                  const void* from, std::size_t bytes,
                                                  const void* scale) {
  if (bytes != std::size_t{1} << rma::element_shift(element)) return false;
  if (!reachable_short(to.rank(), to.address(), bytes)) [[unlikely]]
    return false;
  const wait::RankContext* const me = wait::running_rank();
  if (me == nullptr) [[unlikely]]
    return false;
  wait::LockWord& word = me->space.chunk_lock(to.rank(), to.address());
  if (!wait::try_lock(word, me->space.me())) [[unlikely]]
    return false;
  rma::add_one(element, to.address(), from, scale);
  wait::unlock(word);
  return true;
}

}  // namespace

void accumulate(Element element, global_ptr<void> to, const void* from, std::size_t bytes,
                const void* scale) {
  if (accumulate_one(element, to, from, bytes, scale)) [[likely]]
    return;
  (void)start_piece(Finish::now, element, to, from, bytes, scale);
}
void accumulate_strided(Element element, global_ptr<void> to, const void* from,
                        const Strided& shape, const void* scale) {
  (void)start_strided(Finish::now, element, to, from, shape, scale);
}
void accumulate_vector(Element element, Rank rank, std::span<const Iov> iov, const void* scale) {
  (void)start_lists(Finish::now, element, rank, iov, scale);
}
Request* accumulate_later(Element element, global_ptr<void> to, const void* from, std::size_t bytes,
                          const void* scale) {
  return start_piece(Finish::later, element, to, from, bytes, scale);
}
Request* accumulate_strided_later(Element element, global_ptr<void> to, const void* from,
                                  const Strided& shape, const void* scale) {
  return start_strided(Finish::later, element, to, from, shape, scale);
}
Request* accumulate_vector_later(Element element, Rank rank, std::span<const Iov> iov,
                                 const void* scale) {
  return start_lists(Finish::later, element, rank, iov, scale);
}

}  // namespace armature::detail

// deprecated: an Iov was called Segments by programs that were compiled before.
#pragma GCC diagnostic ignored "-Wattribute-alias"
extern "C" {
ARMATURE_API void
_ZN8armature6detail17accumulate_vectorENS0_7ElementENS_4RankESt4spanIKNS_8SegmentsELm18446744073709551615EEPKv()
    __attribute__((alias("_ZN8armature6detail17accumulate_vectorENS0_7ElementENS_4RankESt4spanIKNS_"
                         "3IovELm18446744073709551615EEPKv")));
ARMATURE_API void
_ZN8armature6detail23accumulate_vector_laterENS0_7ElementENS_4RankESt4spanIKNS_8SegmentsELm18446744073709551615EEPKv()
    __attribute__((alias("_ZN8armature6detail23accumulate_vector_laterENS0_7ElementENS_"
                         "4RankESt4spanIKNS_3IovELm18446744073709551615EEPKv")));
}
