#include <iostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explorer.hpp"

// Every interleaving of small jobs: rmi_fence keeps its promise in all of them, and the explorer
// notices when the detection is wrong. See docs/internals/fence.md.

namespace armature::fence_model {
namespace {

const Scenario jobs[] = {
    {.name = "nothing_is_sent", .programs = {"fence fence", "fence fence", "fence fence"}},
    {.name = "one_rank_alone", .programs = {"fence fence"}},
    {.name = "methods_answer_methods",
     .programs = {"a>1(b>0(c>1)) fence d>1 fence", "fence e>0(f>1) fence"}},
    {.name = "requests_overtake_each_other",
     .programs = {"a>1(b>0) c>1 fence d>1 fence", "e>0 fence f>0(g>1) fence"}},
    {.name = "requests_stay_in_order",
     .programs = {"a>1(b>0) c>1 fence d>1 fence", "e>0 fence f>0(g>1) fence"},
     .fifo = true},
    {.name = "methods_interrupt_methods",
     .programs = {"a>1(b>0 c>0) fence", "d>0(e>1) fence"},
     .nests = true},
    {.name = "sending_goes_on_after_fence_async",
     .programs = {"a>1(b>0) async c>1(d>0) wait fence", "async e>0 wait fence"}},
    {.name = "three_ranks_pass_a_request_on",
     .programs = {"a>1(b>2(c>0)) fence", "fence", "fence"}},
    {.name = "three_ranks_and_two_fences",
     .programs = {"a>1(b>2) fence c>2 fence", "fence d>0(e>2) fence", "fence fence"}},
    {.name = "fence_async_of_three_ranks",
     .programs = {"a>1(b>2) async c>2 wait", "fence", "fence"}},
    {.name = "two_fences_async_of_three_ranks",
     .programs = {"async a>1 wait fence", "async b>2(c>0) wait fence", "async wait fence"}},
    {.name = "a_team_beside_an_outsider",
     .programs = {"a>1(b>0) fence c>2(d>1) fence", "fence fence", "e>0(f>1)"},
     .members = 2},
};

class Sound : public ::testing::TestWithParam<Scenario> {};

TEST_P(Sound, fence_keeps_its_promise_in_every_interleaving) {
  const Exploration found = explore(Model(GetParam(), Fault::none));
  EXPECT_FALSE(found.violation) << *found.violation;
  EXPECT_GT(found.ends, 0u);
  std::cout << "  " << found.states << " states, " << found.steps << " steps, " << found.ends
            << " ends\n";
}

INSTANTIATE_TEST_SUITE_P(Jobs, Sound, ::testing::ValuesIn(jobs),
                         [](const auto& job) { return job.param.name; });

// Not what the code does, but right too: see "May a wave serve two fences?" in fence.md.
TEST_P(Sound, the_wave_before_the_first_may_be_the_last_of_the_fence_before) {
  const Exploration found = explore(Model(GetParam(), Fault::wave_before_from_fence_before));
  EXPECT_FALSE(found.violation) << *found.violation;
}

struct Mistake {
  std::string name;
  Fault fault;
  std::vector<std::string> programs;
  std::string wrong;  // how a shortest way ends
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.name; }

const Mistake mistakes[] = {
    {"executed_counted_at_start",
     Fault::executed_counted_at_start,
     {"a>1 fence", "fence"},
     "request a has not been executed"},
    {"sent_counted_at_delivery",
     Fault::sent_counted_at_delivery,
     {"a>1 fence", "fence"},
     "request a has not been executed"},
    {"sent_counted_after_publishing",
     Fault::sent_counted_after_publishing,
     {"async a>1 wait", "b>0 fence"},
     "request b has not been executed"},
    {"a_sent_count_lost",
     Fault::sent_count_lost,
     {"a>1 fence", "b>0 fence"},
     "request b has not been executed"},
    {"an_executed_count_lost",
     Fault::executed_count_lost,
     {"a>1 fence", "fence"},
     "all is quiet, and the fence goes on"},
    {"one_line_instead_of_two",
     Fault::one_line_instead_of_two,
     {"fence", "fence"},
     "the line was used again before all had read it"},
    {"one_wave", Fault::one_wave, {"fence", "a>0(b>1) fence"}, "request a has not been executed"},
    {"waves_swapped",
     Fault::waves_swapped,
     {"fence", "a>0(b>1) fence"},
     "request b has not been executed"},
    {"no_wave_of_its_own",
     Fault::no_wave_of_its_own,
     {"fence fence", "fence fence"},
     "rank 1 has not entered"},
    {"sums_never_cleared",
     Fault::sums_never_cleared,
     {"a>1 fence b>1 fence", "fence fence"},
     "request b has not been executed"},
};

class Planted : public ::testing::TestWithParam<Mistake> {};

TEST_P(Planted, mistake_is_found) {
  const Mistake& mistake = GetParam();
  const Exploration found = explore(Model({.programs = mistake.programs}, mistake.fault));
  ASSERT_TRUE(found.violation) << "none of " << found.states << " states shows it";
  EXPECT_THAT(*found.violation, ::testing::EndsWith(mistake.wrong));
  std::cout << *found.violation << "\n";
}

TEST_P(Planted, mistake_is_what_goes_wrong) {
  const Exploration found = explore(Model({.programs = GetParam().programs}, Fault::none));
  EXPECT_FALSE(found.violation) << *found.violation;
}

INSTANTIATE_TEST_SUITE_P(Mistakes, Planted, ::testing::ValuesIn(mistakes),
                         [](const auto& it) { return it.param.name; });

}  // namespace
}  // namespace armature::fence_model
