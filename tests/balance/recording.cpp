// Writes down who computed how much, for `armature balance --replay`: of elements that call each
// other in a ring, or of virtual ranks.
//
//   recording elements|ranks FILE
#include <chrono>
#include <string_view>

#include <armature/object_array.hpp>
#include <armature/object_array/rebalance.hpp>
#include <armature/rebalance.hpp>
#include <armature/run.hpp>

namespace {

using armature::World;

constexpr int elements = 12;

void compute(std::chrono::microseconds duration) {
  const auto end = std::chrono::steady_clock::now() + duration;
  while (std::chrono::steady_clock::now() < end) {
  }
}

class Element;
using Ring = armature::object_array_ref<Element, int>;

class Element {
 public:
  void define_type(armature::typer& t) { t.local(heard_); }

  /// The first has most to do.
  void work(int me, Ring ring) {
    compute(std::chrono::microseconds(1000 / (me + 1)));
    ring[(me + 1) % elements].async(&Element::hear);
  }
  void hear() { ++heard_; }

 private:
  int heard_ = 0;
};

void of_elements(World& world, const armature::RebalanceOptions& options) {
  armature::object_array<Element, int> ring(world, armature::all_indices(elements));
  ring.measure(true);
  ring.for_all([&](int me, Element& element) { element.work(me, ring.ref()); });
  (void)armature::rebalance(ring, options);
}

void of_ranks(World& world, const armature::RebalanceOptions& options) {
  (void)armature::rebalance(world);  // from now on
  compute(std::chrono::microseconds(1000 * world.rank()));
  world.barrier();
  (void)armature::rebalance(world, options);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string_view what = argv[1];
  const armature::RebalanceOptions options{
      .strategy = armature::balance::none, .log = false, .record = argv[2]};
  return armature::run(argc, argv, [&](World& world) {
    what == "ranks" ? of_ranks(world, options) : of_elements(world, options);
  });
}
