// Tests of packets that come in fragments, and of what is no fragment.
#include "transport/ofi/fragments.hpp"

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

}  // namespace
}  // namespace armature::transport
