// Operations whose bytes are copied into records: several to a packet, as they gather while an
// earlier packet is under way. Gets and atomics are pending requests (get.cpp,
// pending_requests.hpp).
#include <algorithm>
#include <cstring>
#include <mutex>

#include "rma/copied.hpp"
#include "rma/protocol.hpp"
#include "rma/remote.hpp"
#include "rma/rows.hpp"
#include "rma/write_stream.hpp"

namespace armature::rma {

using transport::Link;
using Lock = transport::Links::Lock;

void put_in_packets(Network& net, Rank rank, void* to, const void* from, std::size_t bytes,
                    const char* call) {
  constexpr std::size_t room = Link::body_bytes_max - sizeof(PutRecord);
  for (std::size_t at = 0; at < bytes; at += room) {
    net.flush().await_room(rank, call);
    const Lock locked(net.links().lock());
    Link& link = net.link_to(rank);
    const PutRecord record{reinterpret_cast<std::uint64_t>(to) + at};
    const std::size_t part = std::min(room, bytes - at);
    std::byte* const body =
        link.append(Kind::put, sender(), rank, sizeof record + part, Link::Ack::soon);
    std::memcpy(body, &record, sizeof record);
    std::memcpy(body + sizeof record, static_cast<const std::byte*>(from) + at, part);
    count_copied_out(part);
    if (bytes - at <= room) link.offer();
  }
}

namespace {

/// Rows, or parts of one, that are copied into a packet are at most that long: whole elements.
constexpr std::size_t row_max = (Link::body_bytes_max - sizeof(WriteRecord)) / 16 * 16;

/// Rows as one record.
void append_rows(Network& net, const Operation& what, const Rows& rows) {
  WriteRecord record = record_of(what.update);
  record.address = reinterpret_cast<std::uint64_t>(rows.to);
  record.stride = rows.to_stride;
  record.row_bytes = rows.row_bytes;
  record.rows = rows.count;
  net.flush().await_room(what.rank, what.call());
  const Lock locked(net.links().lock());
  std::byte* const body = net.link_to(what.rank).append(
      Kind::write, sender(), what.rank, sizeof record + rows.bytes(), Link::Ack::soon);
  std::memcpy(body, &record, sizeof record);
  copy_rows(body + sizeof record, static_cast<std::ptrdiff_t>(rows.row_bytes), rows.from,
            rows.from_stride, rows.count, rows.row_bytes);
  count_copied_out(rows.bytes());
}

void append_subarray(Network& net, const Operation& what) {
  for_each_rows(what, [&](const Rows& rows) {
    for_each_part(rows, row_max, [&](const Rows& part) { append_rows(net, what, part); });
  });
  const Lock locked(net.links().lock());
  net.link_to(what.rank).offer();
}

/// Copies a list of short pieces into packets.
void append_lists(Network& net, Rank rank, const Iov& pieces, const Update& update) {
  const WriteRecord record = record_of(update);
  for (std::size_t i = 0; i < pieces.to.size();) {
    net.flush().await_room(rank, update.call);
    const Lock locked(net.links().lock());
    i += append_pieces(net.link_to(rank), {rank, sender()}, record,
                       {pieces.to.subspan(i), pieces.from.subspan(i), pieces.bytes});
  }
  const Lock locked(net.links().lock());
  net.link_to(rank).offer();
}

detail::Request* start_in_packets(const Operation& what, Finish finish) {
  if (what.verb == Verb::get) return start_get(what, finish);
  Network& net = *net::network();
  if (what.is_list()) {
    for (const Iov& pieces : what.lists)
      if (pieces.bytes != 0 && !pieces.to.empty())
        append_lists(net, what.rank, pieces, what.update);
  } else if (what.verb == Verb::put && what.is_one_piece()) {
    put_in_packets(net, what.rank, what.to, what.from, what.subarray.row_bytes, what.call());
  } else {
    append_subarray(net, what);
  }
  return nullptr;
}

}  // namespace

const Protocol packet{.name = "packet", .start = start_in_packets, .start_atomic = ask_for_atomic};

}  // namespace armature::rma
