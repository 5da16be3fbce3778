// Statics of functions whose initialisers wait: the ranks of a process share each, so the first one
// there initialises it, and the others wait for that as for anything else.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

#include <armature/armature.hpp>
#include <armature/virtual.hpp>

namespace {

using armature::World;

void require(bool good, const char* what) {
  if (!good) armature::abort(1, what);
}

/// Waits: for another rank's answer, and lets the others run meanwhile.
int ask_the_next() {
  const World& world = armature::world();
  for (int i = 0; i < 20; ++i) armature::yield();
  return armature::sync((world.rank() + 1) % world.size(), [](int x) { return x; }, 42);
}

std::atomic<int> initialised = 0;  // in this process

int table() {
  static const int value = [] {
    require(armature::rank_kind() != armature::RankKind::fiber || !armature::can_migrate(),
            "who initialises a static of its process could leave it");
    ++initialised;
    return ask_the_next();
  }();
  return value;
}

std::atomic<int> tried = 0;

/// Fails twice.
int fails_first() {
  static const int value = [] {
    const int answer = ask_the_next();
    if (++tried <= 2) throw std::runtime_error("not yet");
    return answer;
  }();
  return value;
}

int outer() {
  static const int value = table() + ask_the_next();
  return value;
}

int of_itself(bool again) {
  static const int value = again ? of_itself(false) : 1;
  return value;
}

void use_statics(World& world) {
  require(outer() == 84, "a static in a static");
  require(table() == 42, "the static's value");
  require(initialised == 1, "the static was not initialised once");
  int failures = 0;
  for (bool done = false; !done;) {
    try {
      done = fails_first() == 42;
    } catch (const std::runtime_error&) {
      ++failures;
    }
  }
  require(failures <= 2, "who has not failed was told so");
  require(tried == 3, "a static whose initialiser has failed was not initialised by the next");
  require(armature::rank_kind() != armature::RankKind::fiber || armature::can_migrate(),
          "a rank stays after it has initialised a static");
  armature::rmi_fence();
  if (world.rank() == 0) std::puts("all statics are initialised");
}

/// A rank that waits for another one's initialiser is given to a process with nothing to do.
void be_moved(World& world) {
  if (world.rank() % 4 != 0)
    for (int i = 0; i < 20000; ++i) armature::yield();
  require(table() == 42, "the static's value");
  armature::rmi_fence();
  if (world.rank() == 0) std::puts("all statics are initialised");
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [&](World& world) {
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "of_itself") of_itself(true);
    what == "be_moved" ? be_moved(world) : use_statics(world);
  });
}
