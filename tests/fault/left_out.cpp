// left_out 0|1: all ranks make a team of all, but for one, which waits for a notice by the last
// rank, hears instead that somebody has killed that, and leaves the team out: rank 0, which would
// invite the others, or rank 1, when the others have met in the team already. Who gets an error
// says so; then the survivors make a team of themselves.
// left_out mistaken: after that death rank 0 makes another team than the others do.

#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "armature/armature.hpp"

namespace {

using armature::Rank;
using armature::Team;
using armature::World;

void say(const World& world, const std::string& what) {
  std::printf("rank %d: %s\n", static_cast<int>(world.rank()), what.c_str());
  std::fflush(stdout);
}

/// Lists so many, from rank 0 on.
std::vector<Rank> first(int count) {
  std::vector<Rank> ranks;
  for (int i = 0; i < count; ++i) ranks.emplace_back(i);
  return ranks;
}

template <class Call>
void say_how_it_ends(const World& world, Call&& call) {
  try {
    call();
    say(world, "done");
  } catch (const armature::Error& error) {
    const bool lost = error.code() == armature::Errc::rank_lost;
    const bool mistaken = error.code() == armature::Errc::bad_argument;
    say(world, (lost ? "lost: " : mistaken ? "mistaken: " : "wrong: ") + std::string(error.what()));
  }
}

void hear_of_the_death(const World& world) {
  say_how_it_ends(world, [&] { armature::wait_notify(world.size() - 1); });
}

void leave_out(World& world, int who) {
  if (world.rank() == who)
    hear_of_the_death(world);
  else
    say_how_it_ends(world, [&] { (void)Team::create(first(world.size())); });
  const Team survivors = Team::create(first(world.size() - 1));
  say(world, allreduce(survivors, 1) == survivors.size() ? "goes on, well" : "goes on, badly");
}

/// Rank 1, which is told, ends all that wait for it.
void make_a_mistake(World& world) {
  hear_of_the_death(world);
  if (world.rank() == world.size() - 1) return;
  const int members = world.size() - (world.rank() == 0 ? 2 : 1);
  say_how_it_ends(world, [&] { (void)Team::create(first(members)); });
  if (world.rank() == 1) raise(SIGKILL);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  return armature::run(argc, argv, [what](World& world) {
    world.barrier();
    if (what == "mistaken")
      make_a_mistake(world);
    else
      leave_out(world, what == "0" ? 0 : 1);
    return 0;
  });
}
