// Ranks move from process to process of their node at random, while all of them call, put to, get
// from and wait for each other. Every call must be executed once and in the order of its sender.
// Every put must be found by its sender's next get, and every addition be there at the end. What a
// rank has on its stack and in its memory must be as it left it.
//
//   virtual_moving STEPS     what ranks do is decided by the variable STORM_SEED, too; in a
//                            simulation a run ends by printing a number that depends on the order
//                            of everything. STORM_BALANCED: ranks need not be where they went
#include <setjmp.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <armature/armature.hpp>
#include <armature/virtual.hpp>

#include "checks.hpp"

namespace {

using armature::ProcessId;
using armature::World;

unsigned seed() {
  const char* const given = std::getenv("STORM_SEED");
  return given == nullptr ? 0 : static_cast<unsigned>(std::strtoul(given, nullptr, 10));
}

bool is_where_it_went(int process) {
  return armature::process_of(armature::world().rank()).number() == process ||
         std::getenv("STORM_BALANCED") != nullptr;
}

/// The processes of the calling rank's node, as long as no rank has moved.
std::vector<int> processes_here(const World& world) {
  std::set<int> processes;
  for (int rank = 0; rank < world.size(); ++rank)
    if (armature::same_node(world.rank(), rank))
      processes.insert(armature::process_of(rank).number());
  return {processes.begin(), processes.end()};
}

/// Called by others: remembers how far each of them has come.
class Ledger {
 public:
  explicit Ledger(std::vector<int> processes) : processes_(std::move(processes)) {}
  void take(int from, std::uint64_t number, std::string text) {
    require(number == next_[from]++, "a call was lost, doubled or overtaken");
    require(text == std::string(number % 300, static_cast<char>('a' + from % 26)),
            "a call's argument is not what was sent");
    ++taken_;
    order_ = order_ * 31 + static_cast<std::uint64_t>(from);
  }
  [[nodiscard]] std::uint64_t next_of(int from) { return next_[from]; }
  [[nodiscard]] std::uint64_t taken() const { return taken_; }
  [[nodiscard]] std::uint64_t order() const { return order_; }
  /// Moves the rank while it executes a call.
  bool move(unsigned number) {
    const int process = processes_[number % processes_.size()];
    armature::migrate(ProcessId(process));
    return is_where_it_went(process);
  }

 private:
  std::vector<int> processes_;  // where it can go
  std::map<int, std::uint64_t> next_;
  std::uint64_t taken_ = 0;
  std::uint64_t order_ = 0;  // a number made of who called when
};

class Wanderer {
 public:
  explicit Wanderer(World& world)
      : world_(world),
        processes_(processes_here(world)),
        random_(seed() * 1000 + static_cast<unsigned>(world.rank())),
        ledger_(world, processes_),
        counter_(world.allocate<std::int64_t>(1)),
        lines_(world.allocate<std::int64_t>(static_cast<std::size_t>(world.size()))),
        sent_(static_cast<std::size_t>(world.size())),
        put_(static_cast<std::size_t>(world.size())) {}

  void wander(int steps) {
    for (int i = 0; i < steps; ++i) step();
    armature::rmi_fence();
    world_.barrier();
    check();
  }
  /// All of a node end in one process.
  void gather() { armature::migrate(ProcessId(processes_.front())); }
  [[nodiscard]] std::uint64_t order() const { return ledger_->order(); }

 private:
  int anyone() { return static_cast<int>(random_() % static_cast<unsigned>(world_.size())); }
  ProcessId anywhere() { return ProcessId(processes_[random_() % processes_.size()]); }

