// Counts the barriers by which ranks fall asleep. Where a node has one process, all who may wake a
// rank are threads of that process, and a barrier of other processes is a waste.
//
// The program counts the membarrier calls of the library, which finds this `syscall` first.
#include <dlfcn.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>

#include <atomic>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <thread>

#include "armature/armature.hpp"

namespace {

std::atomic<long> of_all_processes = 0, of_this_process = 0;

void count(long command) {
  if (command == MEMBARRIER_CMD_GLOBAL || command == MEMBARRIER_CMD_GLOBAL_EXPEDITED)
    ++of_all_processes;
  if (command == MEMBARRIER_CMD_PRIVATE_EXPEDITED) ++of_this_process;
}

}  // namespace

extern "C" [[gnu::visibility("default")]] long syscall(long number, ...) noexcept {
  using Function = long (*)(long, ...);
  static const auto original = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "syscall"));
  va_list list;
  va_start(list, number);
  long arguments[6];
  for (long& argument : arguments) argument = va_arg(list, long);
  va_end(list);
  if (number == SYS_membarrier) count(arguments[0]);
  return original(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
                  arguments[5]);
}

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](armature::World& world) {
    for (int round = 0; round < 20; ++round) {
      // The others wait for so long that they fall asleep.
      if (world.rank() == round % world.size())
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      world.barrier();
    }
    const long all = allreduce(world, of_all_processes.load());
    const long own = allreduce(world, of_this_process.load());
    if (world.rank() == 0)
      std::printf("barriers of all processes: %s, of one: %s\n", all != 0 ? "some" : "none",
                  own != 0 ? "some" : "none");
    return 0;
  });
}
