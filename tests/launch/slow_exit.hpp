#pragma once

#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include <armature/armature.hpp>
#include <armature/mutex.hpp>

/// An object that was there before main: objects that came later have been destroyed by then.
struct SlowEnd {
  bool is_slow = false;
  ~SlowEnd() {
    if (is_slow) std::this_thread::sleep_for(std::chrono::milliseconds(400));
  }
};
inline SlowEnd slow_end;

/// A thread of the process handles what others do with a rank that takes its time to exit.
inline void exit_slowly(armature::World& world) {
  const auto numbers = world.allocate<double>(1000);
  const auto mutexes = world.create_mutexes(1);
  const auto use = [&] {
    std::vector<double> some(1000, 1);
    armature::put(numbers.on(1), some);
    armature::get(some, numbers.on(1));
    armature::accumulate(numbers.on(1), some);
    const auto held = mutexes.guard(1, 0);
  };
  if (world.rank() == 0) use();
  world.barrier();
  if (world.rank() == 1) {
    slow_end.is_slow = true;
    std::exit(7);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  use();
  world.barrier();
}