  void move() {
    const ProcessId there = anywhere();
    const int before = errno = static_cast<int>(random_() % 100);
    armature::migrate(there);
    require(errno == before, "errno has not followed its rank");
    require(is_where_it_went(there.number()), "the rank is not where it went");
  }
  void call() {
    const int to = anyone();
    const std::uint64_t number = sent_[static_cast<std::size_t>(to)]++;
    ledger_.async(to, &Ledger::take, world_.rank(), number,
                  std::string(number % 300, static_cast<char>('a' + world_.rank() % 26)));
  }
  void ask() {
    const int whom = anyone();
    const auto came = ledger_.sync(whom, &Ledger::next_of, world_.rank());
    require(came == sent_[static_cast<std::size_t>(whom)], "a question has overtaken calls");
  }
  /// A line of each rank's is mine alone.
  void put_and_get() {
    const int to = anyone();
    std::int64_t& last = put_[static_cast<std::size_t>(to)];
    armature::put(lines_.on(to) + world_.rank(), ++last);
    if (random_() % 2 == 0) move();
    require(armature::get(lines_.on(to) + world_.rank()) == last, "a get does not find a put");
  }
  void send_somebody_off() {
    require(ledger_.sync(anyone(), &Ledger::move, static_cast<unsigned>(random_())),
            "a method did not move its rank");
  }
  void move_while_handling() {
    try {
      throw std::runtime_error("held over a move");
    } catch (const std::exception& error) {
      move();
      require(std::string(error.what()) == "held over a move", "an exception was lost");
      try {
        throw 5;
      } catch (int number) {
        move();
        require(number == 5, "an inner exception was lost");
      }
    }
  }
  void jump_over_a_move() {
    jmp_buf place;
    volatile int jumps = 0;
    if (setjmp(place) < 2) {
      jumps = jumps + 1;
      move();
      longjmp(place, jumps);
    }
    require(jumps == 2, "longjmp went astray");
  }
  void step() {
    switch (random_() % 11) {
      case 0:
      case 1:
        return move();
      case 2:
        return ask();
      case 3:
        armature::fetch_add(counter_.on(anyone()), 1);
        ++added_;
        return;
      case 4:
        return armature::yield();
      case 5:
        return random_() % 8 == 0 ? send_somebody_off() : armature::rmi_poll();
      case 6:
        return random_() % 4 == 0 ? move_while_handling() : jump_over_a_move();
      case 7:
        return put_and_get();
      default:
        return call();
    }
  }

  void check() {
    require(allreduce(world_, added_) == allreduce(world_, counter_[0]), "an addition was lost");
    std::uint64_t sent = 0;
    for (const std::uint64_t n : sent_) sent += n;
    require(allreduce(world_, sent) == allreduce(world_, ledger_->taken()), "calls were lost");
    std::vector<std::int64_t> lines_sent(put_.size());
    alltoall<std::int64_t>(world_, put_, lines_sent);
    for (int from = 0; from < world_.size(); ++from)
      require(lines_[from] == lines_sent[static_cast<std::size_t>(from)], "a put was lost");
    const auto all_sent = allgather(world_, std::int64_t(sent_[0]));
    if (world_.rank() != 0) return;
    for (int from = 0; from < world_.size(); ++from)
      require(ledger_->next_of(from) ==
                  static_cast<std::uint64_t>(all_sent[static_cast<std::size_t>(from)]),
              "calls of a rank were lost");
  }

  World& world_;
  std::vector<int> processes_;
  std::mt19937 random_;
  armature::shared<Ledger> ledger_;
  armature::Piece<std::int64_t> counter_;
  armature::Piece<std::int64_t> lines_;
  std::vector<std::uint64_t> sent_;
  std::vector<std::int64_t> put_;  // last, to each
  std::int64_t added_ = 0;
};

void refuse_what_cannot_be(World& world) {
  const auto throws = [](auto call) {
    try {
      call();
    } catch (const armature::Error&) {
      return true;
    }
    return false;
  };
  require(throws([] { armature::migrate(ProcessId(1 << 20)); }), "there is no such process");
  if (armature::domain_count(armature::Domain::process) == 1) return;
  const int elsewhere = 1 - std::min(armature::process_of(world.rank()).number(), 1);
  const armature::Pinned stays;
  require(!armature::can_migrate(), "it holds something");
  require(throws([&] { armature::migrate(ProcessId(elsewhere)); }), "it must stay");
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::stoi(argv[1]) : 4000;
  return armature::run(argc, argv, [steps](World& world) {
    require(armature::can_migrate(), "ranks cannot move here");
    refuse_what_cannot_be(world);
    Wanderer wanderer(world);
    wanderer.wander(steps / world.size() + 100);
    wanderer.gather();
    const std::uint64_t order = allreduce(world, wanderer.order() * (2 * world.rank() + 1));
    if (std::getenv("STORM_SEED") != nullptr && world.rank() == 0)
      std::printf("%016llx\n", static_cast<unsigned long long>(order));
  });
}
