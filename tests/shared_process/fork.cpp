// A virtual rank cannot fork, as the child would run on its stack: each way to do so is refused
// with an errno. It can start programs in all other ways, and a thread that is no rank can fork.
#include <pty.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <armature/armature.hpp>

namespace {

void require(bool good, const char* what) {
  if (!good) armature::abort(1, what);
}

int status_of(pid_t child) {
  int status = -1;
  require(child > 0 && waitpid(child, &status, 0) == child, "no child to wait for");
  return WEXITSTATUS(status);
}

void fork_is_refused() {
  const auto refused = [](int result) { return result == -1 && errno == ENOSYS; };
  errno = 0;
  require(refused(fork()), "fork");
  require(refused(_Fork()), "_Fork");
  require(refused(daemon(1, 1)), "daemon");
  int master = -1;
  require(refused(forkpty(&master, nullptr, nullptr, nullptr)), "forkpty");
}

void programs_can_be_started() {
  const char* const arguments[] = {"sh", "-c", "exit 7", nullptr};
  pid_t child = -1;
  require(
      posix_spawn(&child, "/bin/sh", nullptr, nullptr, const_cast<char**>(arguments), environ) == 0,
      "posix_spawn");
  require(status_of(child) == 7, "the status of posix_spawn");
  require(WEXITSTATUS(std::system("exit 5")) == 5, "system");
  std::FILE* const pipe = popen("echo text", "r");
  require(pipe != nullptr, "popen");
  char text[10] = "";
  require(std::fgets(text, sizeof text, pipe) != nullptr && std::string(text) == "text\n", "pipe");
  require(pclose(pipe) == 0, "pclose");
  child = vfork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", "exit 6", nullptr);
    _exit(1);
  }
  require(status_of(child) == 6, "vfork");
}

void another_thread_can_fork() {
  std::thread([] {
    const pid_t child = fork();
    if (child == 0) _exit(4);
    require(status_of(child) == 4, "a thread's fork");
  }).join();
}

}  // namespace

int main(int argc, char** argv) {
  const pid_t before = fork();
  if (before == 0) _exit(3);
  if (status_of(before) != 3) return 1;
  return armature::run(argc, argv, [](armature::World& world) {
    std::vector<long> mine(1000, world.rank());
    for (int i = 0; i < 5; ++i) {
      fork_is_refused();
      programs_can_be_started();
      another_thread_can_fork();
      world.barrier();
    }
    for (const long x : mine) require(x == world.rank(), "the rank's memory has changed");
  });
}
