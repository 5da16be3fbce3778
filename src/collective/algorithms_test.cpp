// The schedules of all members, run in one thread: each algorithm, for teams of many sizes.
#include "collective/algorithms.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace armature::collective {
namespace {

using Bytes = std::vector<std::byte>;
constexpr int sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17};

/// An affine map modulo 2^32, whose composition does not commute.
struct Affine {
  std::uint32_t factor, term;
  bool operator==(const Affine&) const = default;
};
Affine after(Affine f, Affine g) { return {f.factor * g.factor, f.term * g.factor + g.term}; }
Affine of_member(int member, std::size_t i) {
  return {static_cast<std::uint32_t>(2 * member + 3), static_cast<std::uint32_t>(i + 1)};
}
Affine folded(int begin, int end, std::size_t i) {
  Affine all = of_member(begin, i);
  for (int member = begin + 1; member < end; ++member) all = after(all, of_member(member, i));
  return all;
}

/// Runs the members' schedules. Messages are those that are under way, in the order of sending.
class Team {
 public:
  Team(int size, std::size_t input, std::size_t output)
      : schedules_(static_cast<std::size_t>(size)), at_(schedules_.size()) {
    for (std::size_t i = 0; i < schedules_.size(); ++i)
      memory_.push_back({Bytes(input), Bytes(output), {}, Bytes(64)});
  }

  [[nodiscard]] std::vector<Schedule>& schedules() { return schedules_; }
  template <class T>
  T* at(int member, Buffer buffer) {
    return reinterpret_cast<T*>(of(member, buffer).data());
  }

  /// Writes each member's schedule, and runs all until they are over.
  template <class Write>
  void run(Write&& write) {
    const int size = static_cast<int>(schedules_.size());
    for (int me = 0; me < size; ++me) {
      Schedule& schedule = schedules_[static_cast<std::size_t>(me)];
      write(schedule, Members{me, size});
      schedule.end();
      of(me, Buffer::scratch).resize(schedule.scratch_bytes());
    }
    for (bool any = true; any;) {
      any = false;
      for (int me = 0; me < size; ++me) any = advance(me) || any;
    }
    for (int me = 0; me < size; ++me)
      EXPECT_EQ(at_[static_cast<std::size_t>(me)].stage,
                schedules_[static_cast<std::size_t>(me)].stages())
          << "member " << me << " of " << size << " waits for ever";
    for (const auto& [pair, messages] : under_way_)
      EXPECT_TRUE(messages.empty()) << pair.first << " sends too much to " << pair.second;
  }

 private:
  struct At {
    std::size_t stage = 0;
    bool has_sent = false;
  };
  Bytes& of(int member, Buffer buffer) {
    return memory_[static_cast<std::size_t>(member)][static_cast<std::size_t>(buffer)];
  }
  std::byte* place(int member, const Place& place, std::size_t bytes) {
    Bytes& memory = of(member, place.buffer);
    EXPECT_LE(place.at + bytes, memory.size());
    return memory.data() + place.at;
  }

  bool advance(int me) {
    At& at = at_[static_cast<std::size_t>(me)];
    const Schedule& schedule = schedules_[static_cast<std::size_t>(me)];
    if (at.stage == schedule.stages()) return false;
    const Schedule::Stage stage = schedule.stage(at.stage);
    if (!std::exchange(at.has_sent, true)) {
      for (const Message& one : stage.sends) {
        const std::byte* const from = place(me, one.place, one.bytes);
        under_way_[{me, one.member}].emplace_back(from, from + one.bytes);
      }
    }
    for (const Message& one : stage.receives)
      if (under_way_[{one.member, me}].empty()) return false;
    for (const Message& one : stage.receives) {
      auto& messages = under_way_[{one.member, me}];
      EXPECT_EQ(messages.front().size(), one.bytes);
      std::ranges::copy(messages.front(), place(me, one.place, one.bytes));
      messages.pop_front();
    }
    for (const Step& step : stage.steps) run(me, step);
    at = {at.stage + 1, false};
    return true;
  }

