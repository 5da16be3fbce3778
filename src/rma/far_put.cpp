// Puts and accumulates to other nodes. Small ones are copied into a packet, where several gather
// while an earlier packet is under way. Long ones become a stream (write_stream.hpp); a blocking
// call begins one and waits for it.
#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "rma/by_engine.hpp"
#include "rma/far.hpp"
#include "rma/write_stream.hpp"
#include "wait/all_of.hpp"

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
                    const Section& section, const FarUpdate& update) {
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

}  // namespace

namespace {

Section row_of(std::size_t bytes) {
  Section row;
  row.row_bytes = bytes;
  return row;
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

/// Whether the section was short enough to be copied into packets, and has been.
bool copied(Network& net, Rank rank, void* to, const void* from, const Section& section,
            const FarUpdate& update) {
  if (!is_copied(bytes_of(section))) return false;
  for_each_row(
      static_cast<std::byte*>(to), static_cast<const std::byte*>(from), section.outer(),
      [&](std::byte* t, const std::byte* f) { append_section(net, rank, t, f, section, update); });
  const Lock locked(net.links().lock());
  net.link_to(rank).offer();
  return true;
}

/// Copies a list of short pieces into packets.
void copy_pieces(Network& net, Rank rank, const Segments& pieces, const FarUpdate& update) {
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

template <class Write, class... Arguments>
detail::Request* begin_later(std::size_t bytes, const Arguments&... arguments) {
  wait::make_room_for_operation(bytes, "put");
  auto write = std::make_unique<LaterWrite<Write>>(arguments...);
  write->count(bytes);
  write->begin(Network::Start::beside);
  return write.release();
}

}  // namespace

void put_far(Network& net, Rank rank, void* to, const void* from, std::size_t bytes,
             const char* call) {
  if (is_copied(bytes))
    return append_put(net, rank, static_cast<std::byte*>(to), static_cast<const std::byte*>(from),
                      bytes, call);
  if (put_by_engine(net, rank, to, from, bytes, call)) return;
  SectionWrite write(rank, to, from, row_of(bytes), {.call = call});
  write.begin(Network::Start::now);
  write.wait();
}

detail::Request* put_far_later(Network& net, Rank rank, void* to, const void* from,
                               std::size_t bytes, const char* call) {
  if (is_copied(bytes)) {
    put_far(net, rank, to, from, bytes, call);
    return nullptr;
  }
  if (detail::Request* const request = put_by_engine_later(net, rank, to, from, bytes))
    return request;
  return begin_later<SectionWrite>(bytes, rank, to, from, row_of(bytes), FarUpdate{.call = call});
}

void write_far(Network& net, Rank rank, void* to, const void* from, const Section& section,
               const FarUpdate& update) {
  if (copied(net, rank, to, from, section, update)) return;
  SectionWrite write(rank, to, from, section, update);
  write.begin(Network::Start::now);
  write.wait();
}

detail::Request* write_far_later(Network& net, Rank rank, void* to, const void* from,
                                 const Section& section, const FarUpdate& update) {
  if (copied(net, rank, to, from, section, update)) return nullptr;
  return begin_later<SectionWrite>(bytes_of(section), rank, to, from, section, update);
}

void write_far(Network& net, Rank rank, const Segments& pieces, const FarUpdate& update) {
  if (pieces.bytes == 0 || pieces.to.empty()) return;
  if (are_short(pieces.bytes)) return copy_pieces(net, rank, pieces, update);
  ListWrite write(rank, pieces, update);
  write.begin(Network::Start::now);
  write.wait();
}

namespace {

detail::Request* write_list_later(Network& net, Rank rank, const Segments& pieces,
                                  const FarUpdate& update) {
  if (pieces.bytes == 0 || pieces.to.empty()) return nullptr;
  if (are_short(pieces.bytes) && is_copied(pieces.bytes * pieces.to.size())) {
    copy_pieces(net, rank, pieces, update);
    return nullptr;
  }
  return begin_later<ListWrite>(pieces.bytes * pieces.to.size(), rank, pieces, update);
}

}  // namespace

detail::Request* write_far_later(Network& net, Rank rank, std::span<const Segments> lists,
                                 const FarUpdate& update) {
  if (lists.size() == 1) return write_list_later(net, rank, lists[0], update);
  std::vector<Handle> writes;
  for (const Segments& pieces : lists)
    if (detail::Request* const request = write_list_later(net, rank, pieces, update))
      writes.emplace_back(request);
  return wait::all_of(std::move(writes));
}

}  // namespace armature::rma
