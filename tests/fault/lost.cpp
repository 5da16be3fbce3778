// lost CALL node|rank: the ranks of the last node, or the last rank alone, do nothing until
// somebody kills or stops them, or cuts their link. The others are in CALL, to the last rank, again
// and again, until it ends with an error. Then they try every other call, show that they still work
// together, and leave. Who shares memory with the last rank leaves out what that makes possible
// also when it is dead.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "armature/armature.hpp"
#include "armature/expose.hpp"
#include "armature/rmi.hpp"
#include "armature/virtual.hpp"

namespace {

// Read before main: it is gone from the environment when the job has been joined.
const bool are_virtual = std::getenv("ARMATURE_VIRTUAL") != nullptr;

using armature::Rank;
using armature::World;

constexpr std::size_t n = 1 << 17;  // doubles: a put or get of many pieces

struct Target {
  int calls = 0;
  int call() { return ++calls; }
};

struct Scene {
  World& world;
  Rank victim;
  armature::Piece<double> piece;
  armature::Mutexes mutexes;
  armature::Team survivors;
  armature::global_ptr<std::int64_t> exposed;  // of the victim's stack
  std::unique_ptr<armature::shared<Target>> target;
  std::vector<double> data;
};

struct Call {
  std::function<void(Scene&)> call;
  bool by_memory = false;  // needs no rank where memory is shared
};
using Calls = std::map<std::string, Call>;

const Calls& calls() {
  static const Calls all = {
      {"put", {[](Scene& s) { armature::put(s.piece.on(s.victim), s.data); }, true}},
      {"put_fence",
       {[](Scene& s) {
          armature::put(s.piece.on(s.victim), 1.0);
          armature::fence(s.victim);
        },
        true}},
      {"get", {[](Scene& s) { armature::get(s.data, s.piece.on(s.victim)); }, true}},
      {"get_handle",
       {[](Scene& s) { armature::get_async(s.data.data(), s.piece.on(s.victim), n).wait(); },
        true}},
      {"accumulate", {[](Scene& s) { armature::accumulate(s.piece.on(s.victim), s.data); }, true}},
      {"atomic",
       {[](Scene& s) { armature::fetch_add(s.piece.on(s.victim).cast<std::int64_t>(), 1); }, true}},
      // Virtual ranks of a node reach what one exposes by themselves.
      {"exposed_get", {[](Scene& s) { (void)armature::get(s.exposed); }, are_virtual}},
      {"exposed_atomic", {[](Scene& s) { (void)armature::fetch_add(s.exposed, 1); }, are_virtual}},
      {"lock", {[](Scene& s) { s.mutexes.lock(s.victim, 0); }}},  // which the victim holds
      // Which rank 0 holds, and gives back by way of the victim's process.
      {"lock_held_far",
       {[](Scene& s) { s.mutexes.lock(s.victim, s.world.rank() == 0 ? 0 : 1 + s.world.size()); }}},
      {"sync", {[](Scene& s) { (void)s.target->sync(s.victim, &Target::call); }}},
      {"async_fence", {[](Scene& s) {
         s.target->async(s.victim, &Target::call);
         armature::rmi_fence(s.world);
       }}},
      {"barrier", {[](Scene& s) { s.world.barrier(); }}},
      {"allreduce", {[](Scene& s) { (void)allreduce(s.world, 1.0); }}},
      {"wait_notify", {[](Scene& s) { armature::wait_notify(s.victim); }}},
      {"receive", {[](Scene& s) {
         (void)armature::receive(s.victim, 1, std::as_writable_bytes(std::span(s.data)));
       }}},
      {"receive_async", {[](Scene& s) { armature::receive_async(s.victim, 1, s.data).wait(); }}},
      // This message is not received.
      {"send_async", {[](Scene& s) { armature::send_async(s.victim, 1, s.data).wait(); }}},
  };
  return all;
}

/// Says how it went: lost, when the error names a rank of the last node.
void report(const Scene& scene, const std::string& call, const armature::Error& error) {
  std::printf("rank %d: %s: %s: %s\n", static_cast<int>(scene.world.rank()), call.c_str(),
              error.code() == armature::Errc::rank_lost ? "lost" : "wrong", error.what());
  std::fflush(stdout);
}

void until_lost(Scene& scene, const std::string& name) {
  const Call& call = calls().at(name);
  if (call.by_memory && armature::same_node(scene.world.rank(), scene.victim)) return;
  try {
    for (;;) call.call(scene);
  } catch (const armature::Error& error) {
    report(scene, name, error);
  }
}

int survive(Scene& scene, const std::string& name) {
  until_lost(scene, name);
  for (const auto& other : calls())
    if (other.first != name) until_lost(scene, other.first);
  for (int i = 0; i < 5; ++i) scene.survivors.barrier();
  const int sum = allreduce(scene.survivors, 1);
  std::printf("rank %d goes on, %s\n", static_cast<int>(scene.world.rank()),
              sum == scene.survivors.size() ? "well" : "badly");
  std::fflush(stdout);
  return 0;
}

int run(World& world, const std::string& name, bool whole_node) {
  const int nodes = armature::domain_count(armature::Domain::smp);
  const std::vector<Rank> gone = armature::domain_ranks(armature::Domain::smp, nodes - 1);
  const bool is_gone = whole_node ? std::ranges::find(gone, Rank(world.rank())) != gone.end()
                                  : world.rank() == gone.back();
  std::array<std::int64_t, 1> stack{};
  const auto exposed = armature::expose(std::span(stack));
  Scene scene{.world = world,
              .victim = gone.back(),
              .piece = world.allocate<double>(n),
              .mutexes = world.create_mutexes(2 + world.size()),
              .survivors = world.split(is_gone ? 1 : 0, world.rank()),
              .exposed = broadcast(world, exposed.pointer(), gone.back()),
              .target = std::make_unique<armature::shared<Target>>(world),
              .data = std::vector<double>(n, 1)};
  if (world.rank() == scene.victim) scene.mutexes.lock(scene.victim, 0);
  // Released when their owner is gone.
  const auto held = scene.mutexes.guard(scene.victim, 1 + world.rank());
  std::optional<armature::Mutexes::Guard> held_far;
  if (world.rank() == 0) held_far.emplace(scene.mutexes, scene.victim, 1 + world.size());
  world.barrier();
  std::printf("rank %d is process %d\n", static_cast<int>(world.rank()), getpid());
  std::fflush(stdout);
  if (!is_gone) return survive(scene, name);
  // Virtual ranks share a process.
  for (;;) are_virtual ? armature::yield() : static_cast<void>(pause());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 || !calls().contains(argv[1])) {
    for (const auto& call : calls()) std::printf("%s\n", call.first.c_str());
    return argc == 1 ? 0 : 2;
  }
  return armature::run(argc, argv, [&](World& world) {
    return run(world, argv[1], std::string(argv[2]) == "node");
  });
}
