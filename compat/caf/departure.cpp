#include "departure.hpp"

#include <string>

#include <armature/error.hpp>
#include <armature/fence.hpp>
#include <armature/layer/wait.hpp>
#include <armature/put.hpp>

#include "calls.hpp"

// An image that has stopped must not let the others wait for ever: they get stat_stopped_image. So
// it goes on taking part in the synchronizations of its teams, as a ghost. The others tell it from
// the living by a number: that of the first synchronization in which it was one. Each image
// compares it with the number of the synchronization that it has just completed. So all decide
// alike, however fast one of them goes on. A barrier with a list of those who are gone was
// rejected: the library's own is faster, and this one costs a load.

namespace caf {
namespace {

enum class Kind { stopped, failed, left };

std::uint32_t& of_kind(Departure& departure, Kind kind) {
  switch (kind) {
    case Kind::stopped:
      return departure.stopped;
    case Kind::failed:
      return departure.failed;
    case Kind::left:
      return departure.left;
  }
  return departure.left;
}

void tell(const Image& me, TeamOfImages& team, Kind kind, std::uint32_t since) {
  std::uint32_t& mine = of_kind(team.departures[static_cast<std::size_t>(team.team.rank())], kind);
  for (int image = 1; image <= team.size(); ++image) {
    const armature::Rank rank = team.rank_of(image);
    try {
      armature::put(armature::global_ptr<std::uint32_t>(rank, at_rank(me, &mine, rank)), since);
      if (kind != Kind::left)
        armature::put(
            armature::global_ptr<std::uint32_t>(rank, at_rank(me, team.is_anyone_gone, rank)), 1U);
      armature::layer::wake(rank);
    } catch (const armature::Error& error) {
      if (error.code() != armature::Errc::rank_lost) throw;  // the dead need not know
    }
  }
  armature::fence_all();
}

std::uint32_t seen(const std::uint32_t& word) { return __atomic_load_n(&word, __ATOMIC_ACQUIRE); }

bool has_begun(const std::uint32_t& since, std::uint32_t now) {
  const std::uint32_t first = seen(since);
  return first != 0 && first <= now;
}

bool is_anyone_here(const TeamOfImages& team) {
  for (int member = 0; member < team.size(); ++member) {
    const Departure& departure = team.departures[static_cast<std::size_t>(member)];
    if (!has_begun(departure.stopped, team.synchronizations) &&
        !has_begun(departure.failed, team.synchronizations) &&
        !has_begun(departure.left, team.synchronizations))
      return true;
  }
  return false;
}

[[noreturn]] void refuse_gone(int image, bool has_failed) {
  refuse("image " + std::to_string(image) + (has_failed ? " has failed" : " has stopped"),
         has_failed ? stat::failed_image : stat::stopped_image);
}

/// Throws for an image that has stopped first, and for one that has failed then (Fortran
/// 2018, 11.6.11).
void require_members_until(const TeamOfImages& team, std::uint32_t now) {
  int failed = 0;
  for (int image = 1; image <= team.size(); ++image) {
    const Departure& departure = team.departures[static_cast<std::size_t>(image) - 1];
    if (has_begun(departure.stopped, now)) refuse_gone(image, false);
    if (failed == 0 && has_begun(departure.failed, now)) failed = image;
  }
  if (failed != 0) refuse_gone(failed, true);
}

/// Synchronizes with those who are still there, until there are none.
void haunt(TeamOfImages& team) {
  do {
    try {
      team.team.barrier();
    } catch (const armature::Error& error) {
      if (error.code() == armature::Errc::rank_lost) return;
      continue;  // another collective of the others, which cannot be without this image
    }
    ++team.synchronizations;
  } while (is_anyone_here(team));
}

}  // namespace

void synchronize(TeamOfImages& team) {
  try {
    team.team.barrier();
  } catch (const armature::Error&) {
    // An image that is gone has met a collective of the others with a barrier, which is noticed
    // here.
    require_members(team);
    throw;
  }
  ++team.synchronizations;
  if (seen(*team.is_anyone_gone) != 0) require_members_until(team, team.synchronizations);
}

void require_members(const TeamOfImages& team) {
  if (seen(*team.is_anyone_gone) != 0) require_members_until(team, UINT32_MAX);
}

void depart(Image& me, Ending ending) {
  me.is_gone = true;
  const Kind kind = ending == Ending::stopped ? Kind::stopped : Kind::failed;
  for (TeamOfImages* team = me.current; team != nullptr; team = team->parent)
    tell(me, *team, kind, team->synchronizations + 1);
  for (TeamOfImages* team = me.current; team != nullptr; team = team->parent) haunt(*team);
}

void leave_team(Image& me) { tell(me, *me.current, Kind::left, me.current->synchronizations + 1); }

void return_to_team(Image& me, TeamOfImages& team) {
  const Departure& mine = team.departures[static_cast<std::size_t>(team.team.rank())];
  if (seen(mine.left) != 0) tell(me, team, Kind::left, 0);
}

int status_of(const TeamOfImages& team, int image) {
  const Departure& departure = team.departures[static_cast<std::size_t>(image) - 1];
  if (seen(departure.failed) != 0) return stat::failed_image;
  return seen(departure.stopped) != 0 ? stat::stopped_image : 0;
}

}  // namespace caf
