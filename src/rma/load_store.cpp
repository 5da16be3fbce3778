// Operations on memory that is mapped here, by the caller's own instructions: complete when the
// call returns. The commonest of them are inlined, or done where they are described.
#include <atomic>

#include "armature/detail/transfer.hpp"
#include "base/fail.hpp"
#include "rma/adder.hpp"
#include "rma/local.hpp"
#include "rma/pieces.hpp"
#include "rma/protocol.hpp"
#include "wait/rank_context.hpp"

namespace armature::rma {
namespace {

/// Calls move(word) with a word of that size when such values move as one (as on the fast path):
/// never seen half written by others. False, and nothing done, for other sizes and addresses.
template <class Move>
bool as_one(const void* remote, std::size_t bytes, Move&& move) {
  if (bytes == 0 || reinterpret_cast<std::uintptr_t>(remote) % bytes != 0) return false;
  switch (bytes) {
    case 1:
      return move(detail::Word<1>{}), true;
    case 2:
      return move(detail::Word<2>{}), true;
    case 4:
      return move(detail::Word<4>{}), true;
    case 8:
      return move(detail::Word<8>{}), true;
    default:
      return false;
  }
}

}  // namespace

void put_local(void* to, const void* from, std::size_t bytes) {
  const bool moved = as_one(to, bytes, [&](auto word) {
    std::memcpy(&word, from, sizeof word);
    detail::store(static_cast<decltype(word)*>(to), word);
  });
  if (!moved) detail::copy_out(to, from, bytes);
}

void get_local(void* to, const void* from, std::size_t bytes) {
  const bool moved = as_one(from, bytes, [&](auto word) {
    word = detail::load(static_cast<const decltype(word)*>(from));
    std::memcpy(to, &word, sizeof word);
  });
  if (!moved) detail::copy_in(to, from, bytes);
}

std::uint64_t perform_local(void* address, const AtomicRecord& record) {
  return record.bytes == 8 ? rma::perform(static_cast<std::uint64_t*>(address), record)
                           : rma::perform(static_cast<std::uint32_t*>(address), record);
}

namespace {

/// Waits for the lock of a chunk, and takes it from a holder that has died. Elements that the dead
/// rank has added in part are the program's concern; elements of other ranks under the same lock
/// are whole.
void await_chunk_of(wait::LockWord& word, int me) {
  wait::WaitFor wait{.what = space::Awaiting::element, .call = "accumulate"};
  const space::AddressSpace& space = wait::this_rank("accumulate").space;
  for (;;) {
    try {
      return wait::lock_contended(word, wait::lock_token(me), wait);
    } catch (const Error& error) {
      if (error.code() != Errc::rank_lost || wait.peer < 0 ||
          space.slot(wait.peer).life.load(std::memory_order_acquire) != space::Life::dead)
        throw;
      wait::unlock_of_dead(word, wait.peer);
    }
  }
}

}  // namespace

namespace {

/// The adder of the calling rank.
Adder adder_of(Rank rank, const Update& update) {
  const space::AddressSpace& space = wait::this_rank(update.call).space;
  return Adder(static_cast<detail::Element>(update.element), rank, update.scale, space, space.me(),
               await_chunk_of);
}

}  // namespace

void add_local(Rank rank, const OnePiece& piece, const Update& update) {
  Adder adder = adder_of(rank, update);
  adder.add(static_cast<std::byte*>(piece.to), static_cast<const std::byte*>(piece.from),
            piece.bytes);
}

void add_local(const Operation& what) {
  Adder adder = adder_of(what.rank, what.update);
  if (!what.is_list())
    return for_each_row(
        static_cast<std::byte*>(what.to), static_cast<const std::byte*>(what.from), what.subarray,
        [&](std::byte* t, const std::byte* f) { adder.add(t, f, what.subarray.row_bytes); });
  for (const Iov& s : what.lists)
    for (std::size_t i = 0; i < s.to.size(); ++i)
      adder.add(static_cast<std::byte*>(s.to[i]), static_cast<const std::byte*>(s.from[i]),
                s.bytes);
}

namespace {

void copy_here(const Operation& what) {
  if (what.is_list())
    for (const Iov& pieces : what.lists) copy_pieces(pieces);
  else
    copy_subarray(what.to, what.from, what.subarray);
}

detail::Request* start_here(const Operation& what, Finish /*now*/) {
  switch (what.verb) {
    case Verb::add:
      add_local(what);
      break;
    case Verb::put:
      if (what.is_one_piece()) {
        put_local(what.to, what.from, what.subarray.row_bytes);
        break;
      }
      std::atomic_thread_fence(std::memory_order_release);
      copy_here(what);
      break;
    case Verb::get:
      if (what.is_one_piece()) {
        get_local(what.to, what.from, what.subarray.row_bytes);
        break;
      }
      copy_here(what);
      std::atomic_thread_fence(std::memory_order_acquire);
      break;
  }
  return nullptr;
}

detail::Request* start_atomic_here(const Atomic& what, Finish /*now*/, std::uint64_t& found) {
  found = perform_local(reinterpret_cast<void*>(what.record.address), what.record);
  return nullptr;
}

}  // namespace

const Protocol load_store{
    .name = "load/store", .start = start_here, .start_atomic = start_atomic_here};

}  // namespace armature::rma
