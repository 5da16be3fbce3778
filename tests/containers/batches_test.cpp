// Calls whose elements travel in batches.
#include "armature/batches.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "cases.hpp"

namespace batch_cases {

using armature::Rank;
using containers::me;
using containers::ranks;
using containers::world;

struct Part {
  void take(std::span<const long> items) {
    ++calls;
    for (const long item : items) taken.push_back(item);
  }
  void take_from(std::span<const int> items, int from, const std::string& what) {
    for (const int item : items) told.push_back(what + std::to_string(from * 1000 + item));
  }
  std::vector<long> taken;
  std::vector<std::string> told;
  int calls = 0;
};

TEST(Batches, carry_all_elements_in_their_order) {
  for (const std::size_t length : {std::size_t{1}, std::size_t{7}, std::size_t{512}}) {
    armature::shared<Part> parts(world());
    {
      armature::batches batches(parts.ref(), &Part::take);
      batches.set_length(length);
      // Rank r gets the numbers that leave r.
      for (int i = 0; i < 1000; ++i) batches.add(Rank(i % ranks()), me() * 1000 + i);
      // The destructor sends the rest.
    }
    armature::rmi_fence(world());
    const auto each = static_cast<std::size_t>((1000 - me() + ranks() - 1) / ranks());
    EXPECT_EQ(parts->taken.size(), each * static_cast<std::size_t>(ranks()));
    EXPECT_EQ(static_cast<std::size_t>(parts->calls),
              (each + length - 1) / length * static_cast<std::size_t>(ranks()));
    std::vector<long> last(static_cast<std::size_t>(ranks()), -1);
    for (const long item : parts->taken) {
      EXPECT_EQ(item % 1000 % ranks(), me());
      long& before = last[static_cast<std::size_t>(item / 1000)];
      EXPECT_LT(before, item);
      before = item;
    }
  }
}

TEST(Batches, give_the_method_what_it_takes_besides) {
  armature::shared<Part> parts(world());
  armature::batches batches(parts.ref(), &Part::take_from, me(), "number ");
  const Rank right((me() + 1) % ranks());
  for (int i = 0; i < 5; ++i) batches.add(right, i);
  batches.flush();
  armature::rmi_fence(world());
  const int left = (me() + ranks() - 1) % ranks();
  ASSERT_EQ(parts->told.size(), 5U);
  EXPECT_EQ(parts->told[4], "number " + std::to_string(left * 1000 + 4));
  batches.flush();  // nothing is sent twice
  armature::rmi_fence(world());
  EXPECT_EQ(parts->told.size(), 5U);
}

/// Sends what it gets on to the next rank, by the same batches as the rank itself.
struct Relay {
  struct Letter {
    long number = 0;
    long hops = 0;  // to go
  };
  void pass_on(std::span<const Letter> letters) {
    for (const Letter& one : letters)
      if (one.hops > 0)
        next->add(Rank((me() + 1) % ranks()), {one.number, one.hops - 1});
      else
        arrived.push_back(one.number);
  }
  armature::batches<Relay, Letter>* next = nullptr;
  std::vector<long> arrived;
};

TEST(Batches, methods_may_add_to_those_that_are_being_sent) {
  if (armature::rmi_settings().service_thread) return;  // methods run on other threads
  armature::shared<Relay> relays(world());
  armature::batches batches(relays.ref(), &Relay::pass_on);
  relays->next = &batches;
  batches.set_length(100);
  world().barrier();
  constexpr long count = 60'000;
  const long hops = 2L * ranks();
  for (long i = 0; i < count; ++i) batches.add(Rank((me() + 1) % ranks()), {i, hops - 1});
  for (long hop = 0; hop < hops; ++hop) {
    batches.flush();
    armature::rmi_fence(world());
  }
  std::sort(relays->arrived.begin(), relays->arrived.end());
  std::vector<long> expected(count);
  std::iota(expected.begin(), expected.end(), 0L);
  EXPECT_TRUE(relays->arrived == expected) << relays->arrived.size() << " have arrived";
  world().barrier();
}

TEST(Batches, for_ranks_outside_the_team_are_refused) {
  const armature::Team mine = world().split(me() == 0 ? 0 : 1, me());
  armature::shared<Part> parts(mine);
  armature::batches batches(parts.ref(), &Part::take);
  for (const Rank wrong : {Rank(ranks()), Rank(me() == 0 ? 1 : 0), Rank(-1)}) try {
      batches.add(wrong, 1L);
      ADD_FAILURE();
    } catch (const armature::Error& error) {
      EXPECT_EQ(error.code(), armature::Errc::bad_rank);
      EXPECT_NE(std::string(error.what()).find("is no member of the object's team of"),
                std::string::npos);
    }
  EXPECT_THROW(batches.set_length(0), armature::Error);
  batches.add(Rank(me()), 4L);
  batches.flush();
  armature::rmi_fence(mine);
  EXPECT_EQ(parts->taken, std::vector<long>{4});
  world().barrier();
}

}  // namespace batch_cases
