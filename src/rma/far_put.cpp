// Puts and accumulates to other nodes. Small ones are copied into a packet, where several gather
// while an earlier packet is under way. Long ones are lent to the engine in pieces, several under
// way at a time, and the call returns when the engine has let go of all.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>

#include "progress/rank_context.hpp"
#include "progress/wait.hpp"
#include "rma/by_engine.hpp"
#include "rma/daxpy.hpp"
#include "rma/far.hpp"
#include "rma/packed_rows.hpp"
#include "transport/protocol.hpp"

namespace armature::rma {

using transport::Kind;
using transport::Link;
using Lock = transport::Links::Lock;

namespace {

using transport::Protocol;

/// Rows, or parts of one, that are copied into a packet are at most that long: whole elements.
constexpr std::size_t row_max = (Link::body_bytes_max - sizeof(WriteRecord)) / 16 * 16;

[[nodiscard]] bool is_copied(std::size_t bytes) { return bytes <= Protocol::get().copied_max; }

/// Pieces of the caller's memory that the engine still reads. They are let go of before this is.
class Lender : public transport::Sending {
 public:
  Lender(Network& net, Rank rank, const char* call) : net_(net), rank_(rank), call_(call) {
    sent = [](Sending& me) {
      static_cast<Lender&>(me).under_way_.fetch_sub(1, std::memory_order_release);
    };
  }
  Lender(const Lender&) = delete;
  Lender& operator=(const Lender&) = delete;

  void lend(Kind kind, std::span<const std::byte> head, const std::byte* from, std::size_t bytes,
            bool last) {
    await(Protocol::puts_under_way - 1);
    under_way_.fetch_add(1, std::memory_order_relaxed);
    const Lock locked(net_.links().lock());
    net_.link_to(rank_).lend(kind, sender(), rank_, head, {from, bytes}, *this,
                             last ? Link::Ack::soon : Link::Ack::later);
  }
  /// Blocks until no more than that many are under way.
  void await(std::size_t under_way) {
    const auto few = [&] { return under_way_.load(std::memory_order_acquire) <= under_way; };
    if (few()) return;
    progress::WaitFor wait{.what = space::Awaiting::completion, .rings = false, .call = call_};
    progress::wait_until(wait, [&] {
      net_.try_poll();
      return few();
    });
  }
  /// Blocks until nothing is. Throws Error(rank_lost) when the rank was lost meanwhile.
  void finish() {
    await(0);
    net_.require_reachable(rank_, call_);
  }

