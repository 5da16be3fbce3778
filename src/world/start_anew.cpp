#include "world/start_anew.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "armature/error.hpp"
#include "base/fail.hpp"
#include "bootstrap/environment.hpp"
#include "progress/rank_context.hpp"
#include "virtual/addresses.hpp"
#include "virtual/checkpoint/folder.hpp"
#include "world/change_nodes.hpp"

namespace armature::hosting {
namespace {

using space::StartAnew;

void tell_problem(space::Resize& resize, std::string_view what) {
  if (constexpr std::string_view start = "armature: "; what.starts_with(start))
    what.remove_prefix(start.size());
  const std::size_t bytes = std::min(what.size(), sizeof resize.problem - 1);
  std::memcpy(resize.problem, what.data(), bytes);
  resize.problem[bytes] = '\0';
  // Release: who sees it reads why.
  resize.anew.store(StartAnew::failed, std::memory_order_release);
}

bool may_be_anew(const space::ControlHeader& job) {
  return job.nodes > 1 && job.ranks_are_virtual != 0;
}

}  // namespace

void note_meeting(space::ControlHeader& job) {
  std::atomic<std::uint32_t>& has_met = job.resize.has_met;
  if (has_met.load(std::memory_order_relaxed) == 0) has_met.store(1, std::memory_order_relaxed);
}

std::string begin_anew(const space::Mapping& mapping) {
  space::ControlHeader& job = mapping.header();
  if (!may_be_anew(job)) return {};
  space::Resize& resize = job.resize;
  StartAnew wanted = StartAnew::wanted;
  if (resize.anew.load(std::memory_order_relaxed) != wanted ||
      !resize.anew.compare_exchange_strong(wanted, StartAnew::begun, std::memory_order_acq_rel))
    return {};
  try {
    if (const char* const why = fibers::why_not_start_anew(job)) base::fail(Errc::misuse, why);
    return checkpoints::make_folder(std::getenv(bootstrap::resize_variable));
  } catch (const Error& error) {
    tell_problem(resize, error.what());
    return {};
  }
}

void start_anew(const World& world, const std::string& folder, const char* call) {
  const space::ControlHeader& job = progress::mapping(call).header();
  const std::uint32_t restarts = job.halt.restarts;
  std::string problem;
  try {
    (void)write_and_end(world, folder, call);
    if (job.halt.restarts != restarts) return;
    problem = job.halt.problem;
  } catch (const Error& error) {
    problem = error.what();
    if (world.rank() == 0) checkpoints::abandon(folder);
  }
  if (world.rank() == 0) tell_problem(progress::mapping(call).header().resize, problem);
}

bool start_anew_if_wanted(const World& world, const char* call) {
  const space::Mapping& mapping = progress::mapping(call);
  space::ControlHeader& job = mapping.header();
  if (!may_be_anew(job)) return false;
  note_meeting(job);
  const std::uint32_t restarts = job.halt.restarts;
  const std::string folder = world.rank() == 0 ? begin_anew(mapping) : std::string();
  const std::uint8_t begins = folder.empty() ? 0 : 1;
  if (world.broadcast(begins, 0) != 0) start_anew(world, folder, call);
  return job.halt.restarts != restarts;
}

}  // namespace armature::hosting
