// Virtual ranks on several nodes: they reach each other by everything there is, while others of
// their process have their turns.
//
//   virtual_nodes work ROUNDS | wait | touch | migrate
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <thread>

#include <armature/armature.hpp>
#include <armature/rmi.hpp>
#include <armature/virtual.hpp>

#include "checks.hpp"

namespace {

using armature::Rank;
using armature::World;

struct Sum {
  long all = 0;
  void add(long what) { all += what; }
  long value() { return all; }
};

/// Everybody to everybody: puts with notifications, calls, messages, gets, atomics.
void work(World& world, int rounds) {
  const int ranks = world.size(), me = world.rank();
  auto table = world.allocate<long>(static_cast<std::size_t>(ranks));
  auto count = world.allocate<long>(1);
  armature::shared<Sum> sum(world);
  for (int round = 1; round <= rounds; ++round) {
    for (int other = 0; other < ranks; ++other) {
      armature::put(table.on(other) + me, long{round} * ranks + me);
      armature::fetch_add(count.on(other), 1L);
      sum.async(other, &Sum::add, long{me});
    }
    const int to = (me + round) % ranks, from = (me + ranks * rounds - round) % ranks;
    const std::array said = {round * me};
    std::array heard = {-1};
    armature::send(Rank(to), 1, std::as_bytes(std::span(said)));
    armature::receive(Rank(from), 1, std::as_writable_bytes(std::span(heard)));
    require(heard[0] == round * from, "a message says something else");
    armature::rmi_fence();
    for (int writer = 0; writer < ranks; ++writer)
      require(table.local()[writer] == long{round} * ranks + writer, "a put was lost");
    require(count.local()[0] == long{round} * ranks, "an addition was lost");
    require(sum.sync(to, &Sum::value) == long{round} * ranks * (ranks - 1) / 2, "a call was lost");
    require(armature::get(table.on(to) + me) == long{round} * ranks + me, "a get is wrong");
    world.barrier();
  }
  if (me == 0) std::printf("%d ranks, %d rounds: well\n", ranks, rounds);
}

/// All wait for the last one, which does nothing for a while.
void wait(World& world) {
  if (world.rank() == world.size() - 1) std::this_thread::sleep_for(std::chrono::seconds(60));
  world.barrier();
}

void touch(World& world) {
  auto piece = world.allocate<long>(1);
  world.barrier();
  if (world.rank() == 0)
    std::printf("%ld\n", *static_cast<volatile long*>(piece.on(world.size() - 1).address()));
  world.barrier();
}

void migrate(World& world) {
  if (world.rank() == 0) {
    std::printf("can: %d\n", armature::can_migrate() ? 1 : 0);
    try {
      armature::migrate(armature::ProcessId(1));
    } catch (const armature::Error& error) {
      std::printf("%s\n", error.what());
    }
  }
  world.barrier();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 1;
  return armature::run(argc, argv, [&](World& world) {
    if (what == "work") work(world, rounds);
    if (what == "wait") wait(world);
    if (what == "touch") touch(world);
    if (what == "migrate") migrate(world);
  });
}
