#include "migration/page_cache.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/file_descriptor.hpp"
#include "harness/job.hpp"

namespace armature::migration {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
constexpr std::uint64_t second_ns = 1'000'000'000;
using Pace = PageCache::Pace;

/// Rank 1 has gone to another node. A file as that of its segments, with 2 MiB of rank 0 and 8 of
/// it.
class LeftBehindTest : public testing::Test {
 protected:
  LeftBehindTest() {
    EXPECT_EQ(ftruncate(file_.get(), static_cast<off_t>(2 * mapping().segment_bytes())), 0);
    write(behind_head(mapping(), 0).begin, 2);
    write(first_, 8);
    mapping().control().home(1).node = 1;
    left_.begin();
    begun_ns_ = base::now_ns();
  }
  [[nodiscard]] const space::Mapping& mapping() const { return job_.mapping(); }
  void write(std::uint64_t at, std::size_t mibs) const {
    const std::string bytes(mibs * mebibyte, 'x');
    EXPECT_EQ(pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(at)),
              static_cast<ssize_t>(bytes.size()));
  }
  [[nodiscard]] std::uint64_t bytes_of(int rank) const {
    std::uint64_t bytes = 0;
    for_each_extent(file_.get(), behind_head(mapping(), rank),
                    [&](const Stretch& extent) { bytes += extent.end - extent.begin; });
    return bytes;
  }
  [[nodiscard]] Stretch stretch(std::uint64_t from_mib, std::uint64_t to_mib) const {
    return {first_ + from_mib * mebibyte, first_ + to_mib * mebibyte};
  }

  const harness::Job job_{2};
  const base::FileDescriptor file_{memfd_create("segments", MFD_CLOEXEC)};
  const std::uint64_t first_ = behind_head(mapping(), 1).begin;
  PageCache left_{mapping(), file_.get()};
  std::uint64_t begun_ns_ = 0;
};

TEST_F(LeftBehindTest, stays_for_a_second) {
  ASSERT_TRUE(left_.takes(stretch(0, 8)));
  EXPECT_FALSE(left_.give_back(begun_ns_ + second_ns / 2, Pace::as_nobody_runs));
  EXPECT_FALSE(left_.give_back(begun_ns_ + second_ns / 2, Pace::beside_ranks));
  EXPECT_TRUE(left_.has(stretch(0, 8)));
  EXPECT_EQ(bytes_of(1), 8 * mebibyte);
}

TEST_F(LeftBehindTest, is_given_back_a_little_at_a_time_and_nothing_else_is) {
  ASSERT_TRUE(left_.takes(stretch(0, 4)));
  ASSERT_TRUE(left_.takes(stretch(4, 7)));
  std::uint64_t now_ns = begun_ns_ + 2 * second_ns, before = bytes_of(1);
  int times = 0;
  while (left_.give_back(now_ns, Pace::as_nobody_runs)) {
    EXPECT_LE(before - bytes_of(1), mebibyte / 2);
    before = bytes_of(1);
    ++now_ns;
    ASSERT_LT(++times, 1000);
  }
  EXPECT_GT(times, 10);
  EXPECT_EQ(bytes_of(1), mebibyte) << "which it was not given";
  EXPECT_EQ(bytes_of(0), 2 * mebibyte);
  EXPECT_FALSE(left_.has(stretch(6, 7)));
}

TEST_F(LeftBehindTest, beside_ranks_it_takes_a_part_of_the_time) {
  ASSERT_TRUE(left_.takes(stretch(0, 8)));
  const std::uint64_t now_ns = base::now_ns() + second_ns;  // not before it begins
  ASSERT_TRUE(left_.give_back(now_ns + second_ns / 100, Pace::beside_ranks));
  EXPECT_LT(bytes_of(1), 8 * mebibyte);
  const std::uint64_t left = bytes_of(1);
  EXPECT_FALSE(left_.give_back(now_ns + second_ns / 100 + 1000, Pace::beside_ranks));
  EXPECT_TRUE(left_.give_back(now_ns + second_ns / 50, Pace::beside_ranks));
  EXPECT_LT(bytes_of(1), left);
  EXPECT_GT(bytes_of(1), 0U);
}

TEST_F(LeftBehindTest, what_a_rank_has_come_back_to_is_its_own) {
  ASSERT_TRUE(left_.takes(stretch(0, 8)));
  mapping().control().home(1).node = 0;
  (void)left_.give_back(begun_ns_ + 2 * second_ns, Pace::as_nobody_runs);
  EXPECT_EQ(bytes_of(1), 8 * mebibyte);
  ASSERT_TRUE(left_.takes(stretch(0, 8)));
  left_.begin();
  EXPECT_FALSE(left_.has(stretch(0, 8)));
}

TEST_F(LeftBehindTest, takes_little_where_nobody_may_look_how_much_there_is) {
  mapping().header().simulation.on = 1;
  EXPECT_TRUE(left_.takes(stretch(0, 1)));
  EXPECT_FALSE(left_.takes(stretch(1, 2)));
  EXPECT_FALSE(left_.has(stretch(1, 2)));
  left_.begin();
  EXPECT_TRUE(left_.takes(stretch(1, 2)));
}

TEST_F(LeftBehindTest, forgets_all) {
  ASSERT_TRUE(left_.takes(stretch(0, 8)));
  left_.forget();
  EXPECT_FALSE(left_.has(stretch(0, 1)));
  EXPECT_FALSE(left_.give_back(begun_ns_ + 2 * second_ns, Pace::as_nobody_runs));
}

TEST_F(LeftBehindTest, has_only_what_it_was_given) {
  ASSERT_TRUE(left_.takes(stretch(0, 1)));
  ASSERT_TRUE(left_.takes(stretch(1, 2)));
  ASSERT_TRUE(left_.takes(stretch(3, 4)));
  EXPECT_TRUE(left_.has(stretch(0, 2)));
  EXPECT_TRUE(left_.has(stretch(3, 4)));
  EXPECT_FALSE(left_.has(stretch(1, 3)));
  EXPECT_FALSE(left_.has(stretch(2, 3)));
  EXPECT_FALSE(left_.has(stretch(4, 5)));
}

}  // namespace
}  // namespace armature::migration
