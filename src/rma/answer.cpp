// Answers to gets of ranks on other nodes: one packet, or a stream of pieces or packets.
#include "rma/answer.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/runtime.hpp"
#include "net/network.hpp"
#include "rma/copied.hpp"
#include "rma/local.hpp"
#include "rma/remote_records.hpp"
#include "rma/write_stream.hpp"
#include "transport/limits.hpp"

namespace armature::rma {

using net::network;
using transport::Arrived;
using transport::Limits;
using transport::Link;

namespace {

/// How often all answers that are under way have been given up.
struct GivenUp {
  std::uint32_t times = 0;
};

/// The answer to a get that is too long for a packet. Lives until the engine has let go of all.
class SegmentedReply final : public transport::Stream {
 public:
  /// From now on nobody waits for those that are under way.
  static void give_up_all() { ++base::state<GivenUp>().times; }
  static void begin(const Arrived& request, std::uint64_t number, IovCursor from, std::size_t bytes,
                    std::vector<std::byte> held) {
    Link& link = network()->links().to(request.process);
    auto* const reply = new SegmentedReply(request, number, std::move(from), bytes);
    reply->held_ = std::move(held);
    link.streams().begin(*reply, -1);
    link.streams().push();
  }

 private:
  SegmentedReply(const Arrived& request, std::uint64_t number, IovCursor from, std::size_t bytes)
      : from_rank_(request.record.to),
        to_rank_(request.record.from),
        answer_{number},
        from_(std::move(from)),
        left_(bytes),
        is_copied_(is_copied(bytes)) {}

  bool send_next(Link& link, transport::Piece& piece) override {
    if (begun_ != base::state<GivenUp>().times) return false;
    if (is_copied_) return append_next(link);
    const std::size_t most = std::min(next_piece_bytes(left_), left_);
    const std::span<const std::byte> run = from_.next();
    std::span<const std::byte> bytes;
    if (run.size() >= Limits::get().packed_below() ||
        (run.size() == left_ && left_ > Limits::get().copied_max)) {
      bytes = run.first(std::min(run.size(), most));
      from_.skip(bytes.size());
    } else if (from_.row_bytes() >= Limits::gathered_min && gathered_max() > 0) {
      left_ -= from_.list(piece.parts(), most, gathered_max());
    } else {
      bytes = {piece.room(), from_.take(piece.room(), most)};
      count_copied_out(bytes.size());
    }
    left_ -= bytes.size();
    const bool more = left_ > 0;  // it may end in the next call, where the link is lost
    const auto head = std::as_bytes(std::span(&answer_, 1));
    if (piece.parts().empty())
      link.lend_piece(Kind::data, from_rank_, to_rank_, head, bytes, piece, Link::Ack::none);
    else
      link.lend_piece(Kind::data, from_rank_, to_rank_, head, piece, Link::Ack::none);
    return more;
  }
  void ended() override { delete this; }

  /// Appends as much as a packet takes. The stream lives while its piece is not given back, though
  /// the link may be lost here.
  bool append_next(Link& link) {
    const std::size_t part = std::min(left_, Link::body_bytes_max - sizeof answer_);
    std::byte* const body =
        link.append(Kind::data, from_rank_, to_rank_, sizeof answer_ + part, Link::Ack::none);
    std::memcpy(body, &answer_, sizeof answer_);
    count_copied_out(from_.take(body + sizeof answer_, part));
    left_ -= part;
    if (left_ == 0) link.offer();
    return left_ > 0;
  }

  int from_rank_, to_rank_;
  DataRecord answer_;
  IovCursor from_;
  std::size_t left_;
  const bool is_copied_;         // into packets
  std::vector<std::byte> held_;  // where they lie, if it is nobody else's
  const std::uint32_t begun_ = base::state<GivenUp>().times;
};

}  // namespace

void answer(const Arrived& request, std::uint64_t number, IovCursor from, std::size_t bytes,
            std::vector<std::byte> held) {
  std::atomic_thread_fence(std::memory_order_acquire);
  if (bytes > Link::body_bytes_max - sizeof(DataRecord))
    return SegmentedReply::begin(request, number, std::move(from), bytes, std::move(held));
  Link& link = network()->links().to(request.process);
  const DataRecord record{number};
  std::byte* const body = link.append(Kind::data, request.record.to, request.record.from,
                                      sizeof record + bytes, Link::Ack::none);
  std::memcpy(body, &record, sizeof record);
  count_copied_out(bytes);
  // A single word is read as one.
  if (const auto run = from.next(); run.size() == bytes)
    get_local(body + sizeof record, run.data(), bytes);
  else
    (void)from.take(body + sizeof record, bytes);
}

void answer_held(const Arrived& request, std::uint64_t number, std::vector<std::byte> bytes) {
  const std::size_t size = bytes.size();
  const IovCursor from = IovCursor::contiguous(bytes.data(), size);
  answer(request, number, from, size, std::move(bytes));
}

void give_up_answers() { SegmentedReply::give_up_all(); }

}  // namespace armature::rma
