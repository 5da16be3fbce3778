// Locks its memory as real-time programs do, and says how much of all segments it has then.
//
//   launch_locked_memory joined    when it has joined the job
//   launch_locked_memory before    before, with all that it will map
#include <sys/mman.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include <armature/armature.hpp>

namespace {

/// Pages of shared memory that this process has, in MiB.
long shared_mebibytes() {
  std::ifstream status("/proc/self/status");
  long kibibytes = 0;
  for (std::string word; status >> word;)
    if (word == "RssShmem:") status >> kibibytes;
  return kibibytes / 1024;
}

}  // namespace

int main(int argc, char** argv) {
  const bool before = argc > 1 && std::strcmp(argv[1], "before") == 0;
  if (before && mlockall(MCL_CURRENT | MCL_FUTURE) != 0) return std::perror("mlockall"), 3;
  return armature::run(argc, argv, [before](armature::World& world) {
    if (!before && mlockall(MCL_CURRENT | MCL_FUTURE) != 0) return std::perror("mlockall"), 3;
    constexpr std::size_t bytes = std::size_t{4} << 20;
    auto piece = world.allocate<char>(bytes);
    std::memset(&piece[0], world.rank() + 1, bytes);
    world.barrier();
    armature::put(piece.on((world.rank() + 1) % world.size()), 'x');
    world.barrier();
    if (piece[0] != 'x' || piece[bytes - 1] != world.rank() + 1) return 4;
    std::printf("rank %d has %ld MiB\n", world.rank(), shared_mebibytes());
    world.free(piece);
    return 0;
  });
}
