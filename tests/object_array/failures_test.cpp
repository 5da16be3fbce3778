// What goes wrong in elements and on their way, and what must not stand still.
#include <functional>
#include <stdexcept>

#include <armature/object_array.hpp>

#include "rmi.hpp"

using namespace conformance;
using armature::Errc;
using armature::object_array;

namespace {

/// A number that others ask for.
class Cell {
 public:
  Cell() = default;
  explicit Cell(long start) : sum_(start) {}
  void define_type(armature::typer& t) { t.local(sum_); }

  long sum() const { return sum_; }
  void fail_oddly() { throw 7; }
  long need(armature::object_array_ref<Cell, int> cells) const {
    return sum_ == 2 ? cells[77].sync(&Cell::sum) : sum_;
  }

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

TEST(ObjectArrayFailures, whatever_a_method_throws_settles_its_question) {
  object_array<Cell, int> cells(world(), armature::all_indices(4), [](int i) { return Cell(i); });
  expect_error(Errc::remote, {"no std::exception"},
               [&] { cells[me() % 4].sync(&Cell::fail_oddly); });
  expect_error(Errc::remote, {"no std::exception"},
               [&] { cells[1].visit([](const Cell&) -> int { throw "text"; }); });
  world().barrier();
}

TEST(ObjectArrayFailures, a_reduction_leaves_out_no_element_that_misses_another_one) {
  object_array<Cell, int> cells(world(), armature::all_indices(4), [](int i) { return Cell(i); });
  expect_error(Errc::object_gone, {"no element 77"},
               [&] { (void)cells.reduce(&Cell::need, std::plus<>(), cells.ref()); });
  world().barrier();
}
