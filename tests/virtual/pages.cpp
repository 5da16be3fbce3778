// A program that changes some of many pages in each step, in all ways that a page may change. A
// word of it changes or all, by its rank or another one; to zeros, and from them; and back to what
// it was. Memory comes and goes. It prints one number, as steps.cpp does.
//
//   virtual_pages STEPS EVERY PAUSE_US DIE_AT [WHOLE_EVERY [MOVE_EVERY [PAGES]]]
//
// EVERY below 0: they are in memory. With WHOLE_EVERY its checkpoints are of what changed, but for
// each WHOLE_EVERYth, whatever the job's setting is. Each MOVE_EVERY steps all ranks go to the next
// process; below 0: of their node, while all have begun to write a checkpoint. Each rank has PAGES
// pages.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <set>
#include <span>
#include <vector>

#include <armature/armature.hpp>
#include <armature/checkpoint.hpp>
#include <armature/locality.hpp>
#include <armature/virtual.hpp>

namespace {

using armature::World;
using Word = std::uint64_t;

constexpr std::size_t page_words = 512;

struct Settings {
  int steps = 200, every = 0, pause_us = 0, die_at = -1, whole_every = 0, move_every = 0;
  int pages = 150;
};

Word mixed(Word sum, Word value) {
  sum = (sum ^ value) * 0x9e37'79b9'7f4a'7c15;
  return sum ^ sum >> 31;
}

/// Goes to and fro between a rank and the next one; the first then moves.
class Ball {
 public:
  // Notes the processes while each still has ranks.
  Ball(const World& world, armature::shared<Ball>& all) : world_(world), all_(all) {
    for (int rank = 0; rank < world.size(); ++rank)
      if (armature::same_node(world.rank(), rank))
        here_.insert(armature::process_of(rank).number());
  }

  void hit(int first, int times) {
    const int me = world_.rank();
    if (times == 0) return move();
    all_.async(me == first ? (me + 1) % world_.size() : first, &Ball::hit, first, times - 1);
  }

 private:
  void move() const {
    const auto next = here_.upper_bound(armature::process_of(world_.rank()).number());
    armature::migrate(armature::ProcessId(next == here_.end() ? *here_.begin() : *next));
  }

  const World& world_;
  armature::shared<Ball>& all_;
  std::set<int> here_;
};

class Worker {
 public:
  Worker(World& world, int count)
      : world_(world),
        balls_(world, world, balls_),
        pages_(static_cast<std::size_t>(count)),
        random_(static_cast<unsigned>(world.rank()) + 1),
        piece_(world.allocate<Word>(pages_ * page_words)),
        returning_(page_words) {
    for (Word& word : mine()) word = random_();
  }

  Word run(const Settings& settings) {
    for (int step = 0; step < settings.steps; ++step) {
      change_mine(step);
      world_.barrier();
      change_others(step);
      come_and_go(step);
      if (settings.pause_us > 0) usleep(static_cast<unsigned>(settings.pause_us));
      world_.barrier();
      // Longer than it takes to agree on what to write, which a fence comes after.
      if (settings.move_every < 0 && step % -settings.move_every == -settings.move_every - 1)
        balls_->hit(world_.rank(), 100);
      if (settings.every > 0 && step % settings.every == settings.every - 1)
        was_restarted_ = armature::checkpoint({}, options(settings)) || was_restarted_;
      if (settings.every < 0 && step % -settings.every == -settings.every - 1)
        was_restarted_ = armature::checkpoint_in_memory() || was_restarted_;
      if (settings.move_every > 0 && step % settings.move_every == settings.move_every - 1)
        go_on_elsewhere();
      if (step == settings.die_at && !was_restarted_ && world_.rank() == 0) raise(SIGKILL);
    }
    Word sum = 0;
    for (const Word word : mine()) sum = mixed(sum, word);
    for (const auto& words : memory_)
      for (const Word word : words) sum = mixed(sum, word);
    return allreduce(world_, sum);
  }

 private:
  armature::CheckpointOptions options(const Settings& settings) {
    if (settings.whole_every == 0) return {};
    return {.incremental = ++checkpoints_ % settings.whole_every != 0};
  }
  void go_on_elsewhere() {
    const int here = armature::process_of(world_.rank()).number();
    armature::migrate_together(armature::ProcessId((here + 1) % armature::hosting_processes()));
  }
  std::span<Word> mine() { return {&piece_[0], pages_ * page_words}; }
  std::span<Word> page(std::size_t number) {
    return mine().subspan(number * page_words, page_words);
  }

  /// The last page has something else every other step.
  void change_mine(int step) {
    std::ranges::swap_ranges(page(pages_ - 1), returning_);
    const std::span<Word> chosen = page(random_() % (pages_ - 1));
    if (step % 4 == 0)
      for (Word& word : chosen) word = random_();
    else if (step % 4 == 1)
      std::ranges::fill(chosen, 0);
    else
      chosen[random_() % page_words] += 1;
  }
  void change_others(int step) {
    const auto all = static_cast<Word>(world_.size());
    const auto me = static_cast<std::size_t>(world_.rank());
    const std::size_t place = random_() % pages_ * page_words + me;
    armature::put(piece_.on(static_cast<int>(random_() % all)) + place, static_cast<Word>(step));
  }
  void come_and_go(int step) {
    if (step % 5 == 0) memory_.emplace_back(random_() % 40'000, static_cast<Word>(step));
    if (memory_.size() > 4) memory_.erase(memory_.begin() + static_cast<int>(random_() % 4));
  }

  World& world_;
  armature::shared<Ball> balls_;
  const std::size_t pages_;
  std::mt19937_64 random_;
  armature::Piece<Word> piece_;
  std::vector<Word> returning_;
  std::vector<std::vector<Word>> memory_;
  int checkpoints_ = 0;
  bool was_restarted_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  int* const places[] = {&settings.steps,  &settings.every,       &settings.pause_us,
                         &settings.die_at, &settings.whole_every, &settings.move_every,
                         &settings.pages};
  for (int i = 1; i < argc && i <= 7; ++i) *places[i - 1] = std::atoi(argv[i]);
  return armature::run(argc, argv, [settings](World& world) {
    const Word result = Worker(world, settings.pages).run(settings);
    if (world.rank() == 0) {
      std::printf("result %016llx\n", static_cast<unsigned long long>(result));
      std::fflush(stdout);
    }
    return 0;
  });
}
