#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "armature/detail/export.hpp"
#include "armature/layer/message.hpp"
#include "armature/rank.hpp"
#include "armature/team.hpp"

// The part of a layer in ranks and processes: records of its own, and the fate of its state of a
// rank when the rank moves, is written, or dies. All processes of a job add the same services in
// the same order, since records name them by their places in that order.

namespace armature::layer {

/// A record that has come; its bytes are gone when its handler returns.
struct Record {
  Rank from, to;
  std::span<const std::byte> bytes;
};
/// Handles one kind of record, as rank `to`: on a thread that is in a call of this library for that
/// rank, wherever the rank is. So a record is handled when its rank waits, polls or sends one next.
/// Those of a rank are handled one at a time, of each sender in the order in which it sent them. It
/// may send records and change memory, but not wait; an exception ends the process.
using Handler = void (*)(const Record& record);

/// Any function may be nullptr: then there is nothing to do. What is said to be outside of ranks is
/// called while the rank does not run, and may call nothing of this library. An exception of any of
/// them ends the process.
struct Service {
  /// Unlike that of other services. It must live as long as the process.
  const char* name = nullptr;
  /// Indexed by the kinds of records, which are numbered from 0.
  std::vector<Handler> handlers = {};

  /// Called as rank `me` whenever it waits, and each time before it sleeps: whether it did
  /// something. It must not block. Once it has returned true it is called again soon.
  bool (*poll)(Rank me) = nullptr;
  /// Called as rank `me`, once for each rank that has died, in a job that goes on after deaths. No
  /// record of that one comes any more, but for those that are here already.
  void (*rank_failed)(Rank me, Rank failed) = nullptr;
  /// Outside of ranks: all ranks are quiescent, to be moved, written or brought back. What is on
  /// its way between nodes may still come. Whether nothing of the layer's own is under way in this
  /// process that has to end before (a thread that writes, say). Asked again and again.
  bool (*quiesce)() = nullptr;
  /// Outside of ranks, on several nodes: what is kept here of other ranks means nothing any more,
  /// as they change nodes, or go back to what they were. May be called several times.
  void (*reset)() = nullptr;

  // Outside of ranks; what is kept of a rank in the process's memory goes with the rank
  // (armci-on-charm-2006, 3): to another process, into checkpoints and back. Nothing comes for the
  // rank between these calls.
  /// Appends it for unpack_rank, which another process may call. unpack_rank is not called if
  /// nothing was appended. forget comes next. If the rank's segment has no room for the bytes,
  /// nothing comes next: the rank stays, and is not written, and the caller that wanted that gets
  /// an error.
  void (*pack_rank)(Rank rank, std::vector<std::byte>& to) = nullptr;
  void (*unpack_rank)(Rank rank, std::span<const std::byte> from) = nullptr;
  /// The rank has left the process or the job, or goes back to what it was. There may be nothing.
  void (*forget)(Rank rank) = nullptr;
};

/// Names a service of this process.
enum class ServiceId : std::uint32_t {};

/// Called by every process of the job, in the same order, before armature::run. Throws
/// Error(misuse) afterwards, and for a name that there is already. A process whose services are
/// others than the job's does not join: Error(start), which says so.
ARMATURE_API ServiceId add_service(const Service& service);

/// Sends a record of that kind to a rank, wherever that is; the bytes may be reused when it
/// returns. They are of any length; a short record (up to 8 KiB) costs no allocation while there is
/// room on the way. Called by a rank, and by its handlers, which never wait for room. Returns false
/// where `to` has died, in a job that goes on after deaths. What is not handled when a rank leaves
/// the job is dropped: a layer meets before. Throws Error(bad_rank),
/// Error(bad_argument) for a kind that there is not, Error(out_of_memory), and Error(misuse)
/// where `to` has left the job and outside run().
[[nodiscard]] ARMATURE_API bool send_record(ServiceId service, std::uint8_t kind, Rank to,
                                            std::span<const std::byte> bytes);

/// The context of that service's messages, the same at all ranks.
[[nodiscard]] ARMATURE_API Context context_of(ServiceId service);
/// A context for the messages of a team, unlike all others that its members have. Collective over
/// the team; all members get the same. Throws Error(out_of_memory) at all of them when 2^31 less
/// 65536 have been made.
[[nodiscard]] ARMATURE_API Context make_context(const Team& team);

}  // namespace armature::layer
