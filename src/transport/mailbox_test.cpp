#include "transport/mailbox.hpp"

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace armature::transport {
namespace {

std::vector<std::byte> read_all(Ring& ring, std::size_t bytes) {
  std::vector<std::byte> in(bytes);
  std::size_t done = 0;
  while (const std::size_t now = ring.read(in.data() + done, in.size() - done)) done += now;
  in.resize(done);
  return in;
}

std::size_t write_all(Ring& ring, std::span<const std::byte> data) {
  std::size_t done = 0;
  while (const std::size_t now = ring.write(data.subspan(done))) done += now;
  return done;
}

TEST(Ring, what_is_written_is_read_in_order_across_the_end) {
  const auto ring = std::make_unique<Ring>();
  std::vector<std::byte> out(Ring::capacity - 1000);
  for (int round = 0; round < 5; ++round) {
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = static_cast<std::byte>(i * 7 + static_cast<std::size_t>(round));
    ASSERT_EQ(write_all(*ring, out), out.size());
    ASSERT_EQ(read_all(*ring, out.size()), out);
    ASSERT_TRUE(ring->is_empty());
  }
}

TEST(Ring, bytes_of_before_are_never_taken_for_a_length) {
  const auto ring = std::make_unique<Ring>();
  // All ones in every line, then chunks of every length that begin in other lines than before.
  for (std::size_t bytes = 1; bytes < 2000; ++bytes) {
    const std::vector<std::byte> out(bytes, std::byte{0xff});
    ASSERT_EQ(ring->readable(), 0u) << bytes;
    ASSERT_TRUE(ring->write_whole(out, out));
    ASSERT_EQ(ring->readable(), 2 * bytes);
    ASSERT_EQ(ring->skip(2 * bytes), 2 * bytes);
  }
  EXPECT_EQ(ring->readable(), 0u);
}

TEST(Ring, memory_that_was_in_use_before_is_no_chunk) {
  alignas(Ring) static std::uint64_t memory[sizeof(Ring) / sizeof(std::uint64_t)];
  constexpr std::uint64_t chunk_of_5_bytes = std::uint64_t{1} << 32 | 5;
  std::ranges::fill(memory, chunk_of_5_bytes);
  auto* const ring = new (memory) Ring;
  for (std::size_t bytes = 1; bytes < 3000; ++bytes) {
    const std::vector<std::byte> out(bytes, std::byte{1});
    ASSERT_EQ(ring->readable(), 0u) << bytes;
    ASSERT_TRUE(ring->write_whole(out, {}));
    ASSERT_EQ(ring->skip(bytes), bytes);
  }
}

TEST(Ring, the_reader_writes_to_no_line_of_the_bytes) {
  const auto ring = std::make_unique<Ring>();
  const std::vector<std::byte> out(200, std::byte{7});
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(ring->write_whole(out, {}));
    const std::vector<std::byte> before(ring->bytes(), ring->bytes() + Ring::capacity);
    ASSERT_EQ(read_all(*ring, out.size()), out);
    ASSERT_TRUE(std::equal(before.begin(), before.end(), ring->bytes()));
  }
}

TEST(Ring, a_full_ring_takes_what_fits_and_an_empty_one_gives_nothing) {
  const auto ring = std::make_unique<Ring>();
  const std::vector<std::byte> data(Ring::capacity + 10);
  const std::size_t most = write_all(*ring, data);
  EXPECT_GE(most, Ring::capacity - 4 * Ring::line - 4 * sizeof(std::uint64_t));
  EXPECT_EQ(ring->write(data), 0u);
  EXPECT_FALSE(ring->write_whole({data.data(), 1}, {}));
  EXPECT_EQ(read_all(*ring, data.size()).size(), most);
  EXPECT_EQ(ring->readable(), 0u);
}

TEST(Ring, a_chunk_is_read_in_parts) {
  const auto ring = std::make_unique<Ring>();
  const std::vector<std::byte> data(100, std::byte{5});
  ASSERT_TRUE(ring->write_whole(data, data));
  std::byte into[30];
  EXPECT_EQ(ring->read(into, 30), 30u);
  EXPECT_EQ(ring->readable(), 170u);
  EXPECT_EQ(ring->skip(1000), 170u);
}

TEST(Ring, nothing_may_come_from_nowhere) {
  const auto ring = std::make_unique<Ring>();
  EXPECT_EQ(ring->write({}), 0u);
  EXPECT_EQ(ring->read(nullptr, 0), 0u);
}

TEST(Ring, an_image_is_read_as_far_as_it_is_written) {
  const auto ring = std::make_unique<Ring>(), image = std::make_unique<Ring>();
  image->become_proxy();
  const std::vector<std::byte> data(10, std::byte{5});
  ASSERT_EQ(ring->write(data), 10u);
  std::copy_n(ring->bytes(), Ring::capacity, image->bytes());
  EXPECT_EQ(image->readable(), 0u);
  image->written().store(ring->written());
  EXPECT_EQ(image->readable(), 10u);
}

TEST(Ring, one_writer_and_one_reader_need_no_lock) {
  const auto ring = std::make_unique<Ring>();
  constexpr std::uint32_t numbers = 1'000'000;
  std::thread writer([&] {
    for (std::uint32_t i = 0; i < numbers;) {
      const bool is_in = ring->write_whole(std::as_bytes(std::span(&i, 1)), {});
      if (is_in)
        ++i;
      else
        std::this_thread::yield();
    }
  });
  for (std::uint32_t i = 0; i < numbers;) {
    std::uint32_t got = 0;
    if (ring->read(reinterpret_cast<std::byte*>(&got), sizeof got) == 0) {
      std::this_thread::yield();
      continue;
    }
    if (got != i) ADD_FAILURE() << got << " instead of " << i;
    ++i;
  }
  writer.join();
}

}  // namespace
}  // namespace armature::transport
