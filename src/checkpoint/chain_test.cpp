#include "checkpoint/chain.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "armature/error.hpp"
#include "checkpoint/dying_writer.hpp"
#include "checkpoint/one_rank.hpp"
#include "checkpoint/pages.hpp"
#include "checkpoint/parts_of_nodes.hpp"

namespace armature::checkpoints {
namespace {

/// A memory file of some pages, written as one process does.
class CheckpointChainTest : public ::testing::Test {
 protected:
  static constexpr std::size_t pages = 700, all_bytes = pages * page_bytes;

  CheckpointChainTest()
      : directory_(testing::TempDir() + "chain-" + std::to_string(getpid())),
        file_(memfd_create("chain-test", MFD_CLOEXEC)) {
    std::filesystem::remove_all(directory_);
    EXPECT_EQ(ftruncate(file_.get(), all_bytes), 0);
  }
  ~CheckpointChainTest() override { std::filesystem::remove_all(directory_); }

  [[nodiscard]] std::string memory() const {
    std::string memory(all_bytes, '\0');
    EXPECT_EQ(pread(file_.get(), memory.data(), all_bytes, 0), static_cast<ssize_t>(all_bytes));
    return memory;
  }
  void put(std::size_t page, const std::string& content) {
    EXPECT_EQ(
        pwrite(file_.get(), content.data(), page_bytes, static_cast<off_t>(page * page_bytes)),
        static_cast<ssize_t>(page_bytes));
  }
  void take_away(std::size_t page, std::size_t count) {
    EXPECT_EQ(
        fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  static_cast<off_t>(page * page_bytes), static_cast<off_t>(count * page_bytes)),
        0);
  }
  std::string noise() {
    std::string content(page_bytes, '\0');
    for (char& c : content) c = static_cast<char>(chance_());
    return content;
  }
  /// Changes some pages, in any of the ways that there are.
  void change() {
    for (int i = 0; i < 40; ++i) {
      const std::size_t page = chance_() % (pages - 10);
      std::string is(page_bytes, '\0');
      EXPECT_EQ(pread(file_.get(), is.data(), page_bytes, static_cast<off_t>(page * page_bytes)),
                static_cast<ssize_t>(page_bytes));
      switch (chance_() % 5) {
        case 0:
          put(page, noise());
          break;
        case 1:
          put(page, std::string(page_bytes, '\0'));
          break;
        case 2:
          take_away(page, 1 + chance_() % 10);
          break;
        case 3:
          put(page, is);
          break;
        default:
          put(page, std::string(1, static_cast<char>(is[0] + 1)) + is.substr(1));
      }
    }
  }
  /// How many pages were written.
  std::size_t write() {
    const std::uint32_t since = chain_.goes_on_from(directory_, 0);
    const std::string folder = make_folder(directory_);
    lock_folder(folder);
    sums_.begin(since == 0);
    PartWriter part(folder, "ranks-0");
    write_pages(file_.get(), 0, all_bytes, part, &sums_);
    Manifest manifest = one_rank();
    manifest.number = ++number_;
    manifest.id = new_id();
    manifest.parts = {part.finish()};
    if (since != 0) manifest.before = chain_.last();
    complete(folder, manifest);
    chain_.add(folder, manifest, 0);
    return manifest.memory_bytes() / page_bytes;
  }
  static void read(const Link& link, std::string& memory) {
    for (PartReader reader(link.folder, link.manifest.parts.at(0)); reader.next();) {
      const std::byte* from = reader.memory();
      for (const checkpoints::Run& run : reader.runs()) {
        std::memcpy(memory.data() + run.offset, from, run.bytes);
        from += run.bytes;
      }
    }
  }
  [[nodiscard]] std::string read() const {
    std::string memory(all_bytes, '\0');
    const Found found = find_latest(directory_);
    for (const Link& link : found.before) read(link, memory);
    read(found, memory);
    return memory;
  }
  /// Dies in front of that step; whether it got so far.
  bool write_and_die(int step) {
    return dies_before(step, [&] { (void)write(); });
  }
  [[nodiscard]] std::size_t links() const { return find_latest(directory_).before.size(); }

