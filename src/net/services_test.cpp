// Links report records that nobody here knows, and processes that know others.
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <gtest/gtest.h>

#include "armature/error.hpp"
#include "harness/two_nodes.hpp"
#include "net/records.hpp"

namespace armature::net {
namespace {

enum class First : std::uint8_t { record, count };
enum class Second : std::uint8_t { record, count };
std::vector<const char*> told;

const transport::Service& service_of(First);
const transport::Service& service_of(Second);

template <class Kind>
constexpr std::array<transport::Handling, 1> serve{{
    {.kind = transport::number_of(Kind::record),
     .handler =
         [](const transport::Arrived& arrived) {
           told.push_back(service_of(Kind::record).name);
           EXPECT_EQ(arrived.record.kind, network()->links().services().kind_of(Kind::record));
         }},
}};

const transport::Service first{.name = "first",
                               .records_count = 1,
                               .handlers = {serve<First>},
                               .peer_failed = [](int) { told.push_back("first failed"); },
                               .reset = [] { told.push_back("first forgets"); },
                               .quiesce = [] { return told.empty(); }};
const transport::Service second{
    .name = "second", .records_count = 1, .handlers = {serve<Second>}, .reset = [] {
      told.push_back("second forgets");
    }};
const transport::Service& service_of(First) { return first; }
const transport::Service& service_of(Second) { return second; }

NetworkOptions with(std::vector<const transport::Service*> services) {
  NetworkOptions options;
  options.serves = false;
  options.heartbeat_ns = 0;
  options.services = std::move(services);
  return options;
}

class ServicesTest : public testing::Test {
 protected:
  ServicesTest() { told.clear(); }
};

TEST_F(ServicesTest, numbers_follow_the_list_behind_the_links_and_the_network) {
  for (const bool reversed : {false, true}) {
    harness::TwoNodes net(reversed ? with({&second, &first}) : with({&first, &second}));
    const transport::Links& links = network()->links();
    EXPECT_EQ(links.services().kind_of(transport::Kind::bye).service, 0);
    EXPECT_EQ(links.services().kind_of(Kind::life).service, 1);
    EXPECT_EQ(links.services().kind_of(First::record).service, reversed ? 3 : 2);
    EXPECT_EQ(links.services().kind_of(Second::record).service, reversed ? 2 : 3);
  }
}

TEST_F(ServicesTest, a_record_comes_to_the_service_that_it_names) {
  harness::TwoNodes net(with({&first, &second}));
  net.peer.say(Second::record, 1);
  net.peer.say(First::record, 1);
  EXPECT_TRUE(net.until([] { return told.size() == 2; }));
  EXPECT_STREQ(told[0], "second");
  EXPECT_STREQ(told[1], "first");
}

TEST_F(ServicesTest, all_are_told_to_forget_of_lost_processes_and_to_quiesce) {
  harness::TwoNodes net(with({&first, &second}));
  const auto is_quiet = [] {
    const transport::Links::Lock locked(network()->links().lock());
    return network()->flush().is_drained();
  };
  EXPECT_TRUE(net.until(is_quiet));
  {
    const transport::Links::Lock locked(network()->links().lock());
    network()->forget_ranks();
    network()->links().give_up(harness::Peer::process, "the test says so");
  }
  ASSERT_EQ(told.size(), 3U);
  EXPECT_STREQ(told[0], "first forgets");
  EXPECT_STREQ(told[1], "second forgets");
  EXPECT_STREQ(told[2], "first failed");
  EXPECT_FALSE(is_quiet());
}

TEST_F(ServicesTest, lists_are_told_apart_by_names_order_and_records) {
  const auto hash = [](std::vector<const transport::Service*> services) {
    harness::TwoNodes net(with(std::move(services)));
    return network()->links().services().hash();
  };
  const transport::Service longer{.name = "second", .records_count = 2};
  const std::uint64_t both = hash({&first, &second});
  EXPECT_EQ(both, hash({&first, &second}));
  EXPECT_NE(both, hash({&second, &first}));
  EXPECT_NE(both, hash({&first}));
  EXPECT_NE(both, hash({&first, &longer}));
}

void hear(transport::RecordKind kind) {
  harness::TwoNodes net(with({&first, &second}));
  net.peer.say_as(kind, 1);
  (void)network()->poll();
}

void join_one_that_has_others() {
  harness::Peer::has_other_services = true;
  try {
    const harness::TwoNodes net(with({&first, &second}));
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    _exit(error.code() == Errc::start ? 3 : 4);
  }
}

TEST_F(ServicesTest, what_nobody_here_knows_ends_the_process_with_its_name) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(hear({9, 0}), "process 1 sends a record of service 9: this process has 4");
  EXPECT_DEATH(hear({3, 1}), "process 1 sends record 1 of service .second., which has 1 kinds");
}

TEST_F(ServicesTest, who_has_other_services_is_not_joined) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(join_one_that_has_others(), testing::ExitedWithCode(3),
              "process 1 of the job has other services .* links, net, first, second");
}

}  // namespace
}  // namespace armature::net
