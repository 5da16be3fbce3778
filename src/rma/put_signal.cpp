// The compiled half of armature/signal.hpp. On a node a signal is an atomic of the caller, behind
// its copy, and a look at whether the target sleeps. Between nodes it is a record behind those of
// the data: in the same packet where the data are copied, else behind the last piece of their
// stream. So nothing goes there and back between the two. The network's own puts are in no order
// with records, and are not used for this.
#include <cstring>
#include <mutex>

#include <fmt/format.h>

#include "armature/signal.hpp"
#include "base/fail.hpp"
#include "rma/in_order.hpp"
#include "rma/protocol.hpp"
#include "rma/remote.hpp"
#include "rma/write_stream.hpp"
#include "wait/notifier.hpp"
#include "wait/rank_context.hpp"
#include "wait/recorded_links.hpp"
#include "wait/thread_call.hpp"

namespace armature::rma {
namespace {

using transport::Link;

SignalRecord record_of(const Signal& signal) {
  return {
      .address = reinterpret_cast<std::uint64_t>(signal.word.address()),
      .value = signal.value,
      .code = signal.operation == SignalOperation::add ? AtomicCode::fetch_add : AtomicCode::swap,
      .unused = 0};
}

/// A contiguous put, whose stream ends with a signal.
class SignalledWrite : public SubarrayWrite {
 public:
  SignalledWrite(Rank rank, void* to, const void* from, const Subarray& row, const Update& update,
                 const SignalRecord& signal)
      : SubarrayWrite(rank, to, from, row, update), signal_(signal) {}

 private:
  [[nodiscard]] bool send_next(Link& link, transport::Piece& piece) override {
    // With its last piece the stream may be over, and gone.
    const SignalRecord signal = signal_;
    const int from = sender();
    const Rank to = rank();
    if (SubarrayWrite::send_next(link, piece)) return true;
    if (link.is_lost()) return false;
    link.post(Kind::signal, from, to, signal, Link::Ack::soon);
    link.flush();
    return false;
  }

  SignalRecord signal_;
};

/// Data of at most a packet, and the signal, which leave at once: somebody is likely to wait.
void send_together(Network& net, Rank rank, const OnePiece& piece, const SignalRecord& signal,
                   const char* call) {
  net.flush().await_room(rank, call);
  const transport::Links::Lock locked(net.links().lock());
  Link& link = net.link_to(rank);
  if (piece.bytes != 0) {
    const PutRecord record{reinterpret_cast<std::uint64_t>(piece.to)};
    std::byte* const body =
        link.append(Kind::put, sender(), rank, sizeof record + piece.bytes, Link::Ack::soon);
    std::memcpy(body, &record, sizeof record);
    std::memcpy(body + sizeof record, piece.from, piece.bytes);
  }
  link.post(Kind::signal, sender(), rank, signal, Link::Ack::soon);
  link.flush();
}

detail::Request* put_there(Network& net, Rank rank, const OnePiece& piece,
                           const SignalRecord& signal, Finish finish, const char* call) {
  if (piece.bytes != 0) (void)require_remote(net, rank, piece.to, piece.bytes, call);
  (void)require_remote(net, rank, reinterpret_cast<void*>(signal.address), sizeof signal.value,
                       call);
  if (!is_copied(piece.bytes)) {
    require_lasting(piece.from, piece.bytes, call);
    Subarray row;
    row.row_bytes = piece.bytes;
    return begin_stream<SignalledWrite>(finish, piece.bytes, call, rank, piece.to, piece.from, row,
                                        Update{.call = call}, signal);
  }
  // As much as a packet holds goes with the signal, and the rest before.
  constexpr std::size_t with_it_max = Link::body_bytes_max - sizeof(PutRecord);
  const std::size_t before =
      piece.bytes <= with_it_max ? 0 : (piece.bytes - 1) / with_it_max * with_it_max;
  wait::record_link(rank, piece.bytes);
  if (before != 0) put_in_packets(net, rank, piece.to, piece.from, before, call);
  send_together(net, rank,
                {static_cast<std::byte*>(piece.to) + before,
                 static_cast<const std::byte*>(piece.from) + before, piece.bytes - before},
                signal, call);
  return nullptr;
}

/// On the caller's node, where all is done when it returns.
void put_here(Rank rank, const OnePiece& piece, const SignalRecord& signal, const char* call) {
  auto* const word = reinterpret_cast<std::uint64_t*>(signal.address);
  const bool is_in_segment = detail::reachable<sizeof *word>(rank, word);
  if (!is_in_segment) (void)require(rank, word, sizeof *word, call);
  if (piece.bytes != 0 && !detail::put_fast(rank, piece.to, piece.from, piece.bytes))
    put_before_signal(operation_on(Verb::put, rank, piece, {.call = call}));
  if (!is_in_segment) {
    std::uint64_t found = 0;
    (void)start(Atomic{.rank = rank, .record = atomic_of(signal), .call = call}, Finish::now,
                found);
  } else if (signal.code == AtomicCode::fetch_add) {
    __atomic_fetch_add(word, signal.value, __ATOMIC_RELEASE);
  } else {
    // Release: the data are there for who sees it.
    __atomic_store_n(word, signal.value, __ATOMIC_RELEASE);
  }
  wait::notify(wait::mapping(call).slot(rank));
}

detail::Request* put_and_signal(Rank rank, const OnePiece& piece, const Signal& signal,
                                Finish finish, const char* call) {
  const wait::ThreadCall under_way(call);
  const SignalRecord record = record_of(signal);
  if (signal.word.rank() != rank)
    base::fail(Errc::bad_rank,
               fmt::format("{}: the data go to rank {}, and the signal word is rank {}'s", call,
                           static_cast<int>(rank), static_cast<int>(signal.word.rank())));
  if (record.address % sizeof record.value != 0)
    base::fail(Errc::bad_address,
               fmt::format("{}: {:#x} of rank {} is not a multiple of {}: signal words are aligned",
                           call, record.address, static_cast<int>(rank), sizeof record.value));
  if (Network* const net = network_to(rank, call))
    return put_there(*net, rank, piece, record, finish, call);
  put_here(rank, piece, record, call);
  return nullptr;
}

OnePiece piece_of(global_ptr<void> to, const void* from, std::size_t bytes) {
  return {to.address(), from, bytes};
}

}  // namespace
}  // namespace armature::rma

namespace armature::detail {

void signal_now(const Signal& signal, const char* call) {
  (void)rma::put_and_signal(signal.word.rank(), {}, signal, rma::Finish::now, call);
}

void put_and_signal(global_ptr<void> to, const void* from, std::size_t bytes, const Signal& signal,
                    const char* call) {
  (void)rma::put_and_signal(to.rank(), rma::piece_of(to, from, bytes), signal, rma::Finish::now,
                            call);
}

Request* put_and_signal_later(global_ptr<void> to, const void* from, std::size_t bytes,
                              const Signal& signal, const char* call) {
  return rma::put_and_signal(to.rank(), rma::piece_of(to, from, bytes), signal, rma::Finish::later,
                             call);
}

}  // namespace armature::detail
