#pragma once

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <armature/armature.hpp>
#include <armature/checkpoint.hpp>

// Shared by the programs that work in steps while they are saved, killed and moved.

/// STEPS EVERY PAUSE DIE_AT: every so many steps a checkpoint on disk, or in memory where the
/// number is negative; a pause in microseconds; the step in which rank 0's process is killed.
struct StepSettings {
  int steps = 200, every = 0, pause_us = 0, die_at = -1;

  void read(int argc, char** argv) {
    int* const places[] = {&steps, &every, &pause_us, &die_at};
    for (int i = 1; i < argc && i <= 4; ++i) *places[i - 1] = std::atoi(argv[i]);
  }
};

/// Adds a value to a sum that depends on their order.
inline std::uint64_t mixed(std::uint64_t sum, std::uint64_t value) {
  sum = (sum ^ value) * 0x9e37'79b9'7f4a'7c15;
  return sum ^ sum >> 31;
}

/// The checkpoints and the death of a program. All ranks call `meet` in each step.
class StepMeeting {
 public:
  explicit StepMeeting(const StepSettings& settings) : settings_(settings) {}

  void meet(const armature::World& world, int step) {
    const int every = std::abs(settings_.every);
    if (every > 0 && step % every == every - 1)
      was_restarted_ =
          (settings_.every > 0 ? armature::checkpoint() : armature::checkpoint_in_memory()) ||
          was_restarted_;
    if (step == settings_.die_at && !was_restarted_ && world.rank() == 0) (void)raise(SIGKILL);
  }

 private:
  const StepSettings settings_;
  bool was_restarted_ = false;
};

/// Runs Worker(world, settings).run() on each rank; rank 0 says what it has returned.
template <class Worker>
int run_steps(int argc, char** argv) {
  StepSettings settings;
  settings.read(argc, argv);
  return armature::run(argc, argv, [settings](armature::World& world) {
    Worker worker(world, settings);
    const std::uint64_t result = worker.run();
    if (world.rank() == 0) {
      std::printf("result %016llx\n", static_cast<unsigned long long>(result));
      std::fflush(stdout);
    }
    return 0;
  });
}
