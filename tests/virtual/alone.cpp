// A rank that is alone in its process has nobody who wakes it: as long as there is something that
// it can do itself, it must not fall asleep.
#include <sys/resource.h>

#include <cstdio>

#include <armature/armature.hpp>

namespace {

using armature::World;

struct Chain {
  int calls = 0;
  /// Calls its own rank, which is to execute that while it waits for the fence.
  void go_on(armature::shared_ref<Chain> self, int more) {
    ++calls;
    if (more > 0) self.async(0, &Chain::go_on, self, more - 1);
  }
};

/// How often this process has gone to sleep.
long sleeps() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nvcsw;
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](World& world) {
    armature::shared<Chain> chain(world);
    const long before = sleeps();
    constexpr int fences = 100, depth = 10;
    for (int i = 0; i < fences; ++i) {
      chain.async(0, &Chain::go_on, chain.ref(), depth - 1);
      armature::rmi_fence();
    }
    if (chain->calls != fences * depth) armature::abort(1, "a call was lost");
    const long slept = sleeps() - before;
    std::printf("asleep %ld times in %d fences\n", slept, fences);
    if (slept > fences / 4) armature::abort(1, "it fell asleep with something to do");
  });
}
