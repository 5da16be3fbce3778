// The tests of memory limits launch it. Ranks touch all they are given, as programs do.
//
//   launch_memory_limit pieces KIB          each allocates pieces of local memory without end
//   launch_memory_limit all_pieces KIB      all together, collectively
//   launch_memory_limit at_once MIB         each asks for so much at the same time
//   launch_memory_limit in_turn MIB         each asks for so much, one after the other
//   launch_memory_limit after_death MIB     rank 1 dies of which rank 0 needs what it was promised
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <armature/armature.hpp>

namespace {

using armature::World;

/// Whether a rank got what it asked for; says why not.
template <class Allocate>
bool has(const World& world, std::size_t bytes, Allocate allocate) {
  try {
    std::memset(allocate(bytes), 1, bytes);
    return true;
  } catch (const armature::Error& error) {
    std::printf("rank %d: %s\n", world.rank(), error.what());
    return error.code() != armature::Errc::out_of_memory;
  }
}

bool has_local(const World& world, std::size_t bytes) {
  return has(world, bytes, [&](std::size_t n) { return world.allocate_local<char>(n).address(); });
}

void pieces(const World& world, std::size_t bytes) {
  std::size_t count = 0;
  while (has_local(world, bytes)) ++count;
  std::printf("rank %d got %zu KiB\n", world.rank(), count * bytes >> 10);
}

void all_pieces(const World& world, std::size_t bytes) {
  std::size_t count = 0;
  while (has(world, bytes, [&](std::size_t n) { return world.allocate<char>(n).local().data(); }))
    ++count;
  std::printf("rank %d got %zu KiB\n", world.rank(), count * bytes >> 10);
}

void in_turn(const World& world, std::size_t bytes) {
  for (int rank = 0; rank < world.size(); ++rank) {
    if (rank == world.rank() && has_local(world, bytes)) std::printf("rank %d got it\n", rank);
    world.barrier();
  }
}

void after_death(const World& world, std::size_t bytes) {
  if (world.rank() == 1) (void)world.allocate_local<char>(bytes);  // promised, and not touched
  world.barrier();
  if (world.rank() == 1) raise(SIGKILL);
  try {
    world.barrier();
  } catch (const armature::Error&) {  // rank 1 is lost
    if (has_local(world, bytes)) std::printf("rank %d got it\n", world.rank());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argv[1];
  const std::size_t size = std::stoul(argv[2]);
  return armature::run(argc, argv, [&](World& world) {
    world.barrier();
    if (how == "pieces") pieces(world, size << 10);
    if (how == "all_pieces") all_pieces(world, size << 10);
    if (how == "in_turn") in_turn(world, size << 20);
    if (how == "after_death") return after_death(world, size << 20);
    if (how == "at_once" && has_local(world, size << 20))
      std::printf("rank %d got it\n", world.rank());
    world.barrier();
    if (world.rank() == 0) std::printf("the job goes on\n");
  });
}
