// Tests of which peers may speak with a process of the job. The links are of two jobs, or of one,
// in this process, over loopback.
#include "transport/links.hpp"

#include <sched.h>

#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "engines/load.hpp"

namespace armature::transport {
namespace {

int handled = 0;
const char* engine_name = "";
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
               .engine = {.device = "lo", .interfaces = "", .name = engine_name, .segment = 0},
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

class LinksTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    handled = 0;
    engine_name = GetParam();
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, LinksTest, testing::Values("ucx", "ofi"),
                         [](const auto& chosen) { return std::string(chosen.param); });

TEST_P(LinksTest, who_holds_the_secret_is_heard) {
  Party a(0, 42), b(1, 42);
  a.meet(b, 1);
  b.meet(a, 0);
  a.notify(1);
  EXPECT_TRUE(until({&a, &b}, [] { return handled == 1; }));
  EXPECT_EQ(b.links.refusals().strange(), 0U);
}

TEST_P(LinksTest, who_holds_another_secret_is_refused) {
  Party a(0, 42), stranger(0, 43), b(1, 42);
  a.meet(b, 1);
  b.meet(a, 0);
  stranger.meet(b, 1);
  for (int i = 0; i < 3; ++i) stranger.notify(1);
  EXPECT_TRUE(until({&a, &b, &stranger}, [&] { return b.links.refusals().strange() == 3; }));
  EXPECT_EQ(handled, 0);
  a.notify(1);  // which the stranger's packets do not disturb
  EXPECT_TRUE(until({&a, &b, &stranger}, [] { return handled == 1; }));
}

/// Links between which a test passes what it likes: an engine that sends nothing, and keeps all.
struct Kept final : Engine {
  using Bytes = std::vector<std::byte>;
  [[nodiscard]] const char* description() const override { return "nothing"; }
  [[nodiscard]] std::span<const std::byte> address() const override { return {}; }
  [[nodiscard]] const char* connect(int, std::span<const std::byte>) override { return nullptr; }
  [[nodiscard]] bool send(int, std::span<const std::byte> head, std::span<const std::byte> body,
                          std::uint64_t) override {
    packets.push_back({{head.begin(), head.end()}, {body.begin(), body.end()}});
    return true;
  }
  void drop(int) override {}
  bool progress() override { return false; }
  [[nodiscard]] int descriptor() const override { return -1; }
  [[nodiscard]] bool arm() override { return true; }
  struct Packet {
    Bytes head, body;
  };
  std::vector<Packet> packets;
};

struct Apart {
  explicit Apart(int process)
      : links({.process = process,
               .processes = 3,
               .secret = 42,
               .engine = {},
               .open = [](Sink&, const EngineOptions&) -> std::unique_ptr<Engine> {
                 return std::make_unique<Kept>();
               },
               .services = {&talk}}) {
    for (int other = 0; other < 3; ++other)
      if (other != process) links.connect(other, {}, "the other");
  }
  [[nodiscard]] std::vector<Kept::Packet>& sent() {
    return static_cast<Kept&>(links.engine()).packets;
  }
  void notify(int process) {
    links.to(process).post(Said::notify, 0, 0, std::uint64_t{1}, Link::Ack::none);
    links.to(process).flush();
  }
  Links links;
};

TEST(Packets, with_any_byte_changed_are_refused_and_the_real_one_is_handled) {
  handled = 0;
  Apart a(0), b(1);
  a.notify(1);
  const auto [head, body] = a.sent().at(0);
  ASSERT_TRUE(head.empty());
  for (std::size_t i = 0; i < body.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      auto changed = body;
      changed[i] ^= static_cast<std::byte>(1 << bit);
      EXPECT_EQ(b.links.take({}, changed), nullptr) << "byte " << i;
    }
  for (std::size_t bytes = 0; bytes < body.size(); ++bytes)
    EXPECT_EQ(b.links.take({}, std::span(body).first(bytes)), nullptr) << bytes << " bytes";
  EXPECT_EQ(b.links.refusals().strange(), 9 * body.size());
  EXPECT_EQ(handled, 0);
  EXPECT_NE(b.links.take({}, body), nullptr);
  EXPECT_EQ(handled, 1);
}

TEST(Packets, are_handled_once_and_only_where_they_were_sent_to) {
  handled = 0;
  Apart a(0), b(1), c(2);
  static int told = 0;
  told = 0;
  b.links.refusals().on_first = [](Refusals::Why why) {
    EXPECT_EQ(why, Refusals::Why::repeated);
    ++told;
  };
  for (int i = 0; i < 3; ++i) a.notify(1);
  for (int again = 0; again < 3; ++again)
    for (const auto& [head, body] : a.sent()) (void)b.links.take(head, body);
  EXPECT_EQ(handled, 3);
  EXPECT_EQ(b.links.refusals().repeated(), 6U);
  EXPECT_EQ(b.links.refusals().strange(), 0U);
  EXPECT_EQ(told, 1);
  // Another process, and who has sent it.
  const auto [head, body] = a.sent().at(0);
  EXPECT_EQ(c.links.take(head, body), nullptr);
  EXPECT_EQ(a.links.take(head, body), nullptr);
  EXPECT_EQ(c.links.refusals().strange(), 1U);
  EXPECT_EQ(a.links.refusals().strange(), 1U);
  EXPECT_EQ(handled, 3);
}

TEST(Packets, that_acknowledge_what_was_not_sent_are_an_error) {
  handled = 0;
  Apart a(0), b(1);
  a.notify(1);
  auto [head, body] = a.sent().at(0);
  PacketHeader header;
  std::memcpy(&header, body.data(), sizeof header);
  header.acknowledged = 1;
  std::memcpy(body.data(), &header, sizeof header);
  header.sum = packet_sum(body, {.secret = 42, .to = 1, .lent_bytes = 0});
  std::memcpy(body.data(), &header, sizeof header);
  EXPECT_THROW((void)b.links.take({}, body), Error);
  EXPECT_EQ(handled, 0);
}

TEST_P(LinksTest, what_has_come_before_one_connects_is_handled_then) {
  Party a(0, 42), b(1, 42);
  a.meet(b, 1);
  for (int i = 0; i < 3; ++i) a.notify(1);
  EXPECT_TRUE(until({&a, &b}, [&] { return b.links.has_heard_of(0); }));
  EXPECT_EQ(handled, 0);
  b.meet(a, 0);
  EXPECT_TRUE(until({&a, &b}, [] { return handled == 3; }));
  EXPECT_FALSE(b.links.has_heard_of(0));
  EXPECT_EQ(b.links.refusals().strange(), 0U);
}

TEST_P(LinksTest, what_is_ignored_is_acknowledged_up_to_who_is_lost) {
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

TEST_P(LinksTest, an_answer_leaves_though_what_gathered_before_was_as_long) {
  Party a(0, 42), b(1, 42);
  a.meet(b, 1);
  b.meet(a, 0);
  the_links = &b.links;
  b.links.to(0).post(Said::notify, 0, 0, std::uint64_t{1}, Link::Ack::none);
  a.links.to(1).post(Said::get, 0, 0, std::uint64_t{1}, Link::Ack::none);
  a.links.to(1).flush();
  EXPECT_TRUE(until({&a, &b}, [] { return handled == 2; }));
}

TEST_P(LinksTest, what_is_no_packet_of_the_job_is_refused) {
  struct Silent : Sink {
    void received(std::span<const std::byte>, std::span<const std::byte>) override {}
    void sent(std::uint64_t) override {}
    void lost(int, const char*) override {}
  } silent;
  Party a(0, 42), b(1, 42);
  a.meet(b, 1);
  b.meet(a, 0);
  const auto engine =
      load_engine(silent, {.device = "lo", .interfaces = "", .name = engine_name, .segment = 0});
  ASSERT_EQ(engine->connect(0, b.links.engine().address()), nullptr);
  const std::vector<std::byte> few(7), many(4000, std::byte{0xff});
  (void)engine->send(0, {}, few, 0);
  (void)engine->send(0, {}, many, 0);
  // It knows the secret and is none of the job's processes.
  PacketHeader nobody{.sequence = 1, .process = 9};
  const auto bytes = std::as_bytes(std::span(&nobody, 1));
  nobody.sum = packet_sum(bytes, {.secret = 42, .to = 1, .lent_bytes = 0});
  (void)engine->send(0, {}, bytes, 0);
  EXPECT_TRUE(until({&b}, [&] {
    (void)engine->progress();
    return b.links.refusals().strange() == 3;
  }));
  a.notify(1);
  EXPECT_TRUE(until({&a, &b}, [] { return handled == 1; }));
}

}  // namespace
}  // namespace armature::transport