  void run(int me, const Step& step) {
    std::byte* const into = place(me, step.into, step.bytes);
    const bool is_fill = step.kind == Step::Kind::fill;
    const std::byte* const from = place(me, step.from, is_fill ? sizeof(Affine) : step.bytes);
    for (std::size_t at = 0; step.kind != Step::Kind::copy && at < step.bytes;
         at += sizeof(Affine)) {
      auto& one = *reinterpret_cast<Affine*>(into + at);
      const auto& other = *reinterpret_cast<const Affine*>(from + (is_fill ? 0 : at));
      one = is_fill ? other : after(one, other);
    }
    if (step.kind == Step::Kind::copy) std::memmove(into, from, step.bytes);
  }

  std::vector<Schedule> schedules_;
  std::vector<At> at_;
  std::vector<std::array<Bytes, buffers_count>> memory_;
  std::map<std::pair<int, int>, std::deque<Bytes>> under_way_;
};

std::vector<std::size_t> uneven(int size) {
  std::vector<std::size_t> offsets{0};
  for (int i = 0; i < size; ++i)
    offsets.push_back(offsets.back() + static_cast<std::size_t>(i % 3) * sizeof(Affine));
  return offsets;
}
std::size_t count_of(int size) { return static_cast<std::size_t>(size); }

/// Each member's own elements, in both buffers where they are the same.
void fill_own(Team& team, int size, std::size_t count, Buffer buffer) {
  for (int me = 0; me < size; ++me)
    for (std::size_t i = 0; i < count; ++i) team.at<Affine>(me, buffer)[i] = of_member(me, i);
}

