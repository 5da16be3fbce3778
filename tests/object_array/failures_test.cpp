// What goes wrong in elements and on their way, and what must not stand still.
#include <stdexcept>

#include <armature/object_array.hpp>

#include "rmi.hpp"

using namespace conformance;
using armature::object_array;

namespace {

/// A number that others ask for.
class Cell {
 public:
  Cell() = default;
  explicit Cell(long start) : sum_(start) {}
  void define_type(armature::typer& t) { t.local(sum_); }

  long sum() const { return sum_; }

 private:
  long sum_ = 0;
};

}  // namespace

TEST(ObjectArrayFailures, reductions_by_methods_get_done_at_the_limit_of_nesting) {
  const With few(&armature::RmiSettings::nesting_max, 8U);
  object_array<Cell, int> cells(world(), armature::all_indices(12), [](int i) { return Cell(i); });
  for (int call = 0; call < 40; ++call)
    armature::async(
        right(),
        [](armature::object_array_ref<Cell, int> all) {
          if (all.reduce(&Cell::sum) != 66) throw std::logic_error("another sum");
        },
        cells.ref());
  cells.fence();
}
