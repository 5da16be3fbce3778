#include "team/kernel_reads.hpp"

#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "wait/wait.hpp"

namespace armature::team {

using detail::TeamState;
using message::FasterWay;

namespace {

/// Whether all could be read.
bool copy_from(pid_t process, std::byte* to, const std::byte* from, std::size_t bytes) {
  while (bytes > 0) {
    const iovec local{to, bytes}, remote{const_cast<std::byte*>(from), bytes};
    const ssize_t done = process_vm_readv(process, &local, 1, &remote, 1, 0);
    if (done <= 0) return false;
    to += done;
    from += done;
    bytes -= static_cast<std::size_t>(done);
  }
  return true;
}

pid_t process_of(const TeamState& team, std::int32_t rank) {
  return team.space().slot(rank).pid.load(std::memory_order_relaxed);
}

/// A process that may read another one of the job may be read by it, unless it hides its memory.
bool can_read_another(const TeamState& team) {
  const char* const setting = std::getenv("ARMATURE_KERNEL_COPY");
  if (setting != nullptr && std::string_view(setting) == "off") return false;
  if (prctl(PR_GET_DUMPABLE) != 1) return false;
  const pid_t own = getpid();
  const auto other = std::ranges::find_if(
      team.members(), [&](std::int32_t rank) { return process_of(team, rank) != own; });
  std::uint64_t word = 0;
  // The block lies at the same address in all.
  return other != team.members().end() &&
         copy_from(process_of(team, *other), reinterpret_cast<std::byte*>(&word),
                   reinterpret_cast<const std::byte*>(&team.block()), sizeof word);
}

/// The findings of this process. Several of its threads may be ranks.
struct KernelReads {
  std::mutex one_at_a_time;
  std::optional<bool> are_allowed;
  std::array<FasterWay, static_cast<std::size_t>(RoundKind::meeting)> ways;  // of each kind
};

}  // namespace

std::optional<FasterWay::Way> choose_way(const TeamState& team, RoundKind kind, std::size_t bytes) {
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

void read_by_kernel(const TeamState& team, std::byte* to, const std::byte* from, std::size_t bytes,
                    std::int32_t rank, const char* call) {
  const bool is_read = copy_from(process_of(team, rank), to, from, bytes);
  const int error = errno;
  const bool is_dead =
      team.space().slot(rank).life.load(std::memory_order_acquire) == space::Life::dead;
  if (is_read && !is_dead) return;  // else another process may have its number
  // Another member may have died, so that this one has given up, and its memory.
  team.deaths().require_all_alive(call);
  if (!is_read && error == EFAULT)
    base::fail(Errc::bad_argument,
               fmt::format("{}: {} bytes at {} of rank {} cannot be read: is that its buffer?",
                           call, bytes, static_cast<const void*>(from), rank));
  if (!is_read && error != ESRCH && !is_dead)
    base::fail(Errc::misuse,
               fmt::format("{}: the kernel does not let this rank read memory of rank {} ({}): set "
                           "ARMATURE_KERNEL_COPY=off",
                           call, rank, std::strerror(error)));
  // The process has died: the job learns of it soon.
  wait::WaitFor wait{.what = space::Awaiting::collective,
                     .members = team.members(),
                     .team = team.id(),
                     .object = &team.block(),
                     .detail = team.lines().round(),
                     .is_notified = false,
                     .call = call};
  wait::wait_until(wait, [] { return false; });
}

}  // namespace armature::team
