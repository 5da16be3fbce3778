#include "space/heap.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace armature::space {
namespace {

/// A heap of 1 GiB in a memory file of its own.
class HeapTest : public ::testing::Test {
 protected:
  static constexpr std::size_t bytes = 1 << 30;
  HeapTest() : fd_(memfd_create("heap-test", 0)) {
    EXPECT_EQ(ftruncate(fd_, bytes), 0);
    start_ = static_cast<std::byte*>(
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd_, 0));
    heap_ = Heap::create(start_, bytes, fd_, 0);
  }
  ~HeapTest() override {
    munmap(start_, bytes);
    close(fd_);
  }
  [[nodiscard]] std::size_t resident() const {
    struct stat status {};
    fstat(fd_, &status);
    return static_cast<std::size_t>(status.st_blocks) * 512;
  }
  static bool is_zero(const void* memory, std::size_t n) {
    const auto* p = static_cast<const unsigned char*>(memory);
    return std::all_of(p, p + n, [](unsigned char c) { return c == 0; });
  }

  void* allocate(std::size_t n) {
    void* const memory = heap_.take(n, 64);
    if (memory != nullptr) EXPECT_TRUE(heap_.pages().fill(memory, n));
    return memory;
  }
  void free(void* memory, std::size_t n) {
    let_pages_go(memory, n);
    heap_.free(memory);
  }

  int fd_;
  std::byte* start_ = nullptr;
  Heap heap_;
};

TEST_F(HeapTest, memory_is_aligned_zero_and_there) {
  for (const std::size_t n :
       {std::size_t{1}, std::size_t{100}, std::size_t{5000}, std::size_t{3} << 20}) {
    void* memory = allocate(n);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 64, 0u);
    EXPECT_TRUE(is_zero(memory, n));
    std::memset(memory, 0xff, n);
  }
  EXPECT_GT(resident(), std::size_t{3} << 20);
}

TEST_F(HeapTest, reused_memory_is_zero_again) {
  std::mt19937 random(3);
  std::vector<std::pair<void*, std::size_t>> live;
  for (int i = 0; i < 400; ++i) {
    if (live.size() > 20) {
      const std::size_t k = random() % live.size();
      free(live[k].first, live[k].second);
      live[k] = live.back();
      live.pop_back();
    }
    const std::size_t n = std::size_t{1} << (random() % 20);
    void* memory = allocate(n + random() % 100);
    ASSERT_NE(memory, nullptr);
    ASSERT_TRUE(is_zero(memory, n));
    std::memset(memory, 0xee, n);
    live.emplace_back(memory, n);
  }
}

TEST_F(HeapTest, freed_pages_go_back_to_the_machine) {
  const std::size_t before = resident();
  for (int i = 0; i < 20; ++i) {
    void* memory = allocate(64 << 20);
    ASSERT_NE(memory, nullptr);
    free(memory, 64 << 20);
  }
  EXPECT_LT(resident(), before + (1 << 20));
}

TEST_F(HeapTest, a_file_that_has_our_number_by_now_keeps_what_is_in_it) {
  constexpr std::size_t n = 1 << 20;
  void* memory = allocate(n);
  ASSERT_NE(memory, nullptr);
  const int theirs = memfd_create("of the program", 0);
  const std::vector<char> written(4 * n, 'x');
  ASSERT_EQ(pwrite(theirs, written.data(), written.size(), 0), std::ssize(written));
  ASSERT_EQ(dup2(theirs, fd_), fd_);
  free(memory, n);
  std::vector<char> read(written.size());
  ASSERT_EQ(pread(theirs, read.data(), read.size(), 0), std::ssize(read));
  EXPECT_EQ(read, written);
  close(theirs);
}

TEST_F(HeapTest, what_does_not_fit_is_refused_and_changes_nothing) {
  EXPECT_NE(allocate(1000), nullptr);
  const std::size_t room = heap_.free_bytes();
  EXPECT_EQ(allocate(bytes), nullptr);
  EXPECT_EQ(allocate(SIZE_MAX), nullptr);
  EXPECT_EQ(allocate(SIZE_MAX - 4096), nullptr);
  EXPECT_EQ(heap_.free_bytes(), room);
  EXPECT_NE(allocate(1000), nullptr);
}

TEST_F(HeapTest, sparse_memory_takes_no_pages_until_used) {
  const std::size_t before = resident();
  auto* memory = static_cast<std::byte*>(heap_.take(512 << 20, 64));
  ASSERT_NE(memory, nullptr);
  clear_pages(memory, 512 << 20);
  EXPECT_LT(resident(), before + (1 << 20));
  EXPECT_TRUE(is_zero(memory + (100 << 20), 4096));
}

}  // namespace
}  // namespace armature::space
