#include <map>
#include <set>
#include <stdexcept>

#include "cases.hpp"

using namespace containers;

namespace {
std::string word(std::uint64_t n) { return "word" + std::to_string(n * n % 97); }

/// Makes so many statements in the middle.
struct CountUp {
  void operator()(armature::map_ref<int, long> map, int, long& value, int statements) const {
    const long before = value;
    for (int i = 1; i <= statements; ++i) map.async_visit(-i, [](int, long& other) { ++other; });
    value = before + 1;
  }
};

/// The first keys from 0 on that are this rank's own.
template <class Map>
std::vector<int> own_keys(const Map& map, std::size_t count) {
  std::vector<int> keys;
  for (int key = 0; keys.size() < count; ++key)
    if (map.is_local(key)) keys.push_back(key);
  return keys;
}
}  // namespace

TEST(Map, counts_words_as_std_map_does) {
  armature::distributed_map<std::string, long> counts(world());
  std::map<std::string, long> expected;
  for (int r = 0; r < ranks(); ++r)
    for (std::uint64_t i = 0; i < 2000; ++i) {
      const std::string w = word(i + static_cast<std::uint64_t>(r));
      expected[w] += static_cast<long>(i);
      if (r == me()) counts.async_combine(w, static_cast<long>(i));
    }
  EXPECT_EQ(counts.size(), expected.size());
  for (const auto& [w, n] : expected) EXPECT_EQ(counts.find(w), n) << w;
  counts.for_all([&](const std::string& w, long n) { EXPECT_EQ(expected.at(w), n); });
  EXPECT_EQ(counts.find("none"), std::nullopt);
}

TEST(Map, holds_what_the_last_statement_of_a_rank_for_its_key_said) {
  armature::distributed_map<std::uint64_t, std::vector<int>> map(world());
  const auto key = [](std::uint64_t i) {
    return i * static_cast<std::uint64_t>(ranks()) + static_cast<std::uint64_t>(me());
  };
  for (std::uint64_t i = 0; i < 300; ++i) {
    map.async_insert(key(i), {1});
    map.async_insert(key(i), {2});
    if (i % 3 == 0) map.async_erase(key(i));
    if (i % 3 == 1) map.async_assign(key(i), {3, me()});
  }
  map.fence();
  for (std::uint64_t i = 0; i < 300; ++i) {
    EXPECT_EQ(map.contains(key(i)), i % 3 != 0);
    if (i % 3 == 1) EXPECT_EQ(map.find(key(i)), (std::vector<int>{3, me()}));
    if (i % 3 == 2) EXPECT_EQ(map.find_async(key(i)).get(), std::vector<int>{1});
  }
  EXPECT_EQ(map.size(), 200U * static_cast<unsigned>(ranks()));
}

TEST(Map, visits_run_at_the_owner_and_may_go_on_to_other_keys) {
  armature::distributed_map<long, long> map(world());
  struct Chain {
    void operator()(armature::map_ref<long, long> all, long key, long& value) const {
      ++value;
      if (key > 0) all.async_visit(key - 1, *this);
    }
  };
  // A lone rank's chain is deep enough to overflow the stack if one visit ran inside the other.
  const long depth = ranks() == 1 ? 100'000 : 2'000;
  map.async_visit(depth, Chain());
  EXPECT_EQ(map.size(), static_cast<std::size_t>(depth) + 1);
  const long visits = map.transform_reduce(0L, std::plus<>(), [](long, long v) { return v; });
  EXPECT_EQ(visits, (depth + 1) * ranks());
}

TEST(Map, a_question_of_a_visitor_does_not_overtake_its_statements) {
  armature::distributed_map<int, int> map(world());
  const std::vector<int> mine = own_keys(map, 2);
  map.async_visit(
      mine[0],
      [](auto all, int, int& value, int other) {
        all.async_assign(other, 7);
        const std::optional<int> found = all.find(other);
        value = found ? *found : -1;
      },
      mine[1]);
  map.fence();
  EXPECT_EQ(map.find(mine[0]), 7);
  map.fence();
}

TEST(Map, a_visit_of_an_own_entry_is_not_interrupted_by_its_statements) {
  armature::distributed_map<int, long> map(world());
  auto sent = world().allocate<long>(1);
  const int key = broadcast(world(), own_keys(map, 1)[0], 0);
  constexpr int visits = 10;
  if (me() == 0) {
    // The others' visits have come, and are let in behind this one.
    EXPECT_TRUE(conformance::eventually(
        [&] { return conformance::watch([&] { return *sent.on(0).address(); }) == ranks() - 1; }));
    map.async_visit(key, CountUp(), 1000);
  } else {
    for (int i = 0; i < visits; ++i) map.async_visit(key, CountUp(), 1000);
    (void)armature::fetch_add(sent.on(0), 1);
  }
  map.fence();
  EXPECT_EQ(map.find(key), visits * (ranks() - 1) + 1);
  EXPECT_EQ(map.find(-1000), visits * (ranks() - 1) + 1);
  world().free(sent);
}

