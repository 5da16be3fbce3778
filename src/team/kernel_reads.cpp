#include "team/kernel_reads.hpp"

#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "base/clock.hpp"
#include "base/runtime.hpp"
#include "base/variable.hpp"
#include "message/copying.hpp"
#include "wait/wait.hpp"

namespace armature::team {

using detail::TeamState;
using message::FasterWay;

namespace {

pid_t process_of(const TeamState& team, std::int32_t rank) {
  return team.space().slot(rank).pid.load(std::memory_order_relaxed);
}

bool copy_from(pid_t process, std::byte* to, const std::byte* from, std::size_t bytes) {
  const iovec source{const_cast<std::byte*>(from), bytes}, target{to, bytes};
  return message::copy_by_kernel(process, {&source, 1}, message::Cursor({&target, 1}));
}

/// A process that may read another one of the job may mostly be read by it, unless it hides its
/// memory. Where it may not, stop_kernel_reads() follows. What it reads is a number that it shows
/// in the team's block. So a process of another job, which has that number where processes have
/// numbers of their own (namespaces), is not taken for a member.
bool can_read_another(TeamState& team) {
  if (base::is_off("ARMATURE_KERNEL_COPY") || prctl(PR_GET_DUMPABLE) != 1) return false;
  const pid_t own = getpid();
  const auto other = std::ranges::find_if(
      team.members(), [&](std::int32_t rank) { return process_of(team, rank) != own; });
  if (other == team.members().end()) return false;
  const std::uint64_t number = base::now_ns() ^ static_cast<std::uint64_t>(own) << 40;
  std::byte* const shown = team.lines().outgoing(sizeof number);
  std::memcpy(shown, &number, sizeof number);
  std::uint64_t read = 0;
  // The block lies at the same address in all.
  return copy_from(process_of(team, *other), reinterpret_cast<std::byte*>(&read), shown,
                   sizeof read) &&
         read == number;
}

/// The findings of this process. Several of its threads may be ranks.
struct KernelReads {
  std::mutex one_at_a_time;
  std::optional<bool> are_allowed;
  std::array<FasterWay, static_cast<std::size_t>(RoundKind::meeting)> ways;  // of each kind
};

}  // namespace

std::optional<FasterWay::Way> choose_way(TeamState& team, RoundKind kind, std::size_t bytes) {
  KernelReads& known = base::state<KernelReads>();
  const std::lock_guard lock(known.one_at_a_time);
  if (!known.are_allowed) known.are_allowed = can_read_another(team);
  if (!*known.are_allowed) return std::nullopt;
  return known.ways[static_cast<std::size_t>(kind)].choose(bytes);
}

void note_way(RoundKind kind, FasterWay::Way way, std::size_t bytes, std::uint64_t ns) {
  KernelReads& known = base::state<KernelReads>();
  const std::lock_guard lock(known.one_at_a_time);
  known.ways[static_cast<std::size_t>(kind)].note(way, bytes, ns);
}

void stop_kernel_reads() {
  KernelReads& known = base::state<KernelReads>();
  const std::lock_guard lock(known.one_at_a_time);
  known.are_allowed = false;
}

bool read_by_kernel(const TeamState& team, std::byte* to, const std::byte* from, std::size_t bytes,
                    std::int32_t rank, const char* call) {
  const bool is_read = copy_from(process_of(team, rank), to, from, bytes);
  const bool is_gone = !is_read && errno == ESRCH;
  const bool is_dead =
      team.space().slot(rank).life.load(std::memory_order_acquire) == space::Life::dead;
  if (is_read && !is_dead) return true;  // else another process may have its number
  // Another member may have died, so that this one has given up, and its memory.
  team.deaths().require_all_alive(call);
  if (!is_gone) return false;
  // The process has died: the job learns of it soon.
  wait::WaitFor wait{.what = space::Awaiting::collective,
                     .members = team.members(),
                     .team = team.id(),
                     .object = &team.block(),
                     .detail = team.lines().round(),
                     .is_notified = false,
                     .call = call};
  wait::wait_until(wait, [] { return false; });
  return false;
}

}  // namespace armature::team
