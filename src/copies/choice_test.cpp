#include "copies/choice.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include "armature/error.hpp"
#include "copies/trial.hpp"
#include "harness/copy_variable.hpp"

namespace armature::copies {
namespace {

using space::CopyChoices;

/// An EPYC of the fourth generation, whether this is one or not.
Processor zen_4() { return {.vendor = "AuthenticAMD", .family = 0x19, .model = 0x11}; }
Processor nobodys() { return {.vendor = "NobodysChips", .family = 1, .model = 2}; }

std::size_t chosen_in(const CopyChoices& choices) {
  return static_cast<std::size_t>(std::ranges::count_if(
      choices.way, [](const auto& way) { return way.load() >= CopyChoices::chosen; }));
}

TEST(CopyChoice, of_a_known_processor_is_the_tables_and_nothing_is_tried) {
  const harness::CopyVariable says(nullptr);
  CopyChoices choices;
  std::vector<char> from(1 << 16, 'x'), to(1 << 16);
  std::size_t known = 0;
  for (std::size_t number = 0; number < CopyChoices::kinds; ++number) {
    const Kind kind = Kind::of_number(number);
    EXPECT_EQ(kind.number(), number);
    const auto way = known_way(zen_4(), kind);
    ASSERT_TRUE(way.has_value());
    if (!candidate(*way).is_there()) continue;
    ++known;
    choose_and_copy(choices, kind, to.data(), from.data(), to.size(), zen_4);
    EXPECT_EQ(choices.way[number], CopyChoices::chosen + static_cast<int>(*way));
    EXPECT_EQ(to, from);
    std::ranges::fill(to, ' ');
  }
  EXPECT_EQ(chosen_in(choices), known);
  EXPECT_EQ(choices.trials, 0U);
  EXPECT_EQ(choices.bytes_tried, 0U);
}

TEST(CopyChoice, of_an_unknown_processor_is_tried) {
  const harness::CopyVariable says(nullptr);
  CopyChoices choices;
  std::vector<char> from(4096, 'x'), to(4096);
  choose_and_copy(choices, {}, to.data(), from.data(), to.size(), nobodys);
  EXPECT_EQ(choices.trials, 1U);
  EXPECT_EQ(to, from);
}

TEST(CopyChoice, that_the_environment_makes_holds_for_all_kinds) {
  for (const Candidate& each : candidates) {
    if (!each.is_there()) continue;
    const harness::CopyVariable says(each.name);
    CopyChoices choices;
    std::vector<char> from(1 << 16, 'x'), to(1 << 16);
    for (std::size_t number = 0; number < CopyChoices::kinds; ++number) {
      choose_and_copy(choices, Kind::of_number(number), to.data(), from.data(), to.size(), zen_4);
      EXPECT_EQ(choices.way[number] - CopyChoices::chosen, &each - candidates.data()) << each.name;
    }
    EXPECT_EQ(choices.trials, 0U);
  }
}

TEST(CopyChoice, that_somebody_else_is_making_is_not_waited_for) {
  CopyChoices choices;
  choices.way[0] = CopyChoices::being_chosen;
  std::vector<char> from(4096, 'x'), to(4096);
  choose_and_copy(choices, {}, to.data(), from.data(), to.size(), nobodys);
  EXPECT_EQ(to, from);
  EXPECT_EQ(choices.way[0], CopyChoices::being_chosen);
  EXPECT_EQ(choices.trials, 0U);
}

TEST(CopyChoice, an_unknown_word_is_an_error) {
  const harness::CopyVariable says("fastest");
  EXPECT_THROW((void)wanted_way(), Error);
}

/// A machine on which each way takes as long as it is told to.
class TestedWays {
 public:
  explicit TestedWays(bool past_cache) : past_cache_(past_cache) { ns_per_byte_.fill(1); }
  double& operator[](Way way) { return ns_per_byte_[static_cast<std::size_t>(way)]; }
  Way best() {
    return best_of(past_cache_, {.probe = 100, .bytes = 1000, .rounds = 3, .margin = 0.02},
                   [this](Way way, std::size_t bytes) {
                     EXPECT_TRUE(candidate(way).is_there());
                     EXPECT_TRUE(past_cache_ || !candidate(way).past_cache);
                     bytes_[static_cast<std::size_t>(way)] += bytes;
                     return (*this)[way] * static_cast<double>(bytes);
                   });
  }
  [[nodiscard]] std::size_t bytes(Way way) const { return bytes_[static_cast<std::size_t>(way)]; }

 private:
  bool past_cache_;
  std::array<double, ways> ns_per_byte_{};
  std::array<std::size_t, ways> bytes_{};
};

TEST(CopyTrial, finds_the_way_that_takes_least) {
  for (const bool past_cache : {false, true})
    for (std::size_t i = 0; i < ways; ++i) {
      if (!candidates[i].is_there() || (candidates[i].past_cache && !past_cache)) continue;
      TestedWays tested(past_cache);
      tested[static_cast<Way>(i)] = 0.8;
      EXPECT_EQ(tested.best(), static_cast<Way>(i)) << candidates[i].name;
    }
}

TEST(CopyTrial, stays_with_the_usual_way_where_another_is_hardly_better) {
  TestedWays tested(false);
  tested[Way::libc] = 0.99;
  EXPECT_EQ(tested.best(), usual_way(false));
}

TEST(CopyTrial, leaves_a_hopeless_way_after_a_probe) {
  if (usual_way(false) == Way::libc) return;  // there is no other
  TestedWays tested(false);
  tested[Way::libc] = 30;
  EXPECT_NE(tested.best(), Way::libc);
  EXPECT_EQ(tested.bytes(Way::libc), 100U);
  EXPECT_EQ(tested.bytes(usual_way(false)), 3100U);
}

}  // namespace
}  // namespace armature::copies
