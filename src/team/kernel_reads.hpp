#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "message/faster_way.hpp"
#include "team/team_state.hpp"

// Long data of collectives that lie in a process's own memory, read where they are by members of
// other processes of the node (process_vm_readv). That saves the copy into a window. Whether it is
// faster depends on the machine and on the length, so each process tries both.

namespace armature::team {

/// The way by which others read so many bytes of this process in such a call; nullopt: the kernel
/// does not let them read its memory. Before the member shows anything in its next round.
[[nodiscard]] std::optional<message::FasterWay::Way> choose_way(detail::TeamState& team,
                                                                RoundKind kind, std::size_t bytes);
/// Says how long that has taken.
void note_way(RoundKind kind, message::FasterWay::Way way, std::size_t bytes, std::uint64_t ns);

/// From now on other ways are chosen: a member of the team could not read what another one has.
void stop_kernel_reads();

/// Reads from the memory of a member's process. False where the kernel does not let it. Throws
/// Error(rank_lost) where the process has died.
[[nodiscard]] bool read_by_kernel(const detail::TeamState& team, std::byte* to,
                                  const std::byte* from, std::size_t bytes, std::int32_t rank,
                                  const char* call);

}  // namespace armature::team
