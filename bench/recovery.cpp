// How long a job is quiescent when one of its processes is killed. The time is from the kill until
// all ranks are back where they were when the last checkpoint in memory was made.
#include <sys/types.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <armature/armature.hpp>
#include <armature/checkpoint.hpp>

#include "bench/noise.hpp"
#include "bench/rows.hpp"

namespace armature::bench {

namespace {

// A variable of the process: it does not go back with the ranks.
double killed_ns = 0;

std::size_t bytes_of_each(const Effort& effort) {
  return (effort.burst < Effort{}.burst ? std::size_t{4} : std::size_t{32}) << 20;
}

}  // namespace

std::optional<Row> recovery_row(World& world, const Effort& effort) {
  const std::size_t bytes = bytes_of_each(effort);
  const std::vector<std::byte> memory = noise(bytes, world.rank());
  const int last = world.size() - 1;
  const pid_t victim = broadcast(world, getpid(), last);
  if (!checkpoint_in_memory()) {
    world.barrier();
    if (world.rank() == 0) {
      killed_ns = now_ns();
      kill(victim, SIGKILL);
    }
    // A rank that was killed may have been there already.
    for (;;) world.barrier();
  }
  world.barrier();
  const double ns = now_ns() - killed_ns;
  if (memory != noise(bytes, world.rank()))
    abort(1, "bench: a rank that went back has other memory");
  if (world.rank() != 0) return std::nullopt;
  return Row{.op = "recovery",
             .bytes = bytes * static_cast<std::size_t>(world.size()),
             .ns = ns,
             .limit_ns = {}};
}

}  // namespace armature::bench
