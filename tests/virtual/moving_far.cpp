// A rank is bound to a process while it speaks with other nodes. It goes to another process of its
// node between any two calls, and in the middle of waiting. Tried with long puts and gets, answers
// that come after it has gone, notifications, messages, mutexes, teams.
//
//   virtual_moving_far ROUNDS    what ranks do is decided by the variable STORM_SEED, too
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <armature/armature.hpp>
#include <armature/mutex.hpp>
#include <armature/virtual.hpp>

#include "checks.hpp"

namespace {

using armature::World;

unsigned seed() {
  const char* const given = std::getenv("STORM_SEED");
  return given == nullptr ? 0 : static_cast<unsigned>(std::strtoul(given, nullptr, 10));
}

/// Executed wherever its rank waits: moves it there.
class Mover {
 public:
  explicit Mover(const World& world) {
    std::set<int> here;
    for (int rank = 0; rank < world.size(); ++rank)
      if (armature::same_node(world.rank(), rank)) here.insert(armature::process_of(rank).number());
    processes_.assign(here.begin(), here.end());
  }
  void move(unsigned number) {
    armature::migrate(armature::ProcessId(processes_[number % processes_.size()]));
  }

 private:
  std::vector<int> processes_;
};

class Wanderer {
 public:
  explicit Wanderer(World& world)
      : world_(world),
        random_(seed() * 1000 + static_cast<unsigned>(world.rank())),
        mover_(world, world),
        block_(world.allocate<std::int64_t>(words)),
        shared_(world.allocate<std::int64_t>(1)),
        locks_(world.create_mutexes(1)),
        mine_(words) {}

  /// All of a round pass on to the next rank, which is on another node now and then, and back.
  void round(int number) {
    const int to = (world_.rank() + 1 + number % (world_.size() - 1)) % world_.size();
    const int from =
        (2 * world_.size() + world_.rank() - 1 - number % (world_.size() - 1)) % world_.size();
    std::iota(mine_.begin(), mine_.end(), std::int64_t{1000} * number + world_.rank());
    disturb(to);
    put(to, number);
    disturb(from);
    armature::notify(to);
    move();
    armature::wait_notify(from);
    check(number, from);
    get_back(to);
    pass_on(to, from, number);
    count(to);
    world_.barrier();
    if (number % 4 == 0) in_a_team();
  }

  void finish(int rounds) {
    world_.barrier();
    require(shared_[0] == rounds, "an addition under a mutex was lost");
    armature::rmi_fence();
    world_.destroy_mutexes(locks_);
    mover_->move(0);
  }

 private:
  static constexpr std::size_t words = 96 * 1024, side = 64;

  void move() { mover_->move(static_cast<unsigned>(random_())); }
  void disturb(int rank) {
    if (random_() % 2 == 0) mover_.async(rank, &Mover::move, static_cast<unsigned>(random_()));
    if (random_() % 2 == 0) move();
  }

  /// Puts in one piece that is lent, in rows that are packed, or in many short ones.
  void put(int to, int number) {
    if (number % 3 == 0) return armature::put(block_.on(to), mine_.data(), words);
    if (number % 3 == 1) {
      const std::size_t counts[] = {words * 4 / side, side};
      const std::ptrdiff_t strides[] = {words * 8 / side};
      for (const std::size_t half : {0, 1})
        armature::put_strided(block_.on(to) + half * words / side / 2,
                              mine_.data() + half * words / side / 2,
                              {.counts = counts, .to_strides = strides, .from_strides = strides});
      return;
    }
    for (std::size_t at = 0; at < words; at += words / side) {
      armature::put(block_.on(to) + at, mine_.data() + at, words / side);
      if (random_() % 8 == 0) move();
    }
  }
  void check(int number, int from) {
    for (std::size_t i = 0; i < words; ++i)
      require(block_[i] == std::int64_t{1000} * number + from + static_cast<std::int64_t>(i),
              "a notification has overtaken a put");
  }
  /// The answer comes to where it was asked, the rank waits elsewhere.
  void get_back(int to) {
    std::vector<std::int64_t> back(words);
    armature::Handle long_one = armature::get_async(back.data(), block_.on(to), words / 2);
    armature::Handle short_one =
        armature::get_async(back.data() + words / 2, block_.on(to) + words / 2, 8);
    move();
    armature::get(back.data() + words / 2 + 8, block_.on(to) + words / 2 + 8, words / 2 - 8);
    move();
    long_one.wait();
    short_one.wait();
    require(back == mine_, "a get does not find a put");
  }
  void pass_on(int to, int from, int number) {
    const std::vector<std::int64_t> text(static_cast<std::size_t>(number % 7 * 3000 + 1), number);
    armature::send(to, number, std::as_bytes(std::span(text)));
    move();
    std::vector<std::int64_t> got(text.size());
    armature::receive(from, number, std::as_writable_bytes(std::span(got)));
    require(got == text, "a message was changed");
  }
  void count(int to) {
    locks_.lock(to, 0);
    const std::int64_t before = armature::get(shared_.on(to));
    if (random_() % 2 == 0) move();
    armature::put(shared_.on(to), before + 1);
    armature::fence(to);
    locks_.unlock(to, 0);
  }
  /// Makes teams of every other rank, and gives them up, in different processes.
  void in_a_team() {
    std::vector<armature::Rank> members;
    for (int rank = world_.rank() % 2; rank < world_.size(); rank += 2) members.emplace_back(rank);
    move();
    const armature::Team team = armature::Team::create(members);
    for (int turn = 0; turn < 3; ++turn) {
      move();
      require(allreduce(team, std::int64_t{1}) == std::ssize(members), "a sum is wrong");
    }
    mover_.async(members.front(), &Mover::move, static_cast<unsigned>(random_()));
    armature::rmi_fence(team);
    move();
  }

  World& world_;
  std::mt19937 random_;
  armature::shared<Mover> mover_;
  armature::Piece<std::int64_t> block_, shared_;
  armature::Mutexes locks_;
  std::vector<std::int64_t> mine_;
};

/// Makes the heap of each process another one: what a rank still points to there after it has moved
/// is then wrong, and is seen. Not in a run that can be repeated.
void fill_heap() {
  if (std::getenv("STORM_SEED") != nullptr) return;
  static std::vector<std::string> texts;
  for (int i = 0; i < getpid() % 61 * 7; ++i)
    for (std::size_t bytes = 16; bytes < 400; bytes += 16) texts.emplace_back(bytes, 'x');
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::stoi(argv[1]) : 24;
  fill_heap();
  return armature::run(argc, argv, [rounds](World& world) {
    require(armature::can_migrate(), "ranks cannot move here");
    Wanderer wanderer(world);
    for (int number = 0; number < rounds; ++number) wanderer.round(number);
    wanderer.finish(rounds);
  });
}
