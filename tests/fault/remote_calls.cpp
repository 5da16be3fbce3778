// Remote calls to a rank that dies, in each of their phases.
#include <unistd.h>

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "armature/rank_local.hpp"
#include "armature/task.hpp"
#include "victim.hpp"

namespace {

using armature::World;

void fence_for_ever(Scene& s) {
  for (;;) armature::rmi_fence(s.world);
}
/// Takes calls in while it waits for what never comes.
void take_in(Scene& s) {
  armature::sync(s.world.rank(), [] { armature::rmi_wait(), pause(); });
}

void flood(Scene& s) {
  for (int i = 0; i < 100'000; ++i) s.target->async(victim_rank, &Target::call);
}
void flood_with_long(Scene&) {
  const std::string text(100'000, 'x');
  for (int i = 0; i < 1000; ++i)
    armature::async(
        victim_rank, [](const std::string&) {}, text);
}

/// Tasks of which each needs what the one before it has left, at another member.
struct Chain {
  explicit Chain(World& world)
      : graph(world),
        words(std::make_unique<armature::task_data<int>>(
            graph, world.size(), [](std::size_t i) { return static_cast<int>(i); })) {}
  void spawn() {
    const int members = graph.team().size();
    for (int i = 0; i < members; ++i)
      graph.spawn([](int& next, const int& one) { next = one + 1; },
                  armature::writes((*words)(static_cast<std::size_t>((i + 1) % members))),
                  armature::reads((*words)(static_cast<std::size_t>(i))));
  }
  armature::task_graph graph;
  std::unique_ptr<armature::task_data<int>> words;
};
armature::rank_local<Chain*> chain;

void make_chain(Scene& s) { *chain = new Chain(s.world); }

std::vector<Call> task_calls() {
  return {
      {"task_wait",
       [](Scene&) {
         (*chain)->spawn();
         (*chain)->graph.wait();
       },
       take_in, make_chain},
      {"task_data_end",
       [](Scene&) {
         if ((*chain)->words != nullptr) (*chain)->spawn();
         (*chain)->words.reset();
         (*chain)->graph.wait();
       },
       take_in, make_chain},
  };
}

}  // namespace

const std::vector<Call>& remote_calls() {
  static const std::vector<Call> calls = [] {
    std::vector<Call> all = {
        {"async", [](Scene& s) { s.target->async(victim_rank, &Target::call); }, take_in},
        {"async_flood", flood, take_in},
        {"async_long", flood_with_long, take_in},
        {"sync", [](Scene& s) { (void)s.target->sync(victim_rank, &Target::call); }, take_in},
        // The victim is inside the method that is waited for; it may still be in the barrier before
        // the call.
        {"sync_method", [](Scene&) { armature::sync(victim_rank, [] { pause(); }); }, take_in},
        {"then",
         [](Scene& s) {
           s.target->ask(victim_rank, &Target::call).then([](int n) { return n; }).get();
         },
         take_in},
        {"wait_any",
         [](Scene& s) {
           std::array asked = {s.target->ask(victim_rank, &Target::call)};
           (void)asked[armature::wait_any(asked)].get();
         },
         take_in},
        {"test",
         [](Scene& s) {
           auto asked = s.target->ask(victim_rank, &Target::call);
           while (!asked.test()) continue;
           (void)asked.get();
         },
         take_in},
        {"ask_on", [](Scene& s) { (void)s.target->sync(s.next, &Target::ask_on, s.target->ref()); },
         take_in},
        {"forward",
         [](Scene& s) {
           for (int i = 0; i < 10'000; ++i)
             s.target->async(s.next, &Target::forward, s.target->ref());
           (void)s.target->sync(s.next, &Target::call);
         },
         take_in},
        {"rmi_fence", [](Scene& s) { armature::rmi_fence(s.world); }, fence_for_ever},
        {"fence_async", [](Scene& s) { armature::fence_async(s.world).get(); }, fence_for_ever},
        {"fence_then", [](Scene& s) { armature::fence_async(s.world).then([] {}).get(); },
         fence_for_ever},
        {"broadcast_calls", [](Scene& s) { s.target->broadcast_async(&Target::call).get(); },
         take_in},
        {"reduce_calls", [](Scene& s) { (void)s.target->reduce(&Target::call); }, take_in},
        // The victim's own calls, of which some are under way.
        {"called_by_victim", [](Scene& s) { (void)s.target->sync(s.next, &Target::call); },
         forever([](Scene& s) { s.target->async(0, &Target::call); })},
        {"asked_by_victim", [](Scene& s) { (void)s.target->sync(s.next, &Target::call); },
         forever([](Scene& s) { (void)s.target->sync(0, &Target::call); })},
    };
    for (Call& call : task_calls()) all.push_back(std::move(call));
    for (Call& call : all) call.meanwhile = true;
    return all;
  }();
  return calls;
}
