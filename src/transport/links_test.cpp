// Tests of which peers may speak with a process of the job. The links are of two jobs, or of one,
// in this process, over loopback.
#include "transport/links.hpp"

#include <sched.h>

#include <array>
#include <chrono>
#include <memory>

#include <gtest/gtest.h>

#include "transport/load.hpp"

namespace armature::transport {
namespace {

int handled = 0;
Links* the_links = nullptr;

enum class Said : std::uint8_t { notify, lost, get };
const Service& service_of(Said);

constexpr std::array<Handling, 3> handlers{{
    {.kind = number_of(Said::notify), .handler = [](const Arrived&) { ++handled; }},
    {.kind = number_of(Said::lost),
     .handler = [](const Arrived& arrived) { the_links->to(arrived.process).ignore(false); },
     .is_never_ignored = true},
    {.kind = number_of(Said::get),
     .handler =
         [](const Arrived&) {
           the_links->to(0).flush();
           the_links->to(0).post(Said::notify, 0, 0, std::uint64_t{1}, Link::Ack::none);
         }},
}};
const Service talk{.name = "talk", .records_count = 3, .handlers = {handlers}};
const Service& service_of(Said) { return talk; }

class Party {
 public:
  Party(int process, std::uint64_t secret)
      : links({.process = process,
               .processes = 2,
               .secret = secret,
               .engine = {.device = "lo", .interfaces = "", .segment = 0},
               .services = {&talk}}) {}
  void meet(Party& other, int as) {
    links.connect(as, other.links.engine().address(), "the other");
  }
  void notify(int process) {
    links.to(process).post(Said::notify, 0, 0, std::uint64_t{1}, Link::Ack::none);
    links.to(process).flush();
  }

  Links links;
};

/// False after 20 s.
template <class Condition>
[[nodiscard]] bool until(std::initializer_list<Party*> parties, Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    for (Party* party : parties) (void)party->links.progress();
    sched_yield();
    if (std::chrono::steady_clock::now() > deadline) return false;
  }
  return true;
}

class LinksTest : public testing::Test {
 protected:
  void SetUp() override { handled = 0; }
};

TEST_F(LinksTest, who_holds_the_secret_is_heard) {
  Party a(0, 42), b(1, 42);
  a.meet(b, 1);
  b.meet(a, 0);
  a.notify(1);
  EXPECT_TRUE(until({&a, &b}, [] { return handled == 1; }));
  EXPECT_EQ(b.links.refused(), 0U);
}

TEST_F(LinksTest, who_holds_another_secret_is_refused) {
  Party a(0, 42), stranger(0, 43), b(1, 42);
  a.meet(b, 1);
  b.meet(a, 0);
  stranger.meet(b, 1);
  for (int i = 0; i < 3; ++i) stranger.notify(1);
  EXPECT_TRUE(until({&a, &b, &stranger}, [&] { return b.links.refused() == 3; }));
  EXPECT_EQ(handled, 0);
  a.notify(1);  // which the stranger's packets do not disturb
  EXPECT_TRUE(until({&a, &b, &stranger}, [] { return handled == 1; }));
}

TEST_F(LinksTest, what_has_come_before_one_connects_is_handled_then) {
  Party a(0, 42), b(1, 42);
  a.meet(b, 1);
  for (int i = 0; i < 3; ++i) a.notify(1);
  EXPECT_TRUE(until({&a, &b}, [&] { return b.links.has_heard_of(0); }));
  EXPECT_EQ(handled, 0);
  b.meet(a, 0);
  EXPECT_TRUE(until({&a, &b}, [] { return handled == 3; }));
  EXPECT_FALSE(b.links.has_heard_of(0));
  EXPECT_EQ(b.links.refused(), 0U);
}

TEST_F(LinksTest, what_is_ignored_is_acknowledged_up_to_who_is_lost) {
  Party a(0, 42), b(1, 42);
  a.meet(b, 1);
  b.meet(a, 0);
  the_links = &b.links;
  b.links.to(0).ignore(true);
  Link& link = a.links.to(1);
  const auto notify = [&] { link.post(Said::notify, 0, 0, std::uint64_t{1}, Link::Ack::soon); };
  for (int i = 0; i < 3; ++i) notify();
  link.flush();
  EXPECT_TRUE(until({&a, &b}, [&] { return link.is_idle(); }));
  EXPECT_EQ(handled, 0);
  // In one packet: what stands behind it is heard.
  notify();
  (void)link.append(Said::lost, -1, -1, 0, Link::Ack::none);
  notify();
  link.flush();
  EXPECT_TRUE(until({&a, &b}, [&] { return link.is_idle() && handled == 1; }));
}

TEST_F(LinksTest, an_answer_leaves_though_what_gathered_before_was_as_long) {
  Party a(0, 42), b(1, 42);
  a.meet(b, 1);
  b.meet(a, 0);
  the_links = &b.links;
  b.links.to(0).post(Said::notify, 0, 0, std::uint64_t{1}, Link::Ack::none);
  a.links.to(1).post(Said::get, 0, 0, std::uint64_t{1}, Link::Ack::none);
  a.links.to(1).flush();
  EXPECT_TRUE(until({&a, &b}, [] { return handled == 2; }));
}

TEST_F(LinksTest, what_is_no_packet_of_the_job_is_refused) {
  struct Silent : Sink {
    void received(std::span<const std::byte>, std::span<const std::byte>) override {}
    void sent(std::uint64_t) override {}
    void lost(int, const char*) override {}
  } silent;
  Party a(0, 42), b(1, 42);
  a.meet(b, 1);
  b.meet(a, 0);
  const auto engine = load_engine(silent, {.device = "lo", .interfaces = "", .segment = 0});
  ASSERT_EQ(engine->connect(0, b.links.engine().address()), nullptr);
  const std::vector<std::byte> few(7), many(4000, std::byte{0xff});
  (void)engine->send(0, {}, few, 0);
  (void)engine->send(0, {}, many, 0);
  // It knows the secret and is none of the job's processes.
  const PacketHeader nobody{42, 1, 0, 9, 0};
  (void)engine->send(0, {}, std::as_bytes(std::span(&nobody, 1)), 0);
  EXPECT_TRUE(until({&b}, [&] {
    (void)engine->progress();
    return b.links.refused() == 3;
  }));
  a.notify(1);
  EXPECT_TRUE(until({&a, &b}, [] { return handled == 1; }));
}

}  // namespace
}  // namespace armature::transport
