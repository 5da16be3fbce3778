// Operations whose bytes are copied into records: several to a packet, as they gather while an
// earlier packet is under way. Gets and atomics are questions (fetch.cpp, questions.hpp).
#include <algorithm>
#include <cstring>
#include <mutex>

#include "rma/far.hpp"
#include "rma/protocol.hpp"
#include "rma/write_stream.hpp"

namespace armature::rma {

using transport::Link;
using Lock = transport::Links::Lock;

namespace {

/// Rows, or parts of one, that are copied into a packet are at most that long: whole elements.
constexpr std::size_t row_max = (Link::body_bytes_max - sizeof(WriteRecord)) / 16 * 16;

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

/// One row that is copied.
void append_row(Network& net, Rank rank, WriteRecord record, std::byte* to, const std::byte* from,
                std::size_t bytes, const char* call) {
  record.rows = 1;
  for (std::size_t at = 0; at < bytes; at += record.row_bytes) {
    record.address = reinterpret_cast<std::uint64_t>(to + at);
    record.row_bytes = std::min(row_max, bytes - at);
    append_rows(net, rank, record, from + at, 0, call);
  }
}

/// Rows of one level, as many to a packet as fit.
void append_section(Network& net, Rank rank, std::byte* to, const std::byte* from,
                    const Section& section, const Update& update) {
  const std::size_t rows = section.levels == 0 ? 1 : section.counts[0];
  const std::ptrdiff_t to_stride = section.levels == 0 ? 0 : section.to_strides[0];
  const std::ptrdiff_t from_stride = section.levels == 0 ? 0 : section.from_strides[0];
  WriteRecord record = record_of(update);
  record.stride = to_stride;
  record.row_bytes = section.row_bytes;
  for (std::size_t row = 0; row < rows; row += record.rows) {
    record.rows = std::min(rows - row, std::max<std::size_t>(row_max / section.row_bytes, 1));
    if (section.row_bytes > row_max) {
      append_row(net, rank, record, to, from, section.row_bytes, update.call);
    } else {
      record.address = reinterpret_cast<std::uint64_t>(to);
      append_rows(net, rank, record, from, from_stride, update.call);
    }
    const auto done = static_cast<std::ptrdiff_t>(record.rows);
    to += done * to_stride;
    from += done * from_stride;
  }
}

/// Copies a put into packets.
void append_put(Network& net, Rank rank, std::byte* to, const std::byte* from, std::size_t bytes,
                const char* call) {
  constexpr std::size_t room = Link::body_bytes_max - sizeof(PutRecord);
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
}

void append_sections(Network& net, const Operation& what) {
  for_each_row(static_cast<std::byte*>(what.to), static_cast<const std::byte*>(what.from),
               what.section.outer(), [&](std::byte* t, const std::byte* f) {
                 append_section(net, what.rank, t, f, what.section, what.update);
               });
  const Lock locked(net.links().lock());
  net.link_to(what.rank).offer();
}

/// Copies a list of short pieces into packets.
void append_lists(Network& net, Rank rank, const Segments& pieces, const Update& update) {
  const WriteRecord record = record_of(update);
  for (std::size_t i = 0; i < pieces.to.size();) {
    net.await_room(rank, update.call);
    const Lock locked(net.links().lock());
    i += append_pieces(net.link_to(rank), {rank, sender()}, record,
                       {pieces.to.subspan(i), pieces.from.subspan(i), pieces.bytes});
  }
  const Lock locked(net.links().lock());
  net.link_to(rank).offer();
}

detail::Request* start_in_packets(const Operation& what, Finish finish) {
  if (what.verb == Verb::get) return fetch(what, finish);
  Network& net = *net::network();
  if (what.is_list()) {
    for (const Segments& pieces : what.lists)
      if (pieces.bytes != 0 && !pieces.to.empty())
        append_lists(net, what.rank, pieces, what.update);
  } else if (what.verb == Verb::put && what.is_one_piece()) {
    append_put(net, what.rank, static_cast<std::byte*>(what.to),
               static_cast<const std::byte*>(what.from), what.section.row_bytes, what.call());
  } else {
    append_sections(net, what);
  }
  return nullptr;
}

}  // namespace

const Protocol packet{.name = "packet", .start = start_in_packets, .start_atomic = ask_for_atomic};

}  // namespace armature::rma
