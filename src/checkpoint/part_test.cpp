#include "checkpoint/part.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "armature/error.hpp"
#include "base/checksum.hpp"
#include "checkpoint/pages.hpp"

namespace armature::checkpoints {
namespace {

class CheckpointPartTest : public ::testing::Test {
 protected:
  CheckpointPartTest() : folder_(testing::TempDir() + "part-" + std::to_string(getpid())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~CheckpointPartTest() override { std::filesystem::remove_all(folder_); }

  /// Text by text: 'n' a page of noise, '0' one of zeros, '-' one never touched, else one that can
  /// be packed.
  static std::string pages(const std::string& kinds) {
    std::mt19937_64 chance(kinds.size());
    std::string memory;
    for (const char kind : kinds)
      for (std::size_t i = 0; i < page_bytes; ++i)
        memory += kind == 'n' ? static_cast<char>(chance()) : kind == '0' || kind == '-' ? 0 : kind;
    return memory;
  }
  Manifest::Part write(const std::string& kinds) const {
    const std::string memory = pages(kinds);
    const base::FileDescriptor file(memfd_create("part-test", MFD_CLOEXEC));
    EXPECT_EQ(ftruncate(file.get(), static_cast<off_t>(memory.size())), 0);
    for (std::size_t i = 0; i < kinds.size(); ++i)
      if (kinds[i] != '-')
        EXPECT_EQ(pwrite(file.get(), memory.data() + i * page_bytes, page_bytes,
                         static_cast<off_t>(i * page_bytes)),
                  static_cast<ssize_t>(page_bytes));
    PartWriter part(folder_, "ranks-0");
    write_pages(file.get(), 0, memory.size(), part);
    return part.finish();
  }
  [[nodiscard]] std::string read(const Manifest::Part& part, std::size_t bytes) const {
    std::string memory(bytes, '\0');
    for (PartReader reader(folder_, part); reader.next();) {
      const std::byte* from = reader.memory();
      for (const checkpoints::Run& run : reader.runs()) {
        std::memcpy(memory.data() + run.offset, from, run.bytes);
        from += run.bytes;
      }
    }
    return memory;
  }
  [[nodiscard]] std::string file() const {
    std::ifstream stream(folder_ + "/ranks-0", std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  /// Gives blocks the checksums that belong to what they hold. Returns the last one.
  static std::uint64_t sum_up(std::string& file) {
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < file.size();) {
      BlockHead head;
      std::memcpy(&head, file.data() + at, sizeof head);
      head.checksum = 0;
      const std::size_t front = head.runs * sizeof(checkpoints::Run) + head.padding;
      const char* const behind = file.data() + at + sizeof head;
      sum = base::checksum(&head, sizeof head, sum);
      sum = base::checksum(behind, front, sum);
      sum = base::checksum(behind + front, head.file_bytes, sum);
      head.checksum = sum;
      std::memcpy(file.data() + at, &head, sizeof head);
      at += sizeof head + front + head.file_bytes;
    }
    return sum;
  }

  const std::string folder_;
};

TEST_F(CheckpointPartTest, pages_come_back_and_zeros_are_left_out) {
  const std::string many(300, 'n'), packable(600, 'a');
  for (const std::string& kinds :
       {std::string("n"), std::string("0"), std::string("n0n-a0-nn00n"), "0" + many + "-0" + many,
        packable + "0" + many + packable, many + packable + "--" + packable}) {
    const Manifest::Part part = write(kinds);
    const auto zeros =
        std::count(kinds.begin(), kinds.end(), '0') + std::count(kinds.begin(), kinds.end(), '-');
    EXPECT_EQ(part.memory_bytes, (kinds.size() - static_cast<std::size_t>(zeros)) * page_bytes);
    EXPECT_TRUE(read(part, kinds.size() * page_bytes) == pages(kinds)) << kinds;
    std::filesystem::remove(folder_ + "/ranks-0");
  }
}

TEST_F(CheckpointPartTest, what_is_not_packed_begins_with_a_page_of_the_file) {
  const std::string kinds(600, 'n'), memory = pages(kinds);
  (void)write(kinds);
  const std::string is = file();
  for (std::size_t block = 0; block < memory.size(); block += block_bytes_max)
    EXPECT_EQ(is.find(memory.substr(block, 64)) % page_bytes, 0u);
}

TEST_F(CheckpointPartTest, what_can_be_packed_is) {
  const Manifest::Part part = write(std::string(1000, 'a'));
  EXPECT_LT(part.bytes, part.memory_bytes / 100);
}

TEST_F(CheckpointPartTest, every_bit_that_changes_is_noticed) {
  const Manifest::Part part = write("nan");
  const std::string whole = file();
  for (std::size_t at = 0; at < whole.size(); at += 7) {
    std::string spoilt = whole;
    spoilt[at] = static_cast<char>(spoilt[at] ^ 0x10);
    std::ofstream(folder_ + "/ranks-0", std::ios::binary) << spoilt;
    EXPECT_THROW((void)read(part, 3 * page_bytes), Error) << at;
  }
}

TEST_F(CheckpointPartTest, runs_that_are_longer_than_their_block_are_refused) {
  Manifest::Part part = write("n0n");
  std::string bytes = file();
  // Together they are as long as before, modulo 2^64.
  checkpoints::Run runs[2];
  std::memcpy(runs, bytes.data() + sizeof(BlockHead), sizeof runs);
  runs[0].bytes -= 2 * page_bytes;
  runs[1].bytes += 2 * page_bytes;
  std::memcpy(bytes.data() + sizeof(BlockHead), runs, sizeof runs);
  part.checksum = sum_up(bytes);
  std::ofstream(folder_ + "/ranks-0", std::ios::binary) << bytes;
  PartReader reader(folder_, part);
  EXPECT_THROW((void)reader.next(), Error);
}

TEST_F(CheckpointPartTest, another_version_of_the_layout_is_refused) {
  Manifest manifest;
  manifest.version = 1;
  manifest.command = {"./program"};
  manifest.parts = {{.name = "ranks-0"}};
  try {
    (void)Manifest::parse(manifest.text(), "manifest");
    FAIL() << "it is another one";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("version 1 of the layout"), std::string::npos);
  }
}

}  // namespace
}  // namespace armature::checkpoints
