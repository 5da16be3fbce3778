// Nothing on the paths of one-sided transfers and short remote calls allocates or calls the kernel
// once things are set up. A child process carries out every kind of operation many times. It may do
// nothing but read, write and exit (strict seccomp: any other system call kills it); memory
// allocations are counted.
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <armature/armature.hpp>
#include <armature/rmi.hpp>

#include "counting_malloc.hpp"

namespace {

using armature::World;

struct Counter {
  void add(long amount) { total += amount; }
  void add_all(std::span<const long> amounts) {
    for (const long amount : amounts) total += amount;
  }
  [[nodiscard]] long get() const { return total; }
  long total = 0;
};

/// Memory and addresses for one of everything.
struct Bench {
  explicit Bench(const World& world)
      : calls(world),
        piece(world.allocate<double>(1 << 18)),
        counter(world.allocate<long>(8)),
        mutexes(world.create_mutexes(1)),
        buffer(1 << 18, 1.0) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      to[i] = piece.local().data() + 3 * i;
      from[i] = buffer.data() + 2 * i;
    }
  }

  void everything() {
    // More than fit on one lap of the channel: the first half finds room only when some are
    // executed.
    for (int i = 0; i < 5000; ++i) calls.async(0, &Counter::add, 1L);
    calls.async(0, &Counter::add_all, std::span<const long>(numbers));
    armature::rmi_poll();
    numbers[0] = calls.sync(0, &Counter::get);
    armature::put(piece.on(0), 1.0);
    buffer[0] = armature::get(piece.on(0));
    for (const std::size_t n : {std::size_t{7}, std::size_t{512}, std::size_t{1} << 18}) {
      armature::put(piece.on(0), buffer.data(), n);
      armature::get(buffer.data(), piece.on(0), n);
      armature::accumulate(piece.on(0), buffer.data(), n, {.scale = 0.5});
    }
    armature::get_patch(buffer.data(), piece.on(0), {64, 64, 64, 8192});
    armature::put_patch(piece.on(0), buffer.data(), {512, 32, 8192, 512});
    const armature::Iov iov{to, from, 8};
    armature::put_vector(0, {&iov, 1});
    armature::accumulate_vector<double>(0, {&iov, 1});
    armature::fetch_add(counter.on(0), 1);
    armature::compare_swap(counter.on(0) + 1, 0, 1);
    mutexes.lock(0, 0);
    mutexes.unlock(0, 0);
    armature::Aggregate batch(0);
    batch.put(piece.on(0), 2.0);
    batch.wait();
    armature::put_async(piece.on(0), 3.0).wait();
    (void)armature::when_all(armature::put_async(piece.on(0), buffer),
                             armature::fetch_add_async(counter.on(0), 1L))
        .get();
    armature::put_then(
        piece.on(0), buffer, [](long) {}, 1L)
        .wait();
    armature::put_notify(piece.on(0), buffer).wait();
    armature::wait_notify(0);
    armature::notify(0);
    armature::wait_notify(0);
    armature::fence_all();
  }

  armature::shared<Counter> calls;
  std::array<long, 100> numbers{};
  armature::Piece<double> piece;
  armature::Piece<long> counter;
  armature::Mutexes mutexes;
  std::vector<double> buffer;
  std::array<void*, 100> to{};
  std::array<const void*, 100> from{};
};

[[noreturn]] void confined(Bench& bench) {
  const long before = allocations;
  if (before == 0) _exit(4);  // not counted
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) _exit(3);
  for (int i = 0; i < 50; ++i) bench.everything();
  syscall(SYS_exit, allocations == before ? 0 : 1);
  __builtin_unreachable();
}

int run_confined(World& world) {
  Bench bench(world);
  bench.everything();  // what is set up once is set up now
  const pid_t child = fork();
  if (child == 0) confined(bench);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) std::printf("a system call was made\n");
  if (WIFEXITED(status) && WEXITSTATUS(status) == 1) std::printf("memory was allocated\n");
  if (WIFEXITED(status) && WEXITSTATUS(status) == 3) std::printf("seccomp is not to be had here\n");
  if (WIFEXITED(status) && WEXITSTATUS(status) == 4) std::printf("allocations are not counted\n");
  if (status == 0) std::printf("no allocation, no system call\n");
  // The child has used this rank's channel, which we share: our own view of it is of the past.
  std::fflush(stdout);
  std::_Exit(status == 0 ? 0 : 1);
}

}  // namespace

int main(int argc, char** argv) { return armature::run(argc, argv, run_confined); }
