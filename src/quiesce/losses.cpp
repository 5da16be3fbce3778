#include "quiesce/losses.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <mutex>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/process_memory.hpp"
#include "base/runtime.hpp"
#include "base/simulated.hpp"
#include "quiesce/wire.hpp"
#include "wait/processes.hpp"

namespace armature::quiesce {

namespace {

/// The process's view, under the links' lock.
struct Known {
  std::uint64_t entered = 0;
  std::vector<std::uint64_t> told =  // by process: what it has entered last
      std::vector<std::uint64_t>(static_cast<std::size_t>(network()->links().processes()));
};

Known& known() { return base::state<Known>(); }

std::uint64_t number_of(std::span<const std::int32_t> lost) {
  std::uint64_t number = 0;
  for (const std::int32_t process : lost) {
    number = (number ^ static_cast<std::uint64_t>(process + 1)) * 0x9e37'79b9'7f4a'7c15;
    number ^= number >> 29;
  }
  return number;
}

/// The others have gone on without this process.
void end_this_process() {
  if (base::simulated.die != nullptr) base::simulated.die();
  kill(getpid(), SIGKILL);
}

/// Somewhere they may have left or come, elsewhere not: so that all agree, all do without them.
void lose_those_who_change(const space::Mapping& mapping) {
  space::ControlHeader& job = mapping.header();
  for (int process = 0; process < static_cast<int>(job.processes); ++process)
    if (wait::is_changing(job.quiesce, mapping.process_slot(process)))
      wait::lose_process({reinterpret_cast<std::byte*>(&job)}, process);
}

std::vector<std::int32_t> lost_processes(const space::Mapping& mapping) {
  const base::ProcessMemory kept;
  std::vector<std::int32_t> lost;
  for (int process = 0; process < static_cast<int>(mapping.header().processes); ++process)
    if (wait::is_lost(mapping.process_slot(process))) lost.push_back(process);
  return lost;
}

void on_lost(const Arrived& arrived) {
  const auto bytes = arrived.rest(0);
  std::vector<std::int32_t> lost(bytes.size() / sizeof(std::int32_t));
  std::memcpy(lost.data(), bytes.data(), lost.size() * sizeof(std::int32_t));
  const space::Mapping& mapping = network()->mapping();
  for (const std::int32_t process : lost) {
    if (process < 0 || process >= network()->links().processes())
      base::fail(Errc::corrupt,
                 fmt::format("process {} tells of process {}", arrived.process, process));
    if (process == network()->links().process()) end_this_process();
    wait::lose_process({reinterpret_cast<std::byte*>(&mapping.header())}, process);
  }
  Known& all = known();
  all.told[static_cast<std::size_t>(arrived.process)] = number_of(lost);
  if (number_of(lost) == all.entered) network()->links().to(arrived.process).ignore(false);
}

}  // namespace

std::uint64_t number_of_losses() { return known().entered; }

void know_losses(const space::Mapping& mapping) {
  const std::vector<std::int32_t> lost = lost_processes(mapping);
  const Links::Lock locked(network()->links().lock());
  known().entered = number_of(lost);
}

std::uint32_t enter_losses(const space::Mapping& mapping) {
  lose_those_who_change(mapping);
  const std::vector<std::int32_t> lost = lost_processes(mapping);
  const auto bytes = std::as_bytes(std::span(lost));
  Links& links = network()->links();
  const Links::Lock locked(links.lock());
  // Others of this node have been told that this process is lost.
  if (std::ranges::find(lost, links.process()) != lost.end()) end_this_process();
  Known& all = known();
  all.entered = number_of(lost);
  network()->forget_ranks();
  for (const int process : network()->others()) {
    Link& link = links.to(process);
    if (std::ranges::find(lost, process) != lost.end()) {
      links.give_up(process, "others have lost it");
      continue;
    }
    link.ignore(all.told[static_cast<std::size_t>(process)] != all.entered);
    std::byte* const body = link.append(Kind::lost, -1, -1, bytes.size(), Link::Ack::none);
    std::memcpy(body, bytes.data(), bytes.size());
    link.flush();
  }
  return static_cast<std::uint32_t>(lost.size());
}

bool all_have_entered(const space::Mapping& mapping) {
  const Links::Lock locked(network()->links().lock());
  const Known& all = known();
  return std::ranges::all_of(network()->others(), [&](int process) {
    return network()->links().to(process).queued() == 0 &&
           (wait::is_gone(mapping.process_slot(process)) ||
            all.told[static_cast<std::size_t>(process)] == all.entered);
  });
}

bool somebody_has_left(const space::Mapping& mapping) {
  return std::ranges::any_of(network()->others(), [&](int process) {
    return !wait::is_gone(mapping.process_slot(process)) &&
           network()->links().to(process).said_bye();
  });
}

const std::array<transport::Handling, 1> loss_handlers{{
    {.kind = transport::number_of(Kind::lost), .handler = on_lost, .is_never_ignored = true},
}};

}  // namespace armature::quiesce
