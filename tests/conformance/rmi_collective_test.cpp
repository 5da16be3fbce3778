// Remote calls that all members of a team make together, and calls to some ranks (armi-rmi-2003,
// 3.3).
#include "armature/rmi_collective.hpp"

#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "armature/subset.hpp"
#include "rmi.hpp"

using namespace conformance;
using armature::Rank;
using armature::shared;

namespace {

struct Tally {
  void add(int amount) { total += amount; }
  void append(std::string_view more) { text += more; }
  [[nodiscard]] int plus(int amount) const { return total + amount; }
  [[nodiscard]] std::string spelled(const std::string& before) const {
    return before + std::to_string(me());
  }
  void need(int value) const {
    if (me() == ranks() - 1 && value > 0) throw std::runtime_error("too much");
  }
  int total = 0;
  std::string text;
};

int root() { return ranks() / 2; }

}  // namespace

RMI_TEST(RmiCollective, all_but_the_root_execute_a_broadcast_before_any_leaves) {
  shared<Tally> tally(world());
  armature::broadcast_rmi(root(), tally, &Tally::add, 10 + me());
  EXPECT_EQ(tally->total, me() == root() ? 0 : 10 + root());
  for (int to = 0; to < ranks(); ++to)
    EXPECT_EQ(tally.sync(to, &Tally::plus, 0), to == root() ? 0 : 10 + root());
}

// Short and long ones: what goes ahead with the length has 248 bytes.
RMI_TEST(RmiCollective, arguments_of_all_lengths_arrive_whole) {
  shared<Tally> tally(world());
  std::string all;
  for (const std::size_t bytes : {0, 1, 200, 231, 232, 233, 4000, 100'000}) {
    const std::string mine(bytes, static_cast<char>('a' + me()));
    armature::broadcast_rmi(0, tally, &Tally::append, mine);
    all += std::string(bytes, 'a');
    EXPECT_EQ(tally->text, me() == 0 ? std::string() : all) << bytes;
  }
}

RMI_TEST(RmiCollective, a_reduce_executes_at_all_and_its_root_gets_the_sum) {
  shared<Tally> tally(world());
  tally->total = me();
  int sum = -1;
  armature::reduce_rmi(root(), tally, &Tally::plus, 5 + me(), sum);
  const int expected = ranks() * (ranks() - 1) / 2 + ranks() * (5 + root());
  EXPECT_EQ(sum, me() == root() ? expected : -1);
  int most = -1;
  armature::reduce_rmi(0, tally, &Tally::plus, 1, most, armature::Maximum());
  EXPECT_EQ(most, me() == 0 ? ranks() : -1);
}

RMI_TEST(RmiCollective, results_that_are_no_plain_values_are_combined_in_team_order) {
  shared<Tally> tally(world());
  std::string all;
  armature::reduce_rmi(root(), tally, &Tally::spelled, std::string("-"), all);
  std::string expected;
  for (int i = 0; i < ranks(); ++i) expected += "-" + std::to_string(i);
  EXPECT_EQ(all, me() == root() ? expected : std::string());
}

RMI_TEST(RmiCollective, a_part_of_the_ranks_may_be_its_team) {
  shared<Tally> tally(world());
  const armature::Team odd = world().split(me() % 2, me());
  const int first = me() % 2;
  armature::broadcast_rmi(first, odd, tally, &Tally::add, 100 + first);
  EXPECT_EQ(tally->total, me() == first ? 0 : 100 + first);
  int sum = 0;
  armature::reduce_rmi(first, odd, tally, &Tally::plus, 0, sum);
  EXPECT_EQ(sum, me() == first ? (odd.size() - 1) * (100 + first) : 0);
}

RMI_TEST(RmiCollective, a_method_that_throws_is_told_at_all) {
  shared<Tally> tally(world());
  if (ranks() > 1) {
    EXPECT_THROW(armature::broadcast_rmi(0, tally, &Tally::need, 1), armature::Error);
  }
  armature::broadcast_rmi(0, tally, &Tally::need, 0);
  expect_error(armature::Errc::bad_rank, {"broadcast_rmi", "root"},
               [&] { armature::broadcast_rmi(ranks(), tally, &Tally::add, 1); });
}

RMI_TEST(RmiSubset, calls_go_to_the_ranks_of_which_the_predicate_holds) {
  shared<Tally> tally(world());
  const auto odd = tally.among([](Rank rank) { return rank % 2 == 1; });
  ASSERT_EQ(static_cast<int>(odd.ranks().size()), ranks() / 2);
  odd.broadcast(&Tally::add, 1);
  armature::rmi_fence();
  EXPECT_EQ(tally->total, me() % 2 == 1 ? ranks() : 0);
  armature::rmi_fence();
  odd.broadcast_async(&Tally::add, 0).get();
  if (ranks() > 1) {
    EXPECT_EQ(odd.reduce(&Tally::plus, std::plus<>(), 0), ranks() / 2 * ranks());
    EXPECT_EQ(odd.reduce_async(&Tally::plus, armature::Maximum(), 1).get(), ranks() + 1);
  }
  expect_error(armature::Errc::bad_argument, {"no ranks"}, [&] {
    (void)tally.among([](Rank) { return false; }).reduce(&Tally::plus, std::plus<>(), 0);
  });
}

RMI_TEST(RmiSubset, calls_go_to_the_members_of_a_team_in_their_order) {
  shared<Tally> tally(world());
  const armature::Team backwards = world().split(0, -me());
  std::string expected;
  for (int i = ranks(); i-- > 0;) expected += "-" + std::to_string(i);
  EXPECT_EQ(tally.among(backwards).reduce(&Tally::spelled, std::plus<>(), "-"), expected);
}
