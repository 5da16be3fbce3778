#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "armature/armature.hpp"
#include "armature/rmi.hpp"

// What victim.cpp and remote_calls.cpp share: a job before one of its ranks dies.

constexpr int victim_rank = 1;

/// By the victim: kills it after that time, whatever it does meanwhile.
void die_after(std::chrono::microseconds delay);

/// What remote calls are made to.
struct Target {
  int calls = 0;
  int call() { return ++calls; }
  /// Passes a call on to the victim.
  void forward(armature::shared_ref<Target> all) { all.async(victim_rank, &Target::call); }
  int ask_on(armature::shared_ref<Target> all) { return all.sync(victim_rank, &Target::call); }
};

/// What is there before the death.
struct Scene {
  armature::World& world;
  armature::Piece<double> piece;
  std::vector<armature::Piece<int>> to_free;
  std::vector<armature::Mutexes> to_destroy;
  armature::Mutexes mutexes;
  armature::Team survivors;
  std::unique_ptr<armature::shared<Target>> target;
  std::vector<double> data;
  std::vector<double> all;
};

using Step = std::function<void(Scene&)>;

struct Call {
  const char* name;
  Step call;              // what the survivors do, `rounds` times
  Step victim = nullptr;  // what the victim is in; the same unless said
  Step prepare = nullptr;
  bool meanwhile = false;  // the survivors are in the call, again and again, while the victim dies
};

/// A step that is taken again and again.
template <class F>
Step forever(F f) {
  return [f](Scene& s) {
    for (;;) f(s);
  };
}

const std::vector<Call>& remote_calls();
