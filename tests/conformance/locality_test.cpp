#include <set>

#include "conformance.hpp"

using namespace conformance;
using armature::Domain;
using armature::Errc;

namespace {

/// Each divides the one before.
constexpr Domain nested_levels[] = {Domain::network_switch, Domain::node,  Domain::socket,
                                    Domain::numa,           Domain::cache, Domain::core};
constexpr Domain all_levels[] = {
    Domain::network_switch, Domain::smp,   Domain::process, Domain::socket,
    Domain::numa,           Domain::cache, Domain::core};

}  // namespace

TEST(Locality, ranks_of_one_node_can_dereference_each_other) {
  auto piece = world().allocate<int>(1);
  piece[0] = me() + 1;
  world().barrier();
  for (int rank = 0; rank < ranks(); ++rank) {
    if (armature::same_node(me(), rank)) {
      EXPECT_EQ(*piece.on(rank).direct(), rank + 1);
    }
  }
  world().barrier();
  world().free(piece);
}

TEST(Locality, same_node_and_same_process_follow_from_node_and_process) {
  for (int a = 0; a < ranks(); ++a) {
    EXPECT_TRUE(armature::same_node(a, a));
    EXPECT_TRUE(armature::same_process(a, a));
    for (int b = 0; b < ranks(); ++b) {
      EXPECT_EQ(armature::same_node(a, b), armature::node_of(a) == armature::node_of(b));
      EXPECT_EQ(armature::same_process(a, b), armature::process_of(a) == armature::process_of(b));
      EXPECT_TRUE(!armature::same_process(a, b) || armature::same_node(a, b));
    }
  }
}

TEST(Locality, all_ranks_agree_where_ranks_are) {
  for (int rank = 0; rank < ranks(); ++rank) {
    const int node = armature::node_of(rank).number();
    const int process = armature::process_of(rank).number();
    EXPECT_EQ(broadcast(world(), node, 0), node);
    EXPECT_EQ(broadcast(world(), process, 0), process);
  }
}

TEST(Locality, domains_of_each_level_divide_the_job) {
  for (const Domain level : all_levels) {
    std::set<int> seen;
    for (int domain = 0; domain < armature::domain_count(level); ++domain) {
      const auto members = armature::domain_ranks(level, domain);
      EXPECT_FALSE(members.empty());
      EXPECT_TRUE(std::is_sorted(members.begin(), members.end()));
      for (const armature::Rank rank : members) {
        EXPECT_TRUE(seen.insert(rank).second) << "in two domains";
        EXPECT_EQ(armature::domain_of(level, rank), domain);
      }
    }
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(ranks()));
  }
}

TEST(Locality, each_level_divides_the_one_above) {
  for (std::size_t i = 1; i < std::size(nested_levels); ++i) {
    EXPECT_LE(armature::domain_count(nested_levels[i - 1]),
              armature::domain_count(nested_levels[i]));
    for (int rank = 0; rank < ranks(); ++rank) {
      if (armature::domain_of(nested_levels[i], rank) !=
          armature::domain_of(nested_levels[i], me()))
        continue;
      EXPECT_EQ(armature::domain_of(nested_levels[i - 1], rank),
                armature::domain_of(nested_levels[i - 1], me()));
    }
  }
}

TEST(Locality, what_is_no_level_is_refused) {
  const auto level = static_cast<Domain>(17);
  expect_error(Errc::bad_argument, {"domain_count", "17 is no level"},
               [&] { (void)armature::domain_count(level); });
  expect_error(Errc::bad_argument, {"domain_of", "17 is no level"},
               [&] { (void)armature::domain_of(level, me()); });
}

TEST(Locality, domains_are_nodes_and_processes) {
  for (int rank = 0; rank < ranks(); ++rank) {
    const int with_me_on_a_node = armature::same_node(me(), rank) ? 1 : 0;
    EXPECT_EQ(
        armature::domain_of(Domain::smp, rank) == armature::domain_of(Domain::smp, me()) ? 1 : 0,
        with_me_on_a_node);
    const bool together = armature::same_process(me(), rank);
    EXPECT_EQ(
        armature::domain_of(Domain::process, rank) == armature::domain_of(Domain::process, me()),
        together);
  }
}

TEST(Locality, ranks_and_domains_there_are_not_are_errors) {
  for (const int rank : {-1, ranks(), 1 << 30}) {
    expect_error(Errc::bad_rank, {"node_of"}, [&] { (void)armature::node_of(rank); });
    expect_error(Errc::bad_rank, {"process_of"}, [&] { (void)armature::process_of(rank); });
    expect_error(Errc::bad_rank, {"same_node"}, [&] { (void)armature::same_node(rank, 0); });
    expect_error(Errc::bad_rank, {"same_node"}, [&] { (void)armature::same_node(0, rank); });
    expect_error(Errc::bad_rank, {"same_process"}, [&] { (void)armature::same_process(0, rank); });
    expect_error(Errc::bad_rank, {"domain_of"},
                 [&] { (void)armature::domain_of(Domain::smp, rank); });
  }
  for (const Domain level : all_levels) {
    for (const int domain : {-1, armature::domain_count(level), 1 << 30})
      expect_error(Errc::bad_argument, {"domain_ranks"},
                   [&] { (void)armature::domain_ranks(level, domain); });
  }
}
