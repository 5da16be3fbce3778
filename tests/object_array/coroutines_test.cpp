// Methods of elements that are coroutines: while one waits its element stays where it is.
#include <string>
#include <utility>
#include <vector>

#include <armature/object_array.hpp>

#include "rmi.hpp"

using namespace conformance;
using armature::object_array;

namespace {

/// Adds what it is told later.
class Sum {
 public:
  Sum() = default;
  void define_type(armature::typer& t) { t.local(sum_); }

  armature::future<void> add_when_told(
      armature::Rank rank, armature::remote_promise<armature::remote_promise<long>> to) {
    auto [number, promise] = armature::make_promise<long>(rank);
    to.set(promise);
    const std::string in_the_frame(100, 'x');
    const long told = co_await number;
    sum_ += told * static_cast<long>(in_the_frame.size());
  }
  long get() const { return sum_; }

 private:
  long sum_ = 0;
};

using Cells = object_array<Sum, int>;

/// Lets a coroutine of each element of this rank begin: the promises that they wait for.
std::vector<armature::remote_promise<long>> begin_coroutines(Cells& cells, int each) {
  std::vector<armature::remote_promise<long>> all;
  for (int i = 0; i < each; ++i) {
    auto [asked, promise] = armature::make_promise<armature::remote_promise<long>>(me());
    cells[me() * each + i].async(&Sum::add_when_told, armature::Rank(me()), promise);
    all.push_back(asked.get());
  }
  return all;
}

/// Waits until all elements of this rank are at that member.
bool all_are_at(Cells& cells, int each, int member) {
  return eventually([&] {
    armature::rmi_poll();
    for (int i = 0; i < each; ++i)
      if (!cells[me() * each + i].exists() || cells[me() * each + i].member() != member)
        return false;
    return true;
  });
}

}  // namespace

RMI_TEST(ObjectArrayCoroutines, an_element_that_is_to_move_keeps_what_a_coroutine_writes) {
  constexpr int each = 5;
  Cells cells(world(), armature::all_indices(each * ranks()));
  const auto promises = begin_coroutines(cells, each);
  for (int i = 0; i < each; ++i) cells[me() * each + i].move_to(right());
  cells.fence();
  for (const auto& promise : promises) promise.set(7);
  EXPECT_TRUE(eventually([&] {
    armature::rmi_poll();
    for (int i = 0; i < each; ++i)
      if (cells[me() * each + i].sync(&Sum::get) != 700) return false;
    return true;
  }));
  EXPECT_TRUE(all_are_at(cells, each, right()));
  cells.fence();
  EXPECT_EQ(cells.size(), static_cast<std::size_t>(each * ranks()));
}

RMI_TEST(ObjectArrayCoroutines, an_element_lives_until_its_coroutine_has_ended) {
  constexpr int each = 3;
  std::vector<armature::remote_promise<long>> promises;
  {
    Cells cells(world(), armature::all_indices(each * ranks()));
    promises = begin_coroutines(cells, each);
    for (int i = 0; i < each; ++i) cells[me() * each + i].destroy();
    for (int i = 0; i < each; ++i) cells[me() * each + i].create();
    promises[0].set(1);
    cells.fence();
    for (int i = 0; i < each; ++i) EXPECT_EQ(cells[me() * each + i].sync(&Sum::get), 0);
  }
  // The array is gone.
  for (std::size_t i = 1; i < promises.size(); ++i) promises[i].set(1);
  armature::rmi_fence();
  armature::rmi_poll();
}