 private:
  Network& net_;
  Rank rank_;
  const char* call_;
  std::atomic<std::size_t> under_way_ = 0;
};

WriteRecord record_of(const FarUpdate& update) {
  WriteRecord record{};
  record.element = update.element;
  if (update.scale != nullptr) {
    const auto bytes = std::size_t{1}
                       << element_shift(static_cast<detail::Element>(update.element));
    std::memcpy(record.scale, update.scale, bytes);
  }
  return record;
}

/// A record of rows that follow each other at `from_stride`.
void append_rows(Network& net, Rank rank, const WriteRecord& record, const std::byte* from,
                 std::ptrdiff_t from_stride, const char* call) {
  net.await_room(rank, call);
  const Lock locked(net.links().lock());
  std::byte* const body = net.link_to(rank).append(
      Kind::write, sender(), rank, sizeof record + record.rows * record.row_bytes, Link::Ack::soon);
  std::memcpy(body, &record, sizeof record);
  copy_rows(body + sizeof record, static_cast<std::ptrdiff_t>(record.row_bytes), from, from_stride,
            record.rows, record.row_bytes);
}

/// One long row.
void write_row(Network& net, Rank rank, std::byte* to, const std::byte* from, std::size_t bytes,
               const FarUpdate& update) {
  if (update.element == no_element) return put_far(net, rank, to, from, bytes, update.call);
  const bool copied = is_copied(bytes);
  Lender lender(net, rank, update.call);
  WriteRecord record = record_of(update);
  for (std::size_t at = 0; at < bytes; at += record.row_bytes) {
    record.address = reinterpret_cast<std::uint64_t>(to + at);
    record.row_bytes = std::min(copied ? row_max : Protocol::piece_bytes, bytes - at);
    record.rows = 1;
    if (copied)
      append_rows(net, rank, record, from + at, 0, update.call);
    else
      lender.lend(Kind::write, std::as_bytes(std::span(&record, 1)), from + at, record.row_bytes,
                  at + record.row_bytes == bytes);
  }
  lender.finish();
}

/// Rows of one level that are too many for packets and too short to be lent one by one.
void write_packed(Network& net, Rank rank, std::byte* to, const std::byte* from,
                  const Section& section, WriteRecord record, const char* call) {
  PackedRows packed(net, rank, call);
  const std::size_t rows_max = PackedRows::room / record.row_bytes;
  for (std::size_t row = 0; row < section.counts[0]; row += record.rows) {
    record.rows = std::min(section.counts[0] - row, rows_max);
    record.address = reinterpret_cast<std::uint64_t>(to);
    copy_rows(packed.next(), static_cast<std::ptrdiff_t>(record.row_bytes), from,
              section.from_strides[0], record.rows, record.row_bytes);
    packed.send(record, sender(), row + record.rows == section.counts[0]);
    const auto done = static_cast<std::ptrdiff_t>(record.rows);
    to += done * section.to_strides[0];
    from += done * section.from_strides[0];
  }
  packed.finish();
}

/// The same where they lie one behind the other here: they need not be packed.
void write_dense(Network& net, Rank rank, std::byte* to, const std::byte* from,
                 const Section& section, WriteRecord record, const char* call) {
  Lender lender(net, rank, call);
  const std::size_t rows_max = Protocol::piece_bytes / record.row_bytes;
  for (std::size_t row = 0; row < section.counts[0]; row += record.rows) {
    record.rows = std::min(section.counts[0] - row, rows_max);
    record.address = reinterpret_cast<std::uint64_t>(to);
    const std::size_t bytes = record.rows * record.row_bytes;
    lender.lend(Kind::write, std::as_bytes(std::span(&record, 1)), from, bytes,
                row + record.rows == section.counts[0]);
    to += static_cast<std::ptrdiff_t>(record.rows) * section.to_strides[0];
    from += bytes;
  }
  lender.finish();
}

/// Rows of one level, as many to a packet or a piece as fit.
void write_rows(Network& net, Rank rank, std::byte* to, const std::byte* from,
                const Section& section, const FarUpdate& update) {
  const std::size_t rows = section.levels == 0 ? 1 : section.counts[0];
  const std::size_t row_bytes = section.row_bytes;
  const std::ptrdiff_t to_stride = section.levels == 0 ? 0 : section.to_strides[0];
  const std::ptrdiff_t from_stride = section.levels == 0 ? 0 : section.from_strides[0];
  WriteRecord record = record_of(update);
  record.stride = to_stride;
  record.row_bytes = row_bytes;
  if (rows > 1 && !is_copied(rows * row_bytes) && row_bytes < Protocol::get().packed_below()) {
    const bool is_dense = from_stride == static_cast<std::ptrdiff_t>(row_bytes);
    const auto write = is_dense ? write_dense : write_packed;
    return write(net, rank, to, from, section, record, update.call);
  }
  if (!is_copied(row_bytes) || row_bytes > row_max) {
    for (std::size_t row = 0; row < rows; ++row, to += to_stride, from += from_stride)
      write_row(net, rank, to, from, row_bytes, update);
    return;
  }
  for (std::size_t row = 0; row < rows; row += record.rows) {
    record.rows = std::min(rows - row, row_max / row_bytes);
    record.address = reinterpret_cast<std::uint64_t>(to);
    append_rows(net, rank, record, from, from_stride, update.call);
    const auto done = static_cast<std::ptrdiff_t>(record.rows);
    to += done * to_stride;
    from += done * from_stride;
  }
  const Lock locked(net.links().lock());
  net.link_to(rank).offer();
}

}  // namespace

void put_far(Network& net, Rank rank, void* to_start, const void* from_start, std::size_t bytes,
             const char* call) {
  auto* to = static_cast<std::byte*>(to_start);
  const auto* from = static_cast<const std::byte*>(from_start);
  if (bytes == 0) return;
  constexpr std::size_t room = Link::body_bytes_max - sizeof(PutRecord);
  if (is_copied(bytes)) {
    for (std::size_t at = 0; at < bytes; at += room) {
      net.await_room(rank, call);
      const Lock locked(net.links().lock());
      Link& link = net.link_to(rank);
      const PutRecord record{reinterpret_cast<std::uint64_t>(to + at)};
      const std::size_t part = std::min(room, bytes - at);
      std::byte* const body =
          link.append(Kind::put, sender(), rank, sizeof record + part, Link::Ack::soon);
      std::memcpy(body, &record, sizeof record);
      std::memcpy(body + sizeof record, from + at, part);
      if (bytes - at <= room) link.offer();
    }
    return;
  }
  if (put_by_engine(net, rank, to, from, bytes, call)) return;
  Lender lender(net, rank, call);
  for (std::size_t at = 0; at < bytes;) {
    const PutRecord record{reinterpret_cast<std::uint64_t>(to + at)};
    const std::size_t part = std::min(Protocol::piece_bytes, bytes - at);
    lender.lend(Kind::put, std::as_bytes(std::span(&record, 1)), from + at, part,
                at + part == bytes);
    at += part;
  }
  lender.finish();
}

void write_far(Network& net, Rank rank, void* to, const void* from, const Section& section,
               const FarUpdate& update) {
  for_each_row(
      static_cast<std::byte*>(to), static_cast<const std::byte*>(from), section.outer(),
      [&](std::byte* t, const std::byte* f) { write_rows(net, rank, t, f, section, update); });
}

void write_far(Network& net, Rank rank, const Segments& pieces, const FarUpdate& update) {
  const std::size_t room = Link::body_bytes_max - sizeof(PiecesRecord);
  if (pieces.bytes == 0) return;
  if (!is_copied(pieces.bytes) || pieces.bytes > room - sizeof(std::uint64_t)) {
    for (std::size_t i = 0; i < pieces.to.size(); ++i)
      write_row(net, rank, static_cast<std::byte*>(pieces.to[i]),
                static_cast<const std::byte*>(pieces.from[i]), pieces.bytes, update);
    return;
  }
  const WriteRecord write = record_of(update);
  PiecesRecord record{pieces.bytes, 0, update.element, {}};
  std::memcpy(record.scale, write.scale, sizeof record.scale);
  for (std::size_t i = 0; i < pieces.to.size(); i += record.count) {
    net.await_room(rank, update.call);
    const std::size_t each = sizeof(std::uint64_t) + pieces.bytes;
    record.count = static_cast<std::uint32_t>(std::min(pieces.to.size() - i, room / each));
    const Lock locked(net.links().lock());
    std::byte* at = net.link_to(rank).append(Kind::pieces, sender(), rank,
                                             sizeof record + record.count * each, Link::Ack::soon);
    std::memcpy(at, &record, sizeof record);
    at += sizeof record;
    std::memcpy(at, pieces.to.data() + i, record.count * sizeof(std::uint64_t));
    at += record.count * sizeof(std::uint64_t);
    for (std::size_t p = i; p < i + record.count; ++p, at += pieces.bytes)
      std::memcpy(at, pieces.from[p], pieces.bytes);
  }
  const Lock locked(net.links().lock());
  net.link_to(rank).offer();
}

}  // namespace armature::rma
