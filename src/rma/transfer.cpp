// The slow paths of puts, gets and atomics, for cases that the inlined ones do not handle: memory
// of other nodes, wrong addresses, and full checking.
#include "armature/detail/transfer.hpp"

#include "armature/atomic.hpp"
#include "net/network.hpp"
#include "rma/protocol.hpp"
#include "rma/remote.hpp"
#include "rma/write_stream.hpp"
#include "transport/limits.hpp"
#include "wait/recorded_links.hpp"
#include "wait/thread_call.hpp"

namespace armature::detail {

using rma::Finish;
using rma::Verb;

namespace {

Request* start(Verb verb, Rank rank, const rma::OnePiece& piece, Finish finish, const char* call) {
  const wait::ThreadCall under_way(call);
  return rma::start(rma::operation_on(verb, rank, piece, {.call = call}), finish);
}

}  // namespace

namespace {

/// A short put to another node takes less time to copy than to describe as an operation. So it goes
/// where the table of protocols sends it, without a look at the table. False: it is no such put, or
/// a word that is to go by the engine.
[[gnu::always_inline]] inline bool put_short(Rank rank, void* to, const void* from,
                                             std::size_t bytes, const char* call) {
  if (!rma::is_copied(bytes)) return false;
  using transport::Limits;
  if (bytes == sizeof(std::uint64_t) && Limits::get().words == Limits::Words::engine) return false;
  const wait::ThreadCall under_way(call);
  rma::Network* const net = rma::network_to(rank, call);
  if (net == nullptr) return false;
  (void)rma::require_remote(*net, rank, to, bytes, call);
  wait::record_link(rank, bytes);
  rma::put_in_packets(*net, rank, to, from, bytes, call);
  return true;
}

}  // namespace

void put_slow(Rank rank, void* to, const void* from, std::size_t bytes, const char* call) {
  if (put_short(rank, to, from, bytes, call)) return;
  (void)start(Verb::put, rank, {to, from, bytes}, Finish::now, call);
}

Request* put_later(Rank rank, void* to, const void* from, std::size_t bytes, const char* call) {
  if (put_short(rank, to, from, bytes, call)) return nullptr;
  return start(Verb::put, rank, {to, from, bytes}, Finish::later, call);
}

void get_slow(Rank rank, void* to, const void* from, std::size_t bytes, const char* call) {
  (void)start(Verb::get, rank, {to, from, bytes}, Finish::now, call);
}

Handle get_later(Rank rank, void* to, const void* from, std::size_t bytes, const char* call) {
  return Handle(start(Verb::get, rank, {to, from, bytes}, Finish::later, call));
}

void get_implicit(Rank rank, void* to, const void* from, std::size_t bytes, const char* call) {
  make_implicit(rank, get_later(rank, to, from, bytes, call), call);
}

namespace {

rma::Atomic atomic_of(Rank rank, const void* address, std::size_t bytes,
                      const AtomicOperation& what) {
  return {.rank = rank,
          .record = {.request = 0,
                     .address = reinterpret_cast<std::uint64_t>(address),
                     .operand = what.operand,
                     .expected = what.expected,
                     .code = static_cast<rma::AtomicCode>(what.code),
                     .bytes = static_cast<std::uint32_t>(bytes)},
          .call = what.call};
}

}  // namespace

std::uint64_t atomic_slow(Rank rank, void* address, std::size_t bytes, AtomicOperation what) {
  const wait::ThreadCall under_way(what.call);
  std::uint64_t found = 0;
  (void)rma::start(atomic_of(rank, address, bytes, what), Finish::now, found);
  return found;
}

Request* atomic_later(Rank rank, void* address, std::size_t bytes, AtomicOperation what,
                      std::uint64_t& found) {
  const wait::ThreadCall under_way(what.call);
  return rma::start(atomic_of(rank, address, bytes, what), Finish::later, found);
}

}  // namespace armature::detail
