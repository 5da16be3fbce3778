// A rod that is hot at its left end: the program that docs/guide/first-program.md takes apart.
#include <cstdio>
#include <cstdlib>
#include <span>
#include <utility>

#include <armature/armature.hpp>
#include <armature/checkpoint.hpp>
#include <armature/virtual.hpp>

namespace {

struct Log {  // one on each rank, which others may call
  double hottest = 0;
  void note(double value) {
    if (value > hottest) hottest = value;
  }
  double read() const { return hottest; }
};

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [argc, argv](armature::World& world) {
    const int me = world.rank();
    const int last = world.size() - 1;
    const int steps = argc > 1 ? std::atoi(argv[1]) : 200;
    constexpr std::size_t n = 10;  // cells of each rank: 1 .. n; 0 and n + 1 are its neighbours'

    auto now = world.allocate<double>(n + 2);
    auto next = world.allocate<double>(n + 2);
    if (me == 0) now[0] = next[0] = 100;
    armature::shared<Log> log(world);

    for (int step = 0; step < steps; ++step) {
      if (me > 0) armature::put(now.on(me - 1) + (n + 1), now[1]);
      if (me < last) armature::put(now.on(me + 1), now[n]);
      world.barrier();  // the neighbours' cells are here
      const std::span<double> from = now.local(), to = next.local();
      for (std::size_t i = 1; i <= n; ++i) to[i] = (from[i - 1] + from[i + 1]) / 2;
      std::swap(now, next);

      if (step % 50 == 49) log.async(0, &Log::note, now[n]);
      if (armature::can_migrate() && step == steps / 2)
        armature::migrate(armature::ProcessId((me + 1) % armature::hosting_processes()));
      armature::checkpoint({.when_due = true});
    }

    armature::rmi_fence();  // all calls are done
    const double heat = allreduce(world, now[1]);
    if (me == last)
      std::printf("%d ranks: %.3f, hottest end %.3f\n", world.size(), heat,
                  log.sync(0, &Log::read));
  });
}
