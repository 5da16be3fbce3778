// Divides a long put or accumulate into records. Long rows travel in pieces that the engine reads
// where they lie. Short rows are packed into such pieces. Short pieces of a list, each with its own
// address, travel in packets.
#include "rma/write_stream.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "rma/copied.hpp"
#include "rma/daxpy.hpp"
#include "rma/remote.hpp"
#include "transport/limits.hpp"
#include "wait/notifier.hpp"
#include "wait/wait.hpp"

namespace armature::rma {

using transport::Limits;
using transport::Link;
using transport::Piece;

std::size_t gathered_max() { return net::network()->links().engine().parts_max; }

bool is_copied(std::size_t bytes) { return bytes <= Limits::get().copied_max; }

WriteRecord record_of(const Update& update) {
  WriteRecord record{};
  record.element = update.element;
  if (update.scale != nullptr) {
    const auto bytes = std::size_t{1}
                       << element_shift(static_cast<detail::Element>(update.element));
    std::memcpy(record.scale, update.scale, bytes);
  }
  return record;
}

WriteStream::WriteStream(Rank rank, const Update& update)
    : record_(record_of(update)), rank_(rank), sender_(rma::sender()), call_(update.call) {}

/// A stream that is not over here belongs to a caller whose wait was interrupted: the process has
/// left its job.
WriteStream::~WriteStream() {
  Network* const net = net::network();
  if (is_over() || net == nullptr) return;
  const transport::Links::Lock locked(net->links().lock());
  net->links().streams().forget(*this);
}

void WriteStream::begin(Network::Start how) {
  is_over_.store(false, std::memory_order_relaxed);
  Network& net = *net::network();
  net.start(*this, sender_, net.link_to(rank_).process(), how);
}

/// Notifies the rank that has begun the stream: it may sleep if it waits by a continuation.
/// Release: the engine reads no more.
void WriteStream::ended() {
  const int rank = sender_;
  charge_.end();
  is_over_.store(true, std::memory_order_release);  // and may be gone
  if (rank >= 0) wait::notify(net::network()->mapping().slot(rank));
}

void WriteStream::wait() {
  if (!is_over()) {
    wait::WaitFor wait{.what = space::Awaiting::completion, .is_notified = false, .call = call_};
    wait::wait_until(wait, [&] {
      if (is_over()) return true;
      (void)net::network()->try_poll();
      return is_over();
    });
  }
  check();
}

void WriteStream::check() const { net::network()->peers().require_reachable(rank_, call_); }

void WriteStream::lend(Link& link, Piece& piece, const WriteRecord& record, const std::byte* from,
                       bool is_last) const {
  const std::span bytes(from, record.rows * record.row_bytes);
  const Link::Ack ack = is_last ? Link::Ack::soon : Link::Ack::later;
  if (record.element != no_element || record.rows > 1)
    return link.lend_piece(Kind::write, sender_, rank_, std::as_bytes(std::span(&record, 1)), bytes,
                           piece, ack);
  const PutRecord put{record.address};
  link.lend_piece(Kind::put, sender_, rank_, std::as_bytes(std::span(&put, 1)), bytes, piece, ack);
}

void WriteStream::lend_gathered(Link& link, Piece& piece, const WriteRecord& record,
                                const std::byte* from, std::ptrdiff_t stride, bool is_last) const {
  for (std::size_t row = 0; row < record.rows; ++row)
    piece.parts().emplace_back(from + static_cast<std::ptrdiff_t>(row) * stride, record.row_bytes);
  link.lend_piece(Kind::write, sender_, rank_, std::as_bytes(std::span(&record, 1)), piece,
                  is_last ? Link::Ack::soon : Link::Ack::later);
}

// -- subarrays
// -------------------------------------------------------------------------------------

SubarrayWrite::SubarrayWrite(Rank rank, void* to, const void* from, const Subarray& subarray,
                             const Update& update)
    : WriteStream(rank, update),
      to_(static_cast<std::byte*>(to)),
      from_(static_cast<const std::byte*>(from)),
      subarray_(subarray),
      left_(subarray.levels == 0 ? subarray.row_bytes : bytes_of(subarray)) {
  record_.row_bytes = subarray.row_bytes;
  record_.stride = subarray.levels == 0 ? 0 : subarray.to_strides[0];
}

bool SubarrayWrite::send_next(Link& link, Piece& piece) {
  const bool is_short = subarray_.levels > 0 && subarray_.row_bytes < Limits::get().packed_below();
  return is_short ? send_rows(link, piece) : send_part_of_row(link, piece);
}

/// Goes on behind so many rows of the innermost level. False behind the last of all.
bool SubarrayWrite::skip_rows(std::size_t rows) {
  std::size_t step = rows;
  for (std::size_t level = 0; level < subarray_.levels; ++level, step = 1) {
    to_ += static_cast<std::ptrdiff_t>(step) * subarray_.to_strides[level];
    from_ += static_cast<std::ptrdiff_t>(step) * subarray_.from_strides[level];
    if ((index_[level] += step) < subarray_.counts[level]) return true;
    const auto all = static_cast<std::ptrdiff_t>(subarray_.counts[level]);
    to_ -= all * subarray_.to_strides[level];
    from_ -= all * subarray_.from_strides[level];
    index_[level] = 0;
  }
  return false;
}

bool SubarrayWrite::send_part_of_row(Link& link, Piece& piece) {
  WriteRecord record = record_;
  record.rows = 1;
  record.row_bytes = std::min(next_piece_bytes(left_), subarray_.row_bytes - sent_of_row_);
  left_ -= record.row_bytes;
  record.address = reinterpret_cast<std::uint64_t>(to_ + sent_of_row_);
  const std::byte* const from = from_ + sent_of_row_;
  sent_of_row_ += record.row_bytes;
  const bool row_is_sent = sent_of_row_ == subarray_.row_bytes;
  if (row_is_sent) sent_of_row_ = 0;
  const bool is_last = row_is_sent && !skip_rows(1);
  lend(link, piece, record, from, is_last);
  return !is_last;
}

bool SubarrayWrite::send_rows(Link& link, Piece& piece) {
  WriteRecord record = record_;
  const std::size_t left = subarray_.counts[0] - index_[0];
  record.rows =
      std::min(left, std::max<std::size_t>(1, next_piece_bytes(left_) / record.row_bytes));
  record.address = reinterpret_cast<std::uint64_t>(to_);
  const std::byte* const from = from_;
  const std::ptrdiff_t stride = subarray_.from_strides[0];
  const auto row_bytes = static_cast<std::ptrdiff_t>(record.row_bytes);
  const std::size_t bytes = record.rows * record.row_bytes;
  left_ -= bytes;
  const bool is_last = !skip_rows(record.rows);
  if (is_copied(bytes) && bytes <= Link::body_bytes_max - sizeof record) {
    std::byte* const body =
        link.append(Kind::write, sender(), rank(), sizeof record + bytes, Link::Ack::soon);
    std::memcpy(body, &record, sizeof record);
    copy_rows(body + sizeof record, row_bytes, from, stride, record.rows, record.row_bytes);
    count_copied_out(bytes);
    if (is_last) link.offer();
  } else if (stride == row_bytes) {  // they need not be packed
    lend(link, piece, record, from, is_last);
  } else if (record.row_bytes >= Limits::gathered_min && record.rows <= gathered_max()) {
    lend_gathered(link, piece, record, from, stride, is_last);
  } else {
    copy_rows(piece.room(), row_bytes, from, stride, record.rows, record.row_bytes);
    count_copied_out(bytes);
    lend(link, piece, record, piece.room(), is_last);
  }
  return !is_last;
}

// -- lists ----------------------------------------------------------------------------------------

ListWrite::ListWrite(Rank rank, const Iov& pieces, const Update& update)
    : WriteStream(rank, update),
      to_(pieces.to.begin(), pieces.to.end()),
      from_(pieces.from.begin(), pieces.from.end()),
      bytes_(pieces.bytes),
      left_(pieces.bytes * pieces.to.size()) {}

namespace {

constexpr std::size_t room_for_pieces = Link::body_bytes_max - sizeof(PiecesRecord);

}  // namespace

bool are_short(std::size_t piece_bytes) {
  return is_copied(piece_bytes) && piece_bytes <= room_for_pieces - sizeof(std::uint64_t);
}

std::size_t append_pieces(Link& link, const Route& route, const WriteRecord& how,
                          const Iov& pieces) {
  const std::size_t each = sizeof(std::uint64_t) + pieces.bytes;
  const std::size_t count = std::min(pieces.to.size(), room_for_pieces / each);
  PiecesRecord record{pieces.bytes, static_cast<std::uint32_t>(count), how.element, {}};
  std::memcpy(record.scale, how.scale, sizeof record.scale);
  std::byte* body = link.append(Kind::pieces, route.sender, route.to, sizeof record + count * each,
                                Link::Ack::soon);
  std::memcpy(body, &record, sizeof record);
  body += sizeof record;
  std::memcpy(body, pieces.to.data(), count * sizeof(std::uint64_t));
  body += count * sizeof(std::uint64_t);
  for (const void* const from : pieces.from.first(count)) {
    std::memcpy(body, from, pieces.bytes);
    body += pieces.bytes;
  }
  count_copied_out(count * pieces.bytes);
  return count;
}

bool ListWrite::send_next(Link& link, Piece& piece) {
  if (are_short(bytes_)) {
    at_ += append_pieces(link, {rank(), sender()}, record_,
                         {std::span(to_).subspan(at_), std::span(from_).subspan(at_), bytes_});
    if (at_ < to_.size()) return true;
    link.offer();
    return false;
  }
  WriteRecord record = record_;
  record.rows = 1;
  record.row_bytes = std::min(next_piece_bytes(left_), bytes_ - sent_of_piece_);
  left_ -= record.row_bytes;
  record.address =
      reinterpret_cast<std::uint64_t>(static_cast<std::byte*>(to_[at_]) + sent_of_piece_);
  const auto* const from = static_cast<const std::byte*>(from_[at_]) + sent_of_piece_;
  sent_of_piece_ += record.row_bytes;
  if (sent_of_piece_ == bytes_) {
    sent_of_piece_ = 0;
    ++at_;
  }
  const bool is_last = at_ == to_.size();
  lend(link, piece, record, from, is_last);
  return !is_last;
}

}  // namespace armature::rma
