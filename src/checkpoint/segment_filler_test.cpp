// Pages find their places, whoever else writes, and whatever the system lets us do.
#include "checkpoint/segment_filler.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "armature/error.hpp"

namespace armature::checkpoints {
namespace {

constexpr std::size_t pages = 512, pages_each = 16;

base::FileDescriptor memory_file() {
  base::FileDescriptor file(memfd_create("segments", MFD_CLOEXEC));
  EXPECT_EQ(ftruncate(file.get(), pages * page_bytes), 0);
  return file;
}

std::vector<std::byte> content(int round) {
  std::vector<std::byte> bytes(pages * page_bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>((i / 7 + i / page_bytes + static_cast<std::size_t>(round)));
  return bytes;
}

/// Four threads at once; every other piece is of the next one.
void fill(SegmentFiller& filler, const std::vector<std::byte>& bytes) {
  std::vector<std::jthread> threads;
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      constexpr std::size_t piece = pages_each * page_bytes;
      for (std::size_t at = t * piece; at < bytes.size(); at += 4 * piece)
        filler.put({at, piece}, bytes.data() + at);
    });
}

std::vector<std::byte> read_back(int file) {
  std::vector<std::byte> bytes(pages * page_bytes);
  EXPECT_EQ(pread(file, bytes.data(), bytes.size(), 0), std::ssize(bytes));
  return bytes;
}

TEST(SegmentFiller, threads_fill_a_file_and_later_ones_come_over_what_is_there) {
  const base::FileDescriptor file = memory_file();
  SegmentFiller filler(file.get());
  // Some pages are there already.
  ASSERT_EQ(pwrite(file.get(), "x", 1, 40 * page_bytes), 1);
  for (int round = 0; round < 3; ++round) {
    fill(filler, content(round));
    EXPECT_EQ(read_back(file.get()), content(round)) << round;
  }
}

TEST(SegmentFiller, without_userfaultfd_it_fills_the_file_too) {
  const base::FileDescriptor file = memory_file();
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  SegmentFiller filler(file.get());
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  fill(filler, content(5));
  EXPECT_EQ(read_back(file.get()), content(5));
}

TEST(SegmentFiller, what_lies_beyond_the_file_is_refused) {
  const base::FileDescriptor file = memory_file();
  SegmentFiller filler(file.get());
  const std::vector<std::byte> bytes = content(0);
  EXPECT_THROW(filler.put({(pages - 1) * page_bytes, 2 * page_bytes}, bytes.data()), Error);
  EXPECT_THROW(filler.put({UINT64_MAX - 10, page_bytes}, bytes.data()), Error);
}

}  // namespace
}  // namespace armature::checkpoints
