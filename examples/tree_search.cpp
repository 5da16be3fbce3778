// Counts the nodes of a tree that nobody knows beforehand. Each node has either eight children or
// none, as a number decides that is mixed from its parent's and its place among its brothers. What
// hangs on a node is one node or a million, so to deal out the children of the root is not enough.
//
// Nodes to be looked at wait in bags, the elements of an object array. In each round every bag
// takes so many of its nodes, depth first, and keeps what it finds below them. An empty bag ends;
// and where there are too few bags, those that have enough give half of their nodes to a new one,
// beside them. After each round the bags are balanced, by each strategy in turn:
//
//   armature run -n 2 build/bin/examples/tree_search [STRATEGY...]
//
// For each it prints how long the search took; what the busiest rank has computed; what each would
// have, had all been spread evenly; and how many bags were made and have moved. It fails unless
// nodes, leaves, depth and the sum of all numbers are those that one rank alone finds.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <armature/armature.hpp>
#include <armature/object_array.hpp>
#include <armature/object_array/rebalance.hpp>

namespace {

using armature::World;

constexpr std::uint64_t seed = 27'000;
constexpr int children_of_root = 600, children = 8;
constexpr double has_children = 0.1249;    // 8 times that is below 1, so it ends
constexpr std::size_t bags_at_first = 48;  // and at least, as long as they can be split
constexpr std::size_t nodes_in_round = 3000;
constexpr std::size_t nodes_to_split = 4;

struct Node {
  std::uint64_t number = 0;
  int depth = 0;
};

/// Each bit of the result depends on each of x. It stands for what a search has to do at a node, so
/// it takes its time.
std::uint64_t mix(std::uint64_t x) {
  for (int turn = 0; turn < 24; ++turn) {
    x ^= x >> 31;
    x *= 0x9e6c'63d0'876a'68e5ULL;
    x ^= x >> 27;
    x += 0x6a09'e667'f3bc'c909ULL;
  }
  return x;
}
Node child(const Node& parent, int place) {
  return {mix(parent.number + static_cast<std::uint64_t>(place) + 1), parent.depth + 1};
}
int children_at(const Node& node) {
  if (node.depth == 0) return children_of_root;
  return static_cast<double>(node.number >> 11) * 0x1p-53 < has_children ? children : 0;
}

/// Facts about the nodes that were looked at.
struct Found {
  long nodes = 0, leaves = 0;
  int depth = 0;
  std::uint64_t sum = 0;  // of their numbers: each once, and no other

  friend Found operator+(const Found& a, const Found& b) {
    return {a.nodes + b.nodes, a.leaves + b.leaves, std::max(a.depth, b.depth), a.sum + b.sum};
  }
  friend bool operator==(const Found&, const Found&) = default;
};

/// Looks at so many nodes from the end of `waiting`, which gets their children.
Found look_at(std::vector<Node>& waiting, std::size_t most) {
  Found found;
  for (; most > 0 && !waiting.empty(); --most) {
    const Node node = waiting.back();
    waiting.pop_back();
    const int below = children_at(node);
    found = found + Found{1, below == 0 ? 1 : 0, node.depth, node.number};
    for (int place = 0; place < below; ++place) waiting.push_back(child(node, place));
  }
  return found;
}

constexpr Node root{.number = seed, .depth = 0};
Found alone() {
  std::vector<Node> waiting{root};
  return look_at(waiting, SIZE_MAX);
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class Bag;
/// A bag's name is that of the one that it was split from, and which of its splits that was.
using Bags = armature::object_array_ref<Bag, std::string>;

class Bag {
 public:
  Bag() = default;
  explicit Bag(std::vector<Node> waiting) : waiting_(std::move(waiting)) {}
  void define_type(armature::typer& t) {
    t.local(waiting_);
    t.local(splits_);
  }

  void put(const Node& node) { waiting_.push_back(node); }
  [[nodiscard]] bool is_empty() const { return waiting_.empty(); }
  Found look() { return look_at(waiting_, nodes_in_round); }
  /// Every second node, so that both get old ones, on which much may hang, and young ones.
  void split(const std::string& me, Bags bags) {
    if (waiting_.size() < nodes_to_split) return;
    std::vector<Node> kept, given;
    for (std::size_t i = 0; i < waiting_.size(); ++i)
      (i % 2 == 0 ? kept : given).push_back(waiting_[i]);
    waiting_ = std::move(kept);
    const std::string name = me + '.' + std::to_string(splits_++);
    bags[name].async_create_on(bags.team().rank(), given);
  }

 private:
  std::vector<Node> waiting_;
  int splits_ = 0;
};

/// The children of the root, dealt out.
std::vector<std::string> first_names() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < bags_at_first; ++i) names.push_back(std::to_string(i));
  return names;
}
void fill(const Bags& bags) {
  const std::vector<std::string> names = first_names();
  for (int place = 0; place < children_of_root; ++place)
    bags[names[static_cast<std::size_t>(place) % bags_at_first]].async(&Bag::put,
                                                                       child(root, place));
}

/// This rank's work in a round.
struct Round {
  Found found;
  double seconds = 0;
};

bool run(World& world, const std::string& strategy, const Found& expected) {
  armature::object_array<Bag, std::string> bags(world, first_names());
  bags.measure(true);
  Found found;
  if (world.rank() == 0) {
    fill(bags);
    found = {1, 0, 0, root.number};  // the root itself
  }
  std::size_t moved = 0, made = 0;
  int rounds = 0;
  double busiest = 0, ideal = 0;  // sums over the rounds, which end together
  const auto begun = std::chrono::steady_clock::now();
  for (std::size_t count = bags_at_first; count > 0; ++rounds) {
    Round round;
    bags.for_all([&](const std::string& name, Bag& bag) {
      const double before = cpu_seconds();
      round.found = round.found + bag.look();
      round.seconds += cpu_seconds() - before;
      if (bag.is_empty()) bags[name].async_destroy();
    });
    found = found + round.found;
    busiest += allreduce(world, round.seconds, armature::Maximum());
    ideal += allreduce(world, round.seconds) / world.size();
    moved +=
        armature::rebalance(
            bags, {.strategy = armature::balance::strategy(strategy), .log = false, .record = {}})
            .moved;
    const std::size_t left = bags.size();
    if (left < bags_at_first)
      bags.for_all([&](const std::string& name, Bag& bag) { bag.split(name, bags.ref()); });
    count = bags.size();
    made += count - left;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  const Found all = allreduce(world, found);
  const bool good = all == expected;
  if (world.rank() == 0)
    std::printf(
        "%-14s %7.3f s, busiest %.3f s, ideal %.3f s (%.0f %%), %d rounds, %zu bags made, %zu "
        "moved: %s\n",
        strategy.c_str(), took.count(), busiest, ideal, 100 * ideal / busiest, rounds, made, moved,
        good ? "the tree that one rank finds" : "WRONG");
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> asked(argv + 1, argv + argc);
  return armature::run(argc, argv, [asked](World& world) {
    const Found expected = broadcast(world, world.rank() == 0 ? alone() : Found{}, 0);
    if (world.rank() == 0)
      std::printf("%ld nodes, %ld leaves, %d deep, sum %016llx\n", expected.nodes, expected.leaves,
                  expected.depth, static_cast<unsigned long long>(expected.sum));
    bool good = true;
    for (const std::string& name : asked.empty() ? armature::balance::strategy_names() : asked)
      good = run(world, name, expected) && good;
    return good ? 0 : 1;
  });
}
