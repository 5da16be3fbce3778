#include "rma/shared_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "base/file_descriptor.hpp"

namespace armature::rma {
namespace {

constexpr std::size_t page = 4096;

/// Three pages of a file, shared or not.
class Pages {
 public:
  explicit Pages(int file, int how = MAP_SHARED)
      : first_(static_cast<std::byte*>(
            mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, how, file, page))) {}
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() { munmap(first_, 3 * page); }

  [[nodiscard]] std::byte* first() const { return first_; }
  [[nodiscard]] space::Exposures::Range range(std::size_t from, std::size_t bytes) const {
    return {.begin = reinterpret_cast<std::uint64_t>(first_ + from),
            .bytes = bytes,
            .file = shared_file_at(first_ + from, bytes)};
  }

 private:
  std::byte* first_;
};

class SharedFileTest : public testing::Test {
 protected:
  SharedFileTest() { EXPECT_EQ(ftruncate(file_.get(), 4 * page), 0); }

  base::FileDescriptor file_{memfd_create("shared file of a test", MFD_CLOEXEC)};
};

TEST_F(SharedFileTest, a_part_is_the_same_memory_in_both_mappings) {
  const Pages pages(file_.get());
  const auto range = pages.range(100, 2 * page);
  EXPECT_EQ(range.file.offset, page + 100);
  const FileMapping mapped(getpid(), range);
  ASSERT_NE(mapped.first(), nullptr);
  EXPECT_NE(mapped.first(), pages.first() + 100);
  pages.first()[100] = std::byte{7};
  mapped.first()[2 * page - 1] = std::byte{8};
  EXPECT_EQ(mapped.first()[0], std::byte{7});
  EXPECT_EQ(pages.first()[100 + 2 * page - 1], std::byte{8});
}

TEST_F(SharedFileTest, what_is_not_shared_or_goes_beyond_is_no_file) {
  const Pages own(file_.get(), MAP_PRIVATE);
  EXPECT_EQ(own.range(0, page).file.inode, 0U);
  const int local = 0;
  EXPECT_EQ(shared_file_at(&local, sizeof local).inode, 0U);
  const Pages pages(file_.get());
  EXPECT_EQ(pages.range(page, 64 * page).file.inode, 0U);
}

TEST_F(SharedFileTest, a_file_without_a_name_or_descriptor_is_not_mapped) {
  const Pages pages(file_.get());
  const auto range = pages.range(0, page);
  file_.reset();
  EXPECT_EQ(FileMapping(getpid(), range).first(), nullptr);
}

TEST_F(SharedFileTest, a_name_is_enough_and_must_be_that_file_s) {
  const std::string path = "/dev/shm/shared file of a test " + std::to_string(getpid());
  base::FileDescriptor named(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  ASSERT_EQ(ftruncate(named.get(), 4 * page), 0);
  const Pages pages(named.get());
  named.reset();
  auto range = pages.range(0, page);
  EXPECT_NE(FileMapping(getpid(), range).first(), nullptr);
  ++range.file.inode;
  EXPECT_EQ(FileMapping(getpid(), range).first(), nullptr);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace armature::rma