TEST(Map, visits_of_own_entries_that_say_much_get_done) {
  armature::distributed_map<int, long> map(world());
  // Far more than a rank keeps for others who take nothing in.
  for (const int key : own_keys(map, 40)) map.async_visit(key, CountUp(), 2000);
  map.fence();
  EXPECT_EQ(map.find(-2000), 40 * ranks());
  map.fence();
}

TEST(Map, what_a_visitor_throws_is_told_in_the_same_way_whoever_has_the_key) {
  armature::distributed_map<int, int> map(world());
  int told = 0;
  armature::on_async_error([&](armature::Rank, std::string_view text) {
    EXPECT_EQ(text, "no visitors (std::runtime_error)");
    ++told;
  });
  world().barrier();
  const int key = broadcast(world(), own_keys(map, 1)[0], 0);
  map.async_visit(key, [](int, int&) { throw std::runtime_error("no visitors"); });
  map.fence();
  EXPECT_EQ(told, me() == 0 ? ranks() : 0);
  try {
    map.visit(key, [](int, int&) { throw std::runtime_error("no visitors"); });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const armature::RemoteError& error) {
    EXPECT_EQ(error.code(), armature::Errc::remote);
    EXPECT_EQ(error.rank(), world().world_rank(0));
    EXPECT_NE(std::string_view(error.what()).find("rank 0: no visitors"), std::string_view::npos);
  }
  map.fence();
  armature::on_async_error(nullptr);
}

TEST(Map, a_question_for_later_is_not_overtaken) {
  armature::distributed_map<int, int> map(world());
  for (const int key : own_keys(map, 2)) {
    map.async_assign(key, 1);
    auto found = map.find_async(key);
    map.async_assign(key, 2);
    EXPECT_EQ(found.get(), 1);
    EXPECT_EQ(map.find(key), 2);
  }
  map.fence();
}

TEST(Map, answers_what_a_visitor_returns) {
  armature::distributed_map<int, int> map(world());
  const int before = map.visit(
      me(), [](int, int& value, int add) { return value += add; }, 5);
  EXPECT_EQ(before, 5);
  map.async_visit_if_present(me(), [](int key, int& value) { value += key; });
  map.async_visit_if_present(-1, [](int, int& value) { value = 1; });
  map.fence();
  EXPECT_EQ(map.find(me()), 5 + me());
  EXPECT_FALSE(map.contains(-1));
}

TEST(Map, may_be_changed_while_it_is_gone_through) {
  armature::distributed_map<std::uint64_t, std::string> map(world());
  for (std::uint64_t i = 0; i < 500; ++i) map.async_insert(i, std::string(40, 'x'));
  // Entries that one rank goes through others erase, and insert so much that it grows.
  map.for_all([&](std::uint64_t key, std::string& value) {
    if (key >= 500) return;
    for (std::uint64_t i = 1; i <= 20; ++i) map.async_insert(key * 1000 + 500 + i, "new");
    map.async_erase((key + 1) % 500);
    map.async_erase(key);
    EXPECT_EQ(value, std::string(40, 'x'));
  });
  map.for_all([](std::uint64_t key, const std::string& value) {
    EXPECT_GE(key, 500U);
    EXPECT_EQ(value, "new");
  });
  map.clear();
  EXPECT_TRUE(map.empty());
}

TEST(Multimap, keeps_all_values_of_a_key) {
  armature::distributed_multimap<int, int> map(world());
  for (int i = 0; i < 100; ++i) map.async_insert(i % 7, i);
  map.async_visit(
      0, [](int, int& value, int add) { value += add; }, 1000);
  map.fence();
  auto values = map.find(0);
  EXPECT_EQ(values.size(), 15U * static_cast<unsigned>(ranks()));
  EXPECT_EQ(map.count(6), 14U * static_cast<unsigned>(ranks()));
  EXPECT_EQ(map.size(), 100U * static_cast<unsigned>(ranks()));
  map.async_erase(0);
  EXPECT_EQ(map.size(), 85U * static_cast<unsigned>(ranks()));
}

TEST(Set, holds_every_key_once_and_tells_who_was_new) {
  armature::distributed_set<std::uint64_t> set(world());
  armature::distributed_map<std::uint64_t, int> inserted(world());
  const auto log = inserted.ref();
  for (std::uint64_t i = 0; i < 1000; ++i)
    set.async_insert(i * i % 331, [log](std::uint64_t key) { log.async_combine(key, 1); });
  std::set<std::uint64_t> expected;
  for (std::uint64_t i = 0; i < 1000; ++i) expected.insert(i * i % 331);
  EXPECT_EQ(set.size(), expected.size());
  for (const std::uint64_t key : expected) EXPECT_TRUE(set.contains(key));
  inserted.fence();
  for (const std::uint64_t key : expected) EXPECT_EQ(inserted.find(key), 1);
  set.async_erase(0);
  set.fence();
  EXPECT_FALSE(set.contains(0));
}
