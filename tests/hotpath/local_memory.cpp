// How many instructions local memory takes when as much was freed before: a child process is
// followed step by step through an allocation and the freeing of it. Times would say the same less
// surely, as other programs run beside this one.
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include <armature/armature.hpp>

namespace {

using armature::World;

struct Section {
  std::size_t bytes;  // 0: nothing is done
  bool zeros;
  long steps_max;
};
// malloc and free take about 100 for small memory. Ten of ours find the owner's number in the job,
// which differs from that in a module's world.
constexpr Section sections[] = {{0, false, 10'000},
                                {64, false, 230},
                                {64, true, 280},
                                {4096, false, 230},
                                {1 << 20, false, 320}};

void use(const World& world, const Section& section) {
  if (section.bytes == 0) return;
  const auto memory = section.zeros ? world.allocate_local<char>(section.bytes)
                                    : world.allocate_local_for_overwrite<char>(section.bytes);
  world.free_local(memory);
}

/// The parent counts from one stop to the next.
[[noreturn]] void followed(const World& world) {
  if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(3);
  for (const Section& section : sections) {
    kill(getpid(), SIGSTOP);
    use(world, section);
  }
  kill(getpid(), SIGSTOP);
  _exit(0);
}

/// Counts steps until it stops again; below 0: it has ended.
long steps_of(pid_t child) {
  int status = 0;
  long steps = 0;
  do {
    if (ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) != 0) return -1;
    if (waitpid(child, &status, 0) < 0 || !WIFSTOPPED(status)) return -1;
    ++steps;
  } while (WSTOPSIG(status) != SIGSTOP);
  return steps;
}

bool are_short(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFSTOPPED(status)) {
    std::printf("a process cannot be followed here\n");
    return false;
  }
  long empty = 0;
  for (const Section& section : sections) {
    const long steps = steps_of(child);
    if (section.bytes == 0) empty = steps;
    const long counted = section.bytes == 0 ? steps : steps - empty;
    std::printf("%zu bytes%s: %ld instructions\n", section.bytes, section.zeros ? " of zeros" : "",
                counted);
    if (steps < 0 || counted > section.steps_max) return false;
  }
  return true;
}

int run(World& world) {
  for (int i = 0; i < 3; ++i)
    for (const Section& section : sections) use(world, section);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) followed(world);
  const bool good = are_short(child);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  if (good) std::printf("local memory is a short way\n");
  std::fflush(stdout);
  std::_Exit(good ? 0 : 1);
}

}  // namespace

int main(int argc, char** argv) { return armature::run(argc, argv, run); }
