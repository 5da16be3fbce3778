// A program whose result depends on everything that a checkpoint must bring back: stacks, heaps,
// memory for others, rank_local variables, calls under way, exceptions that are being handled. It
// prints one number, which must not depend on how often it was stopped and restarted.
//
//   virtual_steps STEPS EVERY PAUSE_US DIE_AT
//
// EVERY steps it writes a checkpoint (0: never; below 0: in memory; when_due: at every step where
// one is due; both: that, and every third step in memory), DIE_AT a step rank 0's process is
// killed, unless the job has been restarted, or has gone back, since.
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <armature/armature.hpp>
#include <armature/checkpoint.hpp>
#include <armature/rank_local.hpp>
#include <armature/virtual.hpp>

#include "step_program.hpp"

namespace {

using armature::World;

#if defined(STEPS_OTHER)
constexpr int version = 2;
#else
constexpr int version = 1;
#endif

struct Settings : StepSettings {
  bool when_due = false;
};

armature::rank_local<std::uint64_t> steps_taken;

/// Called by others.
struct Inbox {
  std::map<int, std::vector<std::string>> texts;
  std::uint64_t sum = 0;

  void take(int from, std::string text, std::uint64_t value) {
    sum += mixed(value, static_cast<std::uint64_t>(from));  // in any order
    auto& row = texts[from];
    row.push_back(std::move(text));
    if (row.size() > 20) row.erase(row.begin(), row.begin() + 10);
  }
};

class Worker {
 public:
  Worker(World& world, const Settings& settings)
      : world_(world),
        settings_(settings),
        random_(static_cast<unsigned>(world.rank()) + 1),
        inbox_(world),
        piece_(world.allocate<std::uint64_t>(64)) {}

  std::uint64_t run() {
    for (step_ = 0; step_ < settings_.steps; ++step_) step();
    armature::rmi_fence();
    std::uint64_t mine = mixed(sum_, inbox_->sum);
    for (const auto& [from, row] : inbox_->texts)
      for (const std::string& text : row) mine = mixed(mine, text.size());
    for (int i = 0; i < 64; ++i) mine = mixed(mine, piece_[i]);
    return allreduce(world_, mixed(mine, *steps_taken));
  }

 private:
  void step() {
    const int right = (world_.rank() + 1) % world_.size();
    const int anyone = static_cast<int>(random_() % static_cast<unsigned>(world_.size()));
    inbox_.async(anyone, &Inbox::take, world_.rank(),
                 std::string(random_() % 200, static_cast<char>('a' + step_ % 26)),
                 std::uint64_t{random_()});
    armature::put(piece_.on(right) + step_ % 64, mixed(sum_, static_cast<std::uint64_t>(step_)));
    memory_.push_back(std::make_unique<std::vector<int>>(random_() % 1000, step_));
    if (memory_.size() > 50) memory_.erase(memory_.begin() + random_() % 50);
    ++*steps_taken;
    if (settings_.pause_us > 0) usleep(static_cast<unsigned>(settings_.pause_us));
    errno = step_ % 100;
    try {
      throw std::runtime_error(std::to_string(step_));
    } catch (const std::runtime_error& error) {
      meet();
      sum_ = mixed(sum_, std::strtoull(error.what(), nullptr, 10));
    }
    if (errno != step_ % 100) armature::abort(1, "errno was lost");
    if (step_ == settings_.die_at && !was_restarted_ && world_.rank() == 0) raise(SIGKILL);
  }
  void meet() {
    const int before = errno;
    world_.barrier();
    if (settings_.every > 0 && step_ % settings_.every == settings_.every - 1)
      was_restarted_ = armature::checkpoint() || was_restarted_;
    if (settings_.when_due) {
      was_restarted_ = armature::checkpoint({.when_due = true}) || was_restarted_;
      if (step_ == 0) say("what was due at first is done");
    }
    if (settings_.every < 0 && step_ % -settings_.every == -settings_.every - 1) keep_copy();
    sum_ = mixed(sum_, allreduce(world_, piece_[step_ % 64] ^ memory_.size()));
    errno = before;
  }

  void keep_copy() {
    const bool has_gone_back = armature::checkpoint_in_memory();
    was_restarted_ = has_gone_back || was_restarted_;
    if (!has_gone_back && step_ + 1 == -settings_.every) say("the first copy is made");
  }
  void say(const char* what) const {
    if (world_.rank() != 0) return;
    std::puts(what);
    std::fflush(stdout);
  }

  World& world_;
  const Settings settings_;
  std::mt19937 random_;
  armature::shared<Inbox> inbox_;
  armature::Piece<std::uint64_t> piece_;
  std::vector<std::unique_ptr<std::vector<int>>> memory_;
  std::uint64_t sum_ = 0;
  int step_ = 0;
  bool was_restarted_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  settings.read(argc, argv);
  const std::string_view every = argc > 2 ? argv[2] : "";
  settings.when_due = every == "when_due" || every == "both";
  if (every == "both") settings.every = -3;
  // Programs that work elsewhere and show a title do this: a restart goes by what was there at
  // first.
  if (chdir("/") != 0) return 1;
  for (int i = 1; i < argc; ++i) std::memset(argv[i], 'x', std::strlen(argv[i]));
  return armature::run(argc, argv, [settings](World& world) {
    Worker worker(world, settings);
    const std::uint64_t result = worker.run();
    if (world.rank() == 0) {
      std::printf("version %d\nresult %016llx\n", version, static_cast<unsigned long long>(result));
      std::fflush(stdout);
    }
    return 0;
  });
}
