#include "transport/mailbox.hpp"

#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace armature::transport {
namespace {

TEST(Ring, what_is_written_is_read_in_order_across_the_end) {
  const auto ring = std::make_unique<Ring>();
  std::vector<std::byte> out(Ring::capacity - 100), in(Ring::capacity);
  for (int round = 0; round < 5; ++round) {
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = static_cast<std::byte>(i * 7 + static_cast<std::size_t>(round));
    ASSERT_EQ(ring->write(out.data(), out.size()), out.size());
    ASSERT_EQ(ring->read(in.data(), in.size()), out.size());
    ASSERT_TRUE(std::equal(out.begin(), out.end(), in.begin()));
  }
}

TEST(Ring, a_full_ring_takes_what_fits_and_an_empty_one_gives_nothing) {
  const auto ring = std::make_unique<Ring>();
  std::vector<std::byte> data(Ring::capacity + 10);
  EXPECT_EQ(ring->write(data.data(), data.size()), Ring::capacity);
  EXPECT_EQ(ring->write(data.data(), 1), 0u);
  EXPECT_EQ(ring->read(data.data(), data.size()), Ring::capacity);
  EXPECT_EQ(ring->read(data.data(), 1), 0u);
}

TEST(Ring, nothing_may_come_from_nowhere) {
  const auto ring = std::make_unique<Ring>();
  EXPECT_EQ(ring->write(nullptr, 0), 0u);
  EXPECT_EQ(ring->read(nullptr, 0), 0u);
}

TEST(Ring, one_writer_and_one_reader_need_no_lock) {
  const auto ring = std::make_unique<Ring>();
  constexpr std::uint32_t count = 100000;
  std::thread writer([&] {
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto* bytes = reinterpret_cast<const std::byte*>(&i);
      for (std::size_t done = 0; done < sizeof i;) {
        const std::size_t n = ring->write(bytes + done, sizeof i - done);
        if (n == 0) std::this_thread::yield();
        done += n;
      }
    }
  });
  bool ordered = true;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint32_t got = 0;
    for (std::size_t done = 0; done < sizeof got;) {
      const std::size_t n =
          ring->read(reinterpret_cast<std::byte*>(&got) + done, sizeof got - done);
      if (n == 0) std::this_thread::yield();
      done += n;
    }
    ordered = ordered && got == i;
  }
  writer.join();
  EXPECT_TRUE(ordered);
}

}  // namespace
}  // namespace armature::transport