TEST(CollectiveAlgorithms, a_broadcast_reaches_all_and_no_member_sends_more_than_log2_messages) {
  for (const int size : sizes) {
    for (int root = 0; root < size; ++root) {
      for (const std::size_t count : {std::size_t{1}, std::size_t{100'000}}) {
        Team team(size, 0, count * sizeof(Affine));
        for (std::size_t i = 0; i < count; ++i)
          team.at<Affine>(root, Buffer::output)[i] = of_member(root, i);
        team.run([&](Schedule& schedule, const Members& members) {
          broadcast_by_tree(schedule, members, root, count * sizeof(Affine));
        });
        for (int me = 0; me < size; ++me) {
          EXPECT_EQ(team.at<Affine>(me, Buffer::output)[count - 1], of_member(root, count - 1));
          if (count > 1) continue;
          std::size_t sends = 0;
          const Schedule& schedule = team.schedules()[static_cast<std::size_t>(me)];
          for (std::size_t i = 0; i < schedule.stages(); ++i)
            sends += schedule.stage(i).sends.size();
          EXPECT_LE(sends, std::bit_width(static_cast<unsigned>(size - 1)));
        }
      }
    }
  }
}

TEST(CollectiveAlgorithms, reductions_keep_the_order_of_the_team) {
  using Write = std::function<void(Schedule&, const Members&, const Elements&)>;
  const std::vector<std::pair<std::string, Write>> all = {
      {"doubling",
       [](auto& schedule, auto& members, auto& elements) {
         allreduce_by_doubling(schedule, members, output, elements);
       }},
      {"halving", [](auto& schedule, auto& members,
                     auto& elements) { allreduce_by_halving(schedule, members, elements); }},
      {"in order", [](auto& schedule, auto& members, auto& elements) {
         allreduce_in_order(schedule, members, elements);
       }}};
  for (const auto& [name, write] : all) {
    for (const int size : sizes) {
      for (const std::size_t count :
           {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{50}}) {
        Team team(size, 0, count * sizeof(Affine));
        fill_own(team, size, count, Buffer::output);
        team.run([&](Schedule& schedule, const Members& members) {
          write(schedule, members, {count, sizeof(Affine)});
        });
        for (int me = 0; me < size; ++me)
          for (std::size_t i = 0; i < count; ++i)
            EXPECT_EQ(team.at<Affine>(me, Buffer::output)[i], folded(0, size, i))
                << name << " of " << size << " at " << me;
      }
    }
  }
}

using Reduce = void (*)(Schedule&, const Members&, int root, const Elements&);
class CollectiveReduce : public testing::TestWithParam<Reduce> {};

TEST_P(CollectiveReduce, keeps_the_order_whoever_the_root_is) {
  for (const int size : sizes) {
    for (int root = 0; root < size; ++root) {
      constexpr std::size_t count = 5;
      Team team(size, count * sizeof(Affine), count * sizeof(Affine));
      fill_own(team, size, count, Buffer::input);
      fill_own(team, size, count, Buffer::output);
      team.run([&](Schedule& schedule, const Members& members) {
        GetParam()(schedule, members, root, {count, sizeof(Affine)});
      });
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(team.at<Affine>(root, Buffer::output)[i], folded(0, size, i));
        for (int me = 0; me < size; ++me)
          EXPECT_EQ(team.at<Affine>(me, Buffer::input)[i], of_member(me, i)) << "written over";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, CollectiveReduce, testing::Values(reduce_by_tree, reduce_in_order));

TEST(CollectiveAlgorithms, a_ring_combines_each_element_once_for_all) {
  // Maps that only add commute.
  for (const int size : sizes) {
    const std::size_t count = 7;
    Team team(size, 0, count * sizeof(Affine));
    for (int me = 0; me < size; ++me)
      for (std::size_t i = 0; i < count; ++i)
        team.at<Affine>(me, Buffer::output)[i] = {1, static_cast<std::uint32_t>(1 << me)};
    team.run([&](Schedule& schedule, const Members& members) {
      allreduce_by_ring(schedule, members, {count, sizeof(Affine)});
    });
    for (int me = 0; me < size; ++me)
      for (std::size_t i = 0; i < count; ++i)
        EXPECT_EQ(team.at<Affine>(me, Buffer::output)[i], (Affine{1, (1u << size) - 1}));
  }
}

using Scan = void (*)(Schedule&, const Members&, Prefix, const Elements&);
class CollectiveScan : public testing::TestWithParam<Scan> {};

TEST_P(CollectiveScan, gives_prefixes) {
  for (const Prefix prefix : {Prefix::inclusive, Prefix::exclusive}) {
    for (const int size : sizes) {
      constexpr std::size_t count = 4;
      const Affine first{5, 9};
      Team team(size, 0, count * sizeof(Affine));
      fill_own(team, size, count, Buffer::output);
      for (int me = 0; me < size; ++me) *team.at<Affine>(me, Buffer::first) = first;
      team.run([&](Schedule& schedule, const Members& members) {
        GetParam()(schedule, members, prefix, {count, sizeof(Affine)});
      });
      for (int me = 0; me < size; ++me)
        for (std::size_t i = 0; i < count; ++i)
          EXPECT_EQ(team.at<Affine>(me, Buffer::output)[i],
                    prefix == Prefix::inclusive ? folded(0, me + 1, i)
                    : me == 0                   ? first
                                                : after(first, folded(0, me, i)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, CollectiveScan, testing::Values(scan, scan_in_order));

TEST(CollectiveAlgorithms, gathers_concatenate_and_scatters_take_apart) {
  for (const int size : sizes) {
    const std::size_t block = 3 * sizeof(Affine);
    for (int root = 0; root < size; ++root) {
      Team gathered(size, block, block * count_of(size)), back(size, block * count_of(size), block);
      fill_own(gathered, size, 3, Buffer::input);
      gathered.run([&](Schedule& schedule, const Members& members) {
        gather_by_tree(schedule, members, root, block);
      });
      std::memcpy(back.at<std::byte>(root, Buffer::input),
                  gathered.at<std::byte>(root, Buffer::output), block * count_of(size));
      back.run([&](Schedule& schedule, const Members& members) {
        scatter_by_tree(schedule, members, root, block);
      });
      for (int me = 0; me < size; ++me)
        EXPECT_EQ(back.at<Affine>(me, Buffer::output)[2], of_member(me, 2));
    }
  }
}

TEST(CollectiveAlgorithms, allgathers_concatenate) {
  for (const int size : sizes) {
    const std::size_t block = 2 * sizeof(Affine);
    Team bruck(size, block, block * count_of(size));
    fill_own(bruck, size, 2, Buffer::input);
    bruck.run([&](Schedule& schedule, const Members& members) {
      allgather_by_bruck(schedule, members, block);
    });
    const auto blocks = uneven(size);
    Team ring(size, block, blocks.back());
    fill_own(ring, size, 2, Buffer::input);
    ring.run([&](Schedule& schedule, const Members& members) {
      allgather_by_ring(schedule, members, blocks);
    });
    for (int me = 0; me < size; ++me) {
      for (int from = 0; from < size; ++from) {
        const auto i = static_cast<std::size_t>(from);
        EXPECT_EQ(bruck.at<Affine>(me, Buffer::output)[2 * i + 1], of_member(from, 1));
        if (blocks[i + 1] > blocks[i])
          EXPECT_EQ(ring.at<Affine>(me, Buffer::output)[blocks[i] / sizeof(Affine)],
                    of_member(from, 0));
      }
    }
  }
}

TEST(CollectiveAlgorithms, alltoalls_exchange_blocks) {
  for (const int size : sizes) {
    std::vector<std::size_t> blocks(count_of(size) + 1);
    for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = i * sizeof(Affine);
    for (const bool by_bruck : {false, true}) {
      Team team(size, blocks.back(), blocks.back());
      for (int me = 0; me < size; ++me)
        for (std::size_t to = 0; to < count_of(size); ++to)
          team.at<Affine>(me, Buffer::input)[to] = of_member(me, to);
      team.run([&](Schedule& schedule, const Members& members) {
        if (by_bruck)
          alltoall_by_bruck(schedule, members, sizeof(Affine));
        else
          alltoall_by_pairs(schedule, members, blocks, blocks);
      });
      for (int me = 0; me < size; ++me)
        for (int from = 0; from < size; ++from)
          EXPECT_EQ(team.at<Affine>(me, Buffer::output)[from], of_member(from, count_of(me)));
    }
  }
}

TEST(CollectiveAlgorithms, a_reduce_scatter_keeps_the_order) {
  for (const int size : sizes) {
    const auto blocks = uneven(size);
    Team team(size, blocks.back(), blocks.back());
    fill_own(team, size, blocks.back() / sizeof(Affine), Buffer::input);
    team.run([&](Schedule& schedule, const Members& members) {
      reduce_scatter_by_pairs(schedule, members, blocks);
    });
    for (int me = 0; me < size; ++me) {
      const auto i = count_of(me);
      for (std::size_t at = 0; at < (blocks[i + 1] - blocks[i]) / sizeof(Affine); ++at)
        EXPECT_EQ(team.at<Affine>(me, Buffer::output)[at],
                  folded(0, size, blocks[i] / sizeof(Affine) + at));
    }
  }
}

TEST(CollectiveAlgorithms, a_barrier_hears_of_all) {
  // Each stage doubles whom a member has heard of.
  for (const int size : sizes) {
    Team team(size, 0, 0);
    team.run([](Schedule& schedule, const Members& members) { disseminate(schedule, members); });
    EXPECT_EQ(team.schedules()[0].stages(), std::bit_width(static_cast<unsigned>(size - 1)));
  }
}

}  // namespace
}  // namespace armature::collective
