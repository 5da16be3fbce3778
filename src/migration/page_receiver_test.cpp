#include "migration/page_receiver.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/job.hpp"
#include "migration/page_cache.hpp"
#include "space/pages.hpp"

namespace armature::migration {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::size_t piece_max = 252 << 10;

/// Rank 0 comes, to a process that has its segment mapped.
class LandingTest : public testing::Test {
 protected:
  static constexpr std::size_t bytes_max = 12 * mib;

  [[nodiscard]] const space::Mapping& mapping() const { return job_.mapping(); }
  /// All of the stretch, in pieces, of bytes that differ from one time to the next.
  void come(PageReceiver& landing, const Stretch& stretch) {
    std::vector<std::byte> bytes(stretch.end - stretch.begin);
    std::generate(bytes.begin(), bytes.end(), [&] { return std::byte(random_()); });
    for (std::size_t at = 0; at < bytes.size(); at += piece_max) {
      const std::size_t end = std::min(at + piece_max, bytes.size());
      ASSERT_TRUE(landing.write(0, {stretch.begin + at, stretch.end}, {&bytes[at], end - at}));
    }
    std::copy(bytes.begin(), bytes.end(), &expected_[stretch.begin - first_]);
  }
  void expect_what_came() const {
    EXPECT_EQ(std::memcmp(mapping().segment(0) + first_, expected_.data(), bytes_max), 0);
  }
  [[nodiscard]] Stretch pages(std::size_t begin, std::size_t end) const {
    return {first_ + begin * space::page_bytes, first_ + end * space::page_bytes};
  }

  const harness::Job job_{1};
  const int file_ = job_.descriptors().front();
  const std::uint64_t first_ = behind_head(mapping(), 0).begin;
  PageCache left_{mapping(), file_};
  std::vector<std::byte> expected_ = std::vector<std::byte>(bytes_max);
  std::minstd_rand random_;  // NOLINT(cert-msc51-cpp): the same each time
};

TEST_F(LandingTest, what_comes_lies_where_it_did) {
  PageReceiver landing(mapping(), file_);
  come(landing, pages(0, 100));
  landing.open(left_);
  come(landing, pages(101, 2700));
  come(landing, pages(2701, 2702));
  expect_what_came();
}

TEST_F(LandingTest, over_what_was_left_in_any_places) {
  for (int round = 0; round < 10; ++round) {
    PageReceiver landing(mapping(), file_);
    landing.open(left_);
    std::size_t hole = 0;
    for (std::size_t at = random_() % 100; at < bytes_max / space::page_bytes;) {
      const std::size_t end = std::min(at + 1 + random_() % 2000, bytes_max / space::page_bytes);
      landing.empty(0, pages(hole, at));
      std::fill_n(&expected_[hole * space::page_bytes], (at - hole) * space::page_bytes,
                  std::byte{});
      come(landing, pages(at, end));
      hole = end;
      at = end + 1 + random_() % 300;
    }
    expect_what_came();
  }
}

TEST_F(LandingTest, into_pages_that_stay) {
  PageReceiver first(mapping(), file_);
  first.open(left_);
  come(first, pages(0, 3000));
  left_.begin();
  mapping().header().simulation.on = 1;  // a MiB stays
  const Stretch behind = pages(500, 700);
  ASSERT_TRUE(left_.takes(behind));
  PageReceiver again(mapping(), file_);
  again.open(left_);
  come(again, pages(0, 3000));
  expect_what_came();
}

/// Tells how much of the address space around there lies in huge pages.
std::size_t huge_kib_at(const void* address) {
  std::ifstream maps("/proc/self/smaps");
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  bool is_it = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    std::size_t kib = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) is_it = begin <= at && at < end;
    if (is_it && std::sscanf(line.c_str(), "ShmemPmdMapped: %zu", &kib) == 1) return kib;
  }
  return 0;
}

TEST_F(LandingTest, makes_huge_pages_where_the_kernel_does) {
  constexpr int collapse = 25;  // MADV_COLLAPSE
  std::byte* const other = mapping().segment(0) + 64 * mib;
  *other = std::byte{1};
  const bool kernel_does = madvise(other, 2 * mib, collapse) == 0;
  const std::size_t before = huge_kib_at(mapping().segment(0) + first_);
  PageReceiver landing(mapping(), file_);
  landing.open(left_);
  come(landing, pages(0, 3000));
  EXPECT_EQ(huge_kib_at(mapping().segment(0) + first_) > before, kernel_does);
}

TEST_F(LandingTest, the_head_is_not_emptied) {
  mapping().head(0).peer(0).notified.store(7);
  PageReceiver(mapping(), file_).empty(0, {0, mapping().segment_bytes()});
  EXPECT_EQ(mapping().head(0).peer(0).notified.load(), 7U);
}

}  // namespace
}  // namespace armature::migration
