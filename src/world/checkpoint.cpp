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

struct Wanted {
  const char* call;
  space::KeptIn where;
  std::string directory;
};

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

void require_that_it_can_be(const space::ControlHeader& job, const char* call) {
  if (job.ranks_are_virtual == 0)
    base::fail(Errc::misuse,
               fmt::format("{}: only virtual ranks can be written (armature run --virtual)", call));
  progress::WaitFor wait{.what = space::Awaiting::completion, .rings = false, .call = call};
  progress::wait_until(wait, [&] { return job.all_have_joined(); });
  if (const char* why = fibers::why_not_move(job))
    base::fail(Errc::misuse, fmt::format("{}: {}", call, why));
}

/// By one rank: from now on nobody else asks for one. Returns its number.
std::uint32_t take_turn(space::Halt& halt, const char* call) {
  progress::WaitFor wait{.what = space::Awaiting::completion, .rings = false, .call = call};
  progress::wait_until(wait, [&] {
    std::uint32_t nobody = 0;
    return halt.asked.compare_exchange_strong(nobody, 1, std::memory_order_acq_rel);
  });
  return halt.over.load(std::memory_order_acquire) + 1;
}

/// How often ranks have gone on from an earlier state.
std::uint32_t returns(const space::Halt& halt) {
  return halt.restarts + halt.recoveries.load(std::memory_order_relaxed);
}

void ask(space::ControlHeader& job, const Wanted& wanted, std::uint32_t number) {
  std::memcpy(job.halt.folder, wanted.directory.c_str(), wanted.directory.size() + 1);
  job.halt.where.store(wanted.where, std::memory_order_relaxed);
  job.halt.wanted.store(number, std::memory_order_release);
  progress::wake_processes({reinterpret_cast<std::byte*>(&job)});
}

bool stand_still(const progress::RankContext& me, const Wanted& wanted) {
  space::ControlHeader& job = me.space.header();
  require_that_it_can_be(job, wanted.call);
  const World& world = *me.world;
  rmi_fence();
  space::Halt& halt = job.halt;
  const std::uint32_t before = returns(halt);
  const bool asks = me.space.me() == 0;
  // Everybody knows the number before the first process stands.
  const std::uint32_t number = world.broadcast(asks ? take_turn(halt, wanted.call) : 0, 0);
  world.barrier();
  if (asks) ask(job, wanted, number);
  const auto reached = [number](const std::atomic<std::uint32_t>& count) {
    return static_cast<std::int32_t>(count.load(std::memory_order_acquire) - number) >= 0;
  };
  progress::WaitFor wait{.what = space::Awaiting::completion, .rings = false, .call = wanted.call};
  progress::wait_until(
      wait, [&] { return reached(halt.over) || job.deaths.load(std::memory_order_acquire) != 0; });
  if (!reached(halt.over))
    base::fail(Errc::rank_lost, fmt::format("{}: a rank has died", wanted.call));
  if (returns(halt) != before) return true;
  if (halt.failed.load(std::memory_order_relaxed) == number)
    base::fail(Errc::corrupt, fmt::format("{}: {}", wanted.call, halt.problem));
  return false;
}

}  // namespace

bool checkpoint(const std::string& directory) {
  constexpr const char* call = "checkpoint";
  const progress::RankContext& me = progress::this_rank(call);
  return stand_still(me, {call, space::KeptIn::folder, directory_or_default(directory)});
}

bool checkpoint_in_memory() {
  constexpr const char* call = "checkpoint_in_memory";
  const progress::RankContext& me = progress::this_rank(call);
  if (me.space.header().keeps_copies == 0) return false;
  return stand_still(me, {call, space::KeptIn::memory, {}});
}

}  // namespace armature
