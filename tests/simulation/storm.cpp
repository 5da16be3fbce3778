// Trees of remote calls on every rank, and the fence that must outlast them all. The job's seed
// decides what a run does: how many calls, how deep, what else is going on. That is questions
// inside methods, fences of part of the ranks, fences entered early or late, calls that travel
// together. Prints a number that depends on the order in which everything happened.
//
//   storm              checks every fence
//   storm broken-sent, broken-executed   with a counter that lies: must fail
//   storm deadlock   two ranks that wait for each other: must be told
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <armature/armature.hpp>
#include <armature/rmi.hpp>

namespace {

/// Each rank's own chance, apart from the simulation's.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 0x9e37'79b9'7f4a'7c15 + 1) {}
  std::uint64_t below(std::uint64_t bound) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ % bound;
  }

 private:
  std::uint64_t state_;
};

struct Tree {
  armature::shared_ref<Tree> everywhere;
  int ranks = 1;
  Dice dice{1};
  std::uint64_t visits = 0;
  std::uint64_t order = 0;  // a hash of what happened when

  /// One call here, and `children` below it, each of which has as many.
  void visit(int depth, int children, std::uint64_t label) {
    ++visits;
    order = order * 31 + label;
    for (int child = 0; depth > 0 && child < children; ++child)
      everywhere.async(dice.below(static_cast<std::uint64_t>(ranks)), &Tree::visit, depth - 1,
                       children, label * 7 + static_cast<std::uint64_t>(child));
    // A question in the middle of a method: others run here while it waits.
    if (depth > 0 && dice.below(4) == 0)
      order += everywhere.sync(dice.below(static_cast<std::uint64_t>(ranks)), &Tree::look);
  }
  std::uint64_t look() { return ++order; }
};

std::uint64_t calls_in_tree(int depth, int children) {
  std::uint64_t calls = 1, level = 1;
  for (int d = 0; d < depth; ++d) calls += level *= static_cast<std::uint64_t>(children);
  return calls;
}

class Storm {
 public:
  Storm(armature::World& world, std::uint64_t seed, std::string_view broken)
      : world_(world),
        common_(seed),
        own_(seed * 1000 + static_cast<std::uint64_t>(world.rank())),
        tree_(world),
        broken_(broken) {
    tree_->everywhere = tree_.ref();
    tree_->ranks = world.size();
    tree_->dice = Dice(seed * 77 + static_cast<std::uint64_t>(world.rank()));
    armature::RmiSettings settings = armature::rmi_settings();
    settings.aggregation = static_cast<std::uint32_t>(common_.below(3) * common_.below(20));
    settings.poll_every = static_cast<std::uint32_t>(1 + own_.below(100));
    armature::set_rmi_settings(settings);
    world.barrier();
  }

  std::uint64_t run() {
    const std::uint64_t rounds = 1 + common_.below(3);
    for (std::uint64_t round = 0; round < rounds; ++round) one_round();
    return tree_->order;
  }

 private:
  void one_round() {
    const auto depth = static_cast<int>(common_.below(4));
    const auto children = static_cast<int>(1 + common_.below(3));
    const auto each = 1 + common_.below(12);
    const bool in_advance = common_.below(3) == 0;
    linger();
    for (std::uint64_t call = 0; call < each; ++call)
      tree_.async(own_.below(static_cast<std::uint64_t>(world_.size())), &Tree::visit, depth,
                  children, call);
    lie();
    expected_ += each * calls_in_tree(depth, children) * static_cast<std::uint64_t>(world_.size());
    if (in_advance) {
      armature::future<void> over = armature::fence_async(world_);
      linger();
      over.get();
    } else {
      linger();
      armature::rmi_fence();
    }
    const std::uint64_t visits = allreduce(world_, tree_->visits);
    if (visits != expected_)
      armature::abort(3, "after a fence " + std::to_string(visits) + " of " +
                             std::to_string(expected_) + " calls have been executed");
  }

  /// Comes late.
  void linger() {
    for (std::uint64_t turns = own_.below(2) * own_.below(60); turns > 0; --turns)
      armature::rmi_poll();
  }

  void lie() {
    if (broken_.empty() || world_.rank() != 0) return;
    auto& to_last = armature::detail::sender->to[world_.size() - 1];
    if (broken_ == "broken-sent") --to_last.sent;
    if (broken_ == "broken-executed") ++to_last.sent;
  }

  armature::World& world_;
  Dice common_, own_;
  armature::shared<Tree> tree_;
  std::string_view broken_;
  std::uint64_t expected_ = 0;
};

void deadlock(armature::World& world) {
  std::byte nothing;
  const int other = (world.rank() + 1) % world.size();
  (void)armature::receive(other, 1, {&nothing, 1});
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view argument = argc > 1 ? argv[1] : "";
  const char* seed = std::getenv("STORM_SEED");
  return armature::run(argc, argv, [&](armature::World& world) {
    if (argument == "deadlock") return deadlock(world);
    Storm storm(world, seed == nullptr ? 1 : std::strtoull(seed, nullptr, 10), argument);
    const std::uint64_t order = allreduce(world, storm.run());
    if (world.rank() == 0) std::printf("%016llx\n", static_cast<unsigned long long>(order));
  });
}
