// A rank starts a child that stays, and is killed: the others hear of its death at once, though the
// child has all that its parent had open. surviving_child fork|spawn
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <thread>

#include <armature/armature.hpp>
#include <armature/virtual.hpp>

namespace {

void fork_a_sleeper() {
  const pid_t child = fork();
  if (child != 0) return;
  sleep(300);
  _exit(0);
}

/// Virtual ranks cannot fork: a thread of theirs does.
void start_a_sleeper(const std::string& how) {
  if (how == "spawn") {
    const char* const words[] = {"sleep", "300", nullptr};
    pid_t child = -1;
    if (posix_spawnp(&child, "sleep", nullptr, nullptr, const_cast<char**>(words), environ) != 0)
      armature::abort(1, "posix_spawnp");
  } else if (armature::rank_kind() == armature::RankKind::fiber) {
    std::thread(fork_a_sleeper).join();
  } else {
    fork_a_sleeper();
  }
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [&](armature::World& world) {
    const int last = world.size() - 1;
    try {
      world.barrier();
      if (world.rank() == last) {
        start_a_sleeper(argc > 1 ? argv[1] : "");
        kill(getpid(), SIGKILL);
      }
      for (;;) world.barrier();
    } catch (const armature::Error& error) {
      if (error.code() != armature::Errc::rank_lost) throw;
      if (world.rank() == 0) std::puts("rank 0 has heard of the death");
    }
  });
}
