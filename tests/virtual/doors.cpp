// Rank 2, which is in one of the two processes of its node, is reached by other nodes through the
// other one, its door. What it does there when a process is lost is not to harm those who go back.
//
//   virtual_doors team|heap    four ranks, each in a process; the last two on one node
//
// team: rank 0's process ends, and rank 2 then makes a team with it.
// heap: rank 2's process ends while it is in the rank's heap, where the door has to put a message.
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

#include <armature/armature.hpp>
#include <armature/checkpoint.hpp>
#include <armature/locality.hpp>
#include <armature/virtual.hpp>

#include "checks.hpp"

namespace {

using armature::World;

constexpr int tag = 7;
constexpr unsigned door_goes_back_us = 300'000, message_comes_us = 30'000;

void send_to(int rank) {
  const std::int64_t word = rank;
  armature::send(rank, tag, std::as_bytes(std::span(&word, 1)));
}

void make_team(World& world) {
  if (world.rank() % 2 != 0) return;
  const std::vector<armature::Rank> members{armature::Rank(2), armature::Rank(0)};
  const armature::Team team = armature::Team::create(members);
  require(allreduce(team, std::int64_t{1}) == 2, "a sum is wrong");
  armature::rmi_fence(team);
}

void lose_one_before_a_team(World& world) {
  if (world.rank() == 0) {
    armature::wait_notify(2);
    raise(SIGKILL);
  }
  if (world.rank() == 2) {
    armature::notify(0);
    armature::fence_all();
    usleep(door_goes_back_us);  // its process does not
    make_team(world);
  }
}

/// Pages are made, which takes a while.
[[noreturn]] void allocate_for_ever(World& world) {
  for (;;) world.free_local(world.allocate_local<std::byte>(std::size_t{384} << 20));
}

void lose_one_in_its_heap(World& world, pid_t process) {
  if (world.rank() == 2) {
    armature::notify(0);
    armature::fence_all();
    allocate_for_ever(world);
  }
  if (world.rank() == 0) {
    armature::wait_notify(2);
    usleep(message_comes_us);
    send_to(2);
    usleep(message_comes_us);
    kill(process, SIGKILL);
  }
}

void work(World& world, std::string_view what) {
  const std::vector<int> processes = allgather(world, int{getpid()});
  if (!armature::checkpoint_in_memory()) {
    if (world.rank() == 2) armature::migrate(armature::process_of(3));
    what == "team" ? lose_one_before_a_team(world) : lose_one_in_its_heap(world, processes[3]);
    world.barrier();
    armature::abort(1, "nobody was lost");
  }
  make_team(world);
  world.barrier();
  if (world.rank() == 0) std::puts("result well");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  return armature::run(argc, argv, [what](World& world) { work(world, what); });
}
