// Tests of packets that come in fragments, and of what is no fragment.
#include "engines/ofi/fragments.hpp"

#include <iterator>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace armature::transport {
namespace {

class FragmentsTest : public testing::Test {
 protected:
  void take(std::uint64_t sender, std::uint64_t offset, std::uint64_t bytes, std::uint64_t head,
            const std::string& part) {
    const FragmentHeader header{sender, offset, bytes, head};
    std::vector<std::byte> message(sizeof header + part.size());
    std::memcpy(message.data(), &header, sizeof header);
    std::memcpy(message.data() + sizeof header, part.data(), part.size());
    take(message);
  }
  void take(std::span<const std::byte> message) {
    fragments_.take(message, [&](std::span<const std::byte> head, std::span<const std::byte> body) {
      came_ += text(head) + "|" + text(body) + ";";
    });
  }
  static std::string text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  Fragments fragments_;
  std::string came_;
  unsigned long sum_ = 0;  // of all bytes: each is read
};

TEST_F(FragmentsTest, one_message_is_a_packet) {
  take(1, 0, 6, 2, "abcdef");
  take(1, 0, 0, 0, "");
  take(1, 0, 2, 2, "gh");
  EXPECT_EQ(came_, "ab|cdef;|;gh|;");
}

TEST_F(FragmentsTest, several_are_put_together_by_sender) {
  take(1, 0, 6, 3, "ab");
  take(2, 0, 4, 0, "xy");
  take(1, 2, 6, 3, "cd");
  take(2, 2, 4, 0, "zw");
  take(1, 4, 6, 3, "ef");
  EXPECT_EQ(came_, "|xyzw;abc|def;");
  EXPECT_EQ(fragments_.open(), 0U);
}

TEST_F(FragmentsTest, what_does_not_belong_together_is_passed_over) {
  take(1, 2, 6, 3, "cd");  // without a beginning
  take(2, 0, 6, 3, "ab");
  take(2, 4, 6, 3, "ef");  // with a hole
  take(2, 2, 6, 3, "cd");
  take(3, 0, 4, 9, "abcd");    // a head longer than all
  take(3, 0, 2, 0, "abcd");    // more than all
  take(3, ~0ULL, 8, 0, "ab");  // beyond its end
  take(3, 0, ~0ULL, 0, "ab");
  take(std::vector<std::byte>(31));
  EXPECT_EQ(came_, "");
  EXPECT_EQ(fragments_.open(), 0U);
}

TEST_F(FragmentsTest, a_packet_that_is_not_finished_makes_room_for_the_next) {
  take(1, 0, 6, 3, "ab");
  take(1, 0, 4, 0, "xy");
  take(1, 2, 4, 0, "zw");
  EXPECT_EQ(came_, "|xyzw;");
}

// Random headers whose fields are near the limits of each other, and real ones of which bytes are
// changed. Whatever comes, a packet is as long as its header says, and memory is bounded.
TEST_F(FragmentsTest, whatever_comes_is_passed_over_or_makes_a_packet) {
  std::mt19937_64 random(34);
  const auto below = [&](std::uint64_t end) { return random() % end; };
  const auto field = [&]() -> std::uint64_t {
    const std::uint64_t near[] = {0,
                                  1,
                                  31,
                                  32,
                                  33,
                                  64,
                                  Fragments::packet_bytes_max,
                                  Fragments::packet_bytes_max + 1,
                                  ~std::uint64_t{0}};
    return below(2) == 0 ? near[below(std::size(near))] : below(100);
  };
  std::vector<std::byte> message;
  std::size_t packets = 0;
  for (int i = 0; i < 200'000; ++i) {
    message.resize(below(3) == 0 ? below(100) : sizeof(FragmentHeader) + below(64));
    for (std::byte& one : message) one = static_cast<std::byte>(random());
    FragmentHeader header{below(4), field(), field(), field()};
    if (below(2) == 0 && message.size() > sizeof header) {  // one that may well be right
      const std::uint64_t part = message.size() - sizeof header;
      header.bytes = part * (1 + below(2));
      header.offset = below(2) * (header.bytes - part);
      header.head_bytes = below(header.bytes + 1);
    }
    if (message.size() >= sizeof header && below(8) != 0)
      std::memcpy(message.data(), &header, sizeof header);
    if (!message.empty() && below(4) == 0)
      message[below(message.size())] ^= static_cast<std::byte>(1U << below(8));
    fragments_.take(message, [&](std::span<const std::byte> head, std::span<const std::byte> body) {
      ++packets;
      ASSERT_LE(head.size() + body.size(), Fragments::packet_bytes_max);
      for (const std::byte one : head) sum_ += static_cast<unsigned>(one);
      for (const std::byte one : body) sum_ += static_cast<unsigned>(one);
    });
    ASSERT_LE(fragments_.open(), 100'000U);
  }
  EXPECT_GT(packets, 1000U);
}

}  // namespace
}  // namespace armature::transport
