#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "armature/rank.hpp"
#include "transport/packet.hpp"

// How a room sends records of its own. It numbers their kinds in an enumeration, describes itself
// as one Service, and says of each kind who handles it. Links know the services of their process by
// their places in a list, which is the same in all processes of a job: a record names that place.
// Of what records mean, links know nothing.

namespace armature::transport {

/// A record that has come; its bytes are gone when its handler returns.
struct Arrived {
  int process;  // which has sent it
  Record record;
  std::span<const std::byte> body;
  std::span<const std::byte> lent;  // what the sender did not copy

  /// The fixed part of the body. Throws Error(corrupt) when it is not there.
  template <class T>
  [[nodiscard]] T head() const {
    T value;
    require(sizeof value);
    std::memcpy(static_cast<void*>(&value), body.data(), sizeof value);
    return value;
  }
  /// The bytes behind a fixed part of that length: in the body, or else what was lent.
  [[nodiscard]] std::span<const std::byte> rest(std::size_t head_bytes) const {
    require(head_bytes);
    return lent.empty() ? body.subspan(head_bytes) : lent;
  }
  void require(std::size_t bytes) const;
};
using Handler = void (*)(const Arrived& arrived);

/// The number of a kind of record, which an enumerator of its room names.
template <class Kind>
requires std::is_enum_v<Kind>
constexpr std::uint8_t number_of(Kind kind) { return static_cast<std::uint8_t>(kind); }

/// The handling of one kind of record. A kind without a handling is passed over.
struct Handling {
  std::uint8_t kind = 0;
  Handler handler = nullptr;
  /// A rank itself sends it, and what it sends next must not come before; else its process does,
  /// for others.
  bool is_of_rank = false;
  /// It is handled even where all else that comes is of no use any more (Link::ignore).
  bool is_never_ignored = false;
};

/// Functions are called under the links' lock unless said otherwise; nullptr: there is nothing to
/// do.
struct Service {
  const char* name;            // unlike others'
  std::uint8_t records_count;  // kinds of records, numbered from 0
  /// Who handles them: tables of the room's components.
  static constexpr std::size_t tables_max = 6;
  std::array<std::span<const Handling>, tables_max> handlers = {};
  /// Looks at what no record tells of, whenever the network is polled; whether that is wanted again
  /// soon.
  bool (*poll)() = nullptr;
  /// That process cannot be reached any more.
  void (*peer_failed)(int process) = nullptr;
  /// Ranks have let go of all to go to other nodes, or roll back to what they were: what is kept of
  /// any here means nothing any more. No rank of this process runs; may be told several times.
  void (*reset)() = nullptr;
  /// Behind `reset`, when it has been told in all processes: others have nothing any more that they
  /// were given.
  void (*let_go)() = nullptr;
  /// All ranks quiesce: whether nothing of this service is under way that must end before they
  /// change places or are written. Asked again and again.
  bool (*quiesce)() = nullptr;

  // State of a rank that the process keeps in its memory moves with the rank (armci-on-charm-2006,
  // 3): to another process, into checkpoints and back. These functions are called without the lock,
  // by the thread that runs ranks of this process, while that rank does not run.
  /// Whether there is something; where no service says so, nothing is packed. Called on the rank's
  /// own stack: it reads, and neither allocates nor waits.
  bool (*keeps)(Rank rank) = nullptr;
  /// Appends it, for unpack_rank, in whatever process that will be called. `forget` comes next.
  void (*pack_rank)(Rank rank, std::vector<std::byte>& to) = nullptr;
  void (*unpack_rank)(Rank rank, std::span<const std::byte> from) = nullptr;
  /// The rank has left the process or the job, or rolls back to what it was. There may be nothing.
  void (*forget)(Rank rank) = nullptr;
};

/// A kind of record as its sender names it: by the enumeration of a room, which has a
/// `service_of(Kind)` beside it.
struct RecordOf {
  template <class Kind>
  requires std::is_enum_v<Kind>
  constexpr RecordOf(Kind kind)  // NOLINT(google-explicit-constructor): names are used as they are
      : service(&service_of(kind)), number(static_cast<std::uint8_t>(kind)) {}

  const Service* service;
  std::uint8_t number;
};

/// The links' own, which is the first of every list.
extern const Service link_service;
constexpr const Service& service_of(Kind) { return link_service; }

}  // namespace armature::transport
