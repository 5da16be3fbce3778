#include "armature/checkpoint.hpp"

#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "armature/future.hpp"
#include "armature/rmi.hpp"
#include "armature/world.hpp"
#include "base/fail.hpp"
#include "progress/processes.hpp"
#include "progress/rank_context.hpp"
#include "progress/wait.hpp"
#include "virtual/addresses.hpp"

namespace armature {
namespace {

constexpr const char* call = "checkpoint";

std::string directory_or_default(const std::string& directory) {
  const char* const given = std::getenv("ARMATURE_CHECKPOINT");
  std::string chosen = !directory.empty() ? directory : given != nullptr ? given : "";
  if (chosen.empty())
    base::fail(Errc::bad_argument,
               "checkpoint: no directory is given, neither here nor by armature run --checkpoint");
  if (chosen.size() > space::Halt::text_max / 2)
    base::fail(Errc::bad_argument, "checkpoint: the name of the directory is too long");
  return chosen;
}

void require_that_it_can_be(const space::ControlHeader& job) {
  if (job.ranks_are_virtual == 0)
    base::fail(Errc::misuse,
               "checkpoint: only virtual ranks can be written (armature run --virtual)");
  progress::WaitFor wait{.what = space::Awaiting::completion, .rings = false, .call = call};
  progress::wait_until(wait,
                       [&] { return job.joined.load(std::memory_order_acquire) >= job.processes; });
  if (const char* why = fibers::why_not_move(job))
    base::fail(Errc::misuse, fmt::format("checkpoint: {}", why));
}

/// By one rank: from now on nobody else asks for one. Returns its number.
std::uint32_t take_turn(space::Halt& halt) {
  progress::WaitFor wait{.what = space::Awaiting::completion, .rings = false, .call = call};
  progress::wait_until(wait, [&] {
    std::uint32_t nobody = 0;
    return halt.asked.compare_exchange_strong(nobody, 1, std::memory_order_acq_rel);
  });
  return halt.over.load(std::memory_order_acquire) + 1;
}

}  // namespace

bool checkpoint(const std::string& directory) {
  const progress::RankContext& me = progress::this_rank(call);
  space::ControlHeader& job = me.space.header();
  const std::string chosen = directory_or_default(directory);
  require_that_it_can_be(job);
  const World& world = *me.world;
  rmi_fence();
  space::Halt& halt = job.halt;
  const std::uint32_t restarts = halt.restarts;
  const bool asks = me.space.me() == 0;
  // Everybody knows the number before the first process stands.
  const std::uint32_t number = world.broadcast(asks ? take_turn(halt) : 0, 0);
  world.barrier();
  if (asks) {
    std::memcpy(halt.folder, chosen.c_str(), chosen.size() + 1);
    halt.wanted.store(number, std::memory_order_release);
    progress::wake_processes({reinterpret_cast<std::byte*>(&job)});
  }
  const auto reached = [number](const std::atomic<std::uint32_t>& count) {
    return static_cast<std::int32_t>(count.load(std::memory_order_acquire) - number) >= 0;
  };
  progress::WaitFor wait{.what = space::Awaiting::completion, .rings = false, .call = call};
  progress::wait_until(
      wait, [&] { return reached(halt.over) || job.deaths.load(std::memory_order_acquire) != 0; });
  if (!reached(halt.over)) base::fail(Errc::rank_lost, "checkpoint: a rank has died");
  if (halt.failed.load(std::memory_order_relaxed) == number)
    base::fail(Errc::corrupt, fmt::format("checkpoint: {}", halt.problem));
  return halt.restarts != restarts;
}

}  // namespace armature
