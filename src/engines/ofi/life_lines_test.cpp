// Tests of what is taken for the death of a process, over loopback.
#include "engines/ofi/life_lines.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>

#include <cstring>
#include <memory>

#include <gtest/gtest.h>

namespace armature::transport {
namespace {

std::vector<std::byte> endpoint_at(const char* address) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  inet_pton(AF_INET, address, &name.sin_addr);
  std::vector<std::byte> bytes(sizeof name);
  std::memcpy(bytes.data(), &name, sizeof name);
  return bytes;
}

class LifeLinesOfi : public testing::Test {
 protected:
  LifeLinesOfi() { EXPECT_EQ(own_.open(here_), ""); }
  /// A process there that can be watched.
  std::unique_ptr<LifeLines> process_there() {
    auto made = std::make_unique<LifeLines>();
    EXPECT_EQ(made->open(there_), "");
    return made;
  }
  /// A port there at which nobody listens any more.
  std::uint64_t closed_port() { return process_there()->port(); }
  /// Returns who has died when something has happened.
  std::vector<int> look() {
    pollfd readable{own_.descriptor(), POLLIN, 0};
    EXPECT_EQ(poll(&readable, 1, 20'000), 1);
    return own_.look();
  }

  const std::vector<std::byte> here_ = endpoint_at("127.0.0.1"), there_ = endpoint_at("127.0.0.2");
  LifeLines own_;
};

TEST_F(LifeLinesOfi, the_end_of_a_process_that_was_reached_is_its_death) {
  auto other = process_there();
  own_.watch(7, there_, other->port());
  EXPECT_TRUE(own_.look().empty());
  other.reset();
  EXPECT_EQ(look(), std::vector<int>{7});
  EXPECT_TRUE(own_.look().empty());
}

TEST_F(LifeLinesOfi, a_refusal_by_a_host_that_was_never_reached_is_no_death) {
  own_.watch(7, there_, closed_port());
  EXPECT_TRUE(look().empty());
}

TEST_F(LifeLinesOfi, a_refusal_by_a_host_that_is_reached_is_one) {
  const auto other = process_there();
  own_.watch(6, there_, other->port());
  own_.watch(7, there_, closed_port());
  EXPECT_EQ(look(), std::vector<int>{7});
}

TEST_F(LifeLinesOfi, a_refusal_by_a_host_that_was_reached_is_one) {
  auto other = process_there();
  own_.watch(6, there_, other->port());
  other.reset();
  EXPECT_EQ(look(), std::vector<int>{6});
  own_.watch(7, there_, closed_port());
  EXPECT_EQ(look(), std::vector<int>{7});
}

TEST_F(LifeLinesOfi, a_refusal_by_the_own_host_is_one) {
  LifeLines other;
  EXPECT_EQ(other.open(here_), "");
  const std::uint64_t port = other.port();
  other = {};
  own_.watch(7, here_, port);
  EXPECT_EQ(look(), std::vector<int>{7});
}

}  // namespace
}  // namespace armature::transport