  const std::string directory_;
  const base::FileDescriptor file_;
  std::mt19937 chance_{5};
  PageSums sums_;
  Chain chain_;
  std::uint32_t number_ = 0;
};

TEST_F(CheckpointChainTest, what_changed_comes_back_over_what_was) {
  for (std::size_t page = 0; page < pages; page += 2) put(page, noise());
  std::size_t longest = 0;
  for (int round = 0; round < 40; ++round) {
    const std::string before = round > 0 ? read() : std::string(all_bytes, '\0');
    change();
    const std::string now = memory();
    const std::size_t written = write();
    ASSERT_TRUE(read() == now) << "round " << round;
    std::size_t changed = 0;
    for (std::size_t at = 0; at < all_bytes; at += page_bytes)
      changed += now.compare(at, page_bytes, before, at, page_bytes) != 0 ? 1 : 0;
    if (links() > 0) EXPECT_EQ(written, changed) << "round " << round;
    longest = std::max(longest, links());
  }
  EXPECT_GT(longest, 3u);
}

TEST_F(CheckpointChainTest, it_starts_again_when_it_is_as_large_as_the_whole) {
  for (std::size_t page = 0; page < 100; ++page) put(page, noise());
  EXPECT_EQ(write(), 100u);
  for (std::size_t page = 0; page < 60; ++page) put(page, noise());
  EXPECT_EQ(write(), 60u);
  EXPECT_EQ(write(), 0u);
  for (std::size_t page = 0; page < 60; ++page) put(page, noise());
  EXPECT_EQ(write(), 60u);
  EXPECT_EQ(links(), 3u);
  EXPECT_EQ(write(), 100u);
  EXPECT_EQ(links(), 0u);
}

TEST_F(CheckpointChainTest, with_other_processes_or_elsewhere_all_is_written) {
  put(0, noise());
  (void)write();
  EXPECT_EQ(chain_.goes_on_from(directory_, 0), 1u);
  EXPECT_EQ(chain_.goes_on_from(directory_ + "/", 0), 1u);
  EXPECT_EQ(chain_.goes_on_from(directory_, 1), 0u);
  EXPECT_EQ(chain_.goes_on_from(directory_ + "-other", 0), 0u);
  // Somebody else has written there.
  const Chain mine = chain_;
  chain_.forget();
  (void)write();
  EXPECT_EQ(mine.goes_on_from(directory_, 0), 0u);
}

TEST_F(CheckpointChainTest, behind_one_of_another_job_with_the_same_name_all_is_written) {
  put(0, noise());
  (void)write();
  const Chain mine = chain_;
  const std::uint64_t id = find_latest(directory_).manifest.id;
  EXPECT_EQ(mine.goes_on_from(directory_, 0), 1u);
  EXPECT_EQ(checkpoints::goes_on_from(directory_, id), 1u);
  const std::string folder = find_latest(directory_).folder;
  std::filesystem::remove_all(directory_);
  chain_.forget();
  number_ = 0;
  (void)write();
  ASSERT_EQ(find_latest(directory_).folder, folder);
  EXPECT_EQ(mine.goes_on_from(directory_, 0), 0u);
  EXPECT_EQ(checkpoints::goes_on_from(directory_, id), 0u);
}

TEST_F(CheckpointChainTest, where_a_file_of_a_link_is_missing_or_cut_off_all_is_written) {
  for (std::size_t page = 0; page < 20; ++page) put(page, noise());
  (void)write();
  put(1, noise());
  (void)write();
  const Found found = find_latest(directory_);
  ASSERT_EQ(found.before.size(), 1u);
  for (const std::string& folder : {found.before.front().folder, found.folder}) {
    const std::string part = folder + "/ranks-0", kept = directory_ + "/kept";
    std::filesystem::copy(part, kept);
    const auto goes_on = [&] {
      return chain_.goes_on_from(directory_, 0) != 0 &&
             checkpoints::goes_on_from(directory_, found.manifest.id) != 0;
    };
    EXPECT_TRUE(goes_on());
    std::filesystem::resize_file(part, 100);
    EXPECT_FALSE(goes_on());
    std::filesystem::remove(part);
    EXPECT_FALSE(goes_on());
    std::filesystem::rename(kept, part);
  }
}

TEST_F(CheckpointChainTest, a_writer_that_dies_at_any_step_leaves_a_chain_that_is_whole) {
  for (const bool whole : {false, true}) {
    int step = 0;
    for (bool dies = true; dies; ++step) {
      for (std::size_t page = 0; page < 50; ++page) put(page, noise());
      chain_.forget();
      (void)write();
      put(step % 50, noise());
      (void)write();
      const std::string before = memory();
      put(51, noise());
      if (whole) chain_.forget();
      dies = write_and_die(step);
      const std::string found = read();
      EXPECT_TRUE(found == memory() || (dies && found == before)) << "step " << step;
      // The next writer clears up.
      chain_.forget();
      (void)write();
      EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_), {}), 3);
    }
    EXPECT_EQ(step, 10);
  }
}

TEST_F(CheckpointChainTest, a_link_that_is_another_one_is_refused) {
  for (std::size_t page = 0; page < 50; ++page) put(page, noise());
  (void)write();
  put(1, noise());
  (void)write();
  const Found found = find_latest(directory_);
  ASSERT_EQ(found.before.size(), 1u);
  // Whole by itself, but not what it was.
  Manifest other = found.before.front().manifest;
  other.written_at = "then";
  std::ofstream(found.before.front().folder + "/manifest") << other.text();
  EXPECT_THROW((void)find_latest(directory_), Error);
  std::filesystem::remove_all(found.before.front().folder);
  EXPECT_THROW((void)find_latest(directory_), Error);
  // A checkpoint that cannot be read is left alone until there is a whole one, and that is the
  // next.
  EXPECT_EQ(chain_.goes_on_from(directory_, 0), 0u);
  lock_folder(make_folder(directory_));
  EXPECT_TRUE(std::filesystem::exists(found.folder + "/manifest"));
  (void)write();
  EXPECT_FALSE(std::filesystem::exists(found.folder));
  EXPECT_TRUE(read() == memory());
}

}  // namespace
}  // namespace armature::checkpoints
