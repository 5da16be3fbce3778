// Programs handle SIGTERM before they join, for asked_to_end.py.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include <armature/armature.hpp>
#include <armature/virtual.hpp>

namespace {

using armature::World;

sigset_t request() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  return set;
}

bool ends_by_it(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM; }

bool fork_ends_by_it() {
  const pid_t child = fork();
  if (child == 0) {
    raise(SIGTERM);
    _exit(0);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && ends_by_it(status);
}

bool shell_ends_by_it() { return ends_by_it(std::system("kill -TERM $$")); }

void say(World& world, const char* what) {
  std::printf("rank %d: %s\n", world.rank(), what);
  std::fflush(stdout);
}

void await_others_leaving(World& world) {
  while (armature::hosting_processes() > 1) armature::yield();
  say(world, "in one process");
}

void start_shell(World& world) {
  if (shell_ends_by_it()) say(world, "what it starts ends, too");
}

void take_it_itself(World& world) {
  const sigset_t set = request();
  const timespec patience{10, 0};
  kill(getpid(), SIGTERM);
  if (sigtimedwait(&set, nullptr, &patience) == SIGTERM) say(world, "has taken it");
  world.barrier();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argv[1];
  const char* const first_rank = std::getenv("ARMATURE_RANK");
  if (what == "itself" && std::atoi(first_rank) > 0) kill(getpid(), SIGTERM);
  if (what == "children" && !(shell_ends_by_it() && fork_ends_by_it())) return 1;
  if (what == "blocks") {
    const sigset_t set = request();
    sigprocmask(SIG_BLOCK, &set, nullptr);
  }
  return armature::run(argc, argv, [&](World& world) {
    if (what == "itself")
      await_others_leaving(world);
    else if (what == "children")
      start_shell(world);
    else
      take_it_itself(world);
  });
}
