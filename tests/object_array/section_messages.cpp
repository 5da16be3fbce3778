// Rank 0 calls a section of four elements of each rank, REPEAT times in the way of KIND: each by
// itself, by multicast, or by combine. section_messages.py counts what that sends.
#include <cstdio>
#include <cstdlib>
#include <string>

#include <armature/armature.hpp>
#include <armature/object_array.hpp>

namespace {

struct Counter {
  long calls = 0;
  void call() { ++calls; }
  long get() const { return calls; }
};

}  // namespace

int main(int argc, char** argv) {
  const std::string kind = argc > 1 ? argv[1] : "multicast";
  const int repeat = argc > 2 ? std::atoi(argv[2]) : 1;
  return armature::run(argc, argv, [&](armature::World& world) {
    armature::object_array<Counter, int> all(world, armature::all_indices(8 * world.size()));
    long sum = 0;
    if (world.rank() == 0) {
      const auto even = all.select([](int index) { return index % 2 == 0; });
      for (int i = 0; i < repeat; ++i) {
        if (kind == "each") even.async(&Counter::call);
        if (kind == "multicast") even.multicast(&Counter::call);
        if (kind == "combine") sum += even.combine(&Counter::get).get();
      }
    }
    all.fence();
    const long calls =
        all.transform_reduce(0L, std::plus<>(), [](int, const Counter& one) { return one.calls; });
    if (world.rank() == 0) std::printf("calls %ld sum %ld\n", calls, sum);
  });
}
