#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

// The format of what travels between two processes: packets, each a header and records behind it. A
// record says which service it is for and what it is there, for which rank, and from which. Its
// body is the business of that service. Records of one process to one other arrive in the order in
// which they were sent.

namespace armature::transport {

struct PacketHeader {
  static constexpr std::uint32_t wants_ack = 1;  // something in it must be known to have arrived
  static constexpr std::uint32_t ack_soon = 2;   // somebody may be waiting for just that

  std::uint64_t sum = 0;           // see packet_sum()
  std::uint32_t sequence = 0;      // counts this process's packets to that one
  std::uint32_t acknowledged = 0;  // up to this one of the other's have been handled
  std::int32_t process = 0;        // the sender
  std::uint32_t flags = 0;
};
static_assert(sizeof(PacketHeader) == 24);

/// The circumstances of a packet that its bytes do not tell.
struct PacketScope {
  std::uint64_t secret;    // of the job
  std::int32_t to;         // the process that it is for
  std::size_t lent_bytes;  // what travels behind it, from where it lies
};

/// The sum of a packet without what is lent behind it: of all bytes behind the sum itself, and of
/// its scope. A packet with another sum comes from who does not know the job's secret, was for
/// another process, or was changed on its way. It keeps out strangers and mistakes, not who reads
/// the network and computes.
[[nodiscard]] std::uint64_t packet_sum(std::span<const std::byte> packet, const PacketScope& scope);

/// Records of the links themselves, which are service 0 in every process.
enum class Kind : std::uint8_t {
  none,  // of a packet that only acknowledges
  hello,
  over,  // no process of the sender's part of the job begins anything more (net/farewell.hpp)
  bye,   // nothing more will come
  count,
};

/// The kind of a record, as it travels.
struct RecordKind {
  std::uint8_t service = 0;  // by its place in the list of services (service.hpp)
  std::uint8_t number = 0;   // of that service's kinds of records
  friend bool operator==(RecordKind, RecordKind) = default;
};

struct Record {
  RecordKind kind;
  std::uint16_t filler = 0;  // bytes behind the body, up to a multiple of 8
  std::uint32_t bytes = 0;   // this and the body, without what the packet's sender lent
  std::int32_t from = -1;
  std::int32_t to = -1;
};
static_assert(sizeof(Record) == 16);

}  // namespace armature::transport
