#include "checkpoint/folder.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <string>

#include <gtest/gtest.h>

#include "armature/error.hpp"
#include "base/runtime.hpp"
#include "checkpoint/directory_lock.hpp"
#include "checkpoint/dying_writer.hpp"
#include "checkpoint/one_rank.hpp"
#include "checkpoint/part.hpp"

namespace armature::checkpoints {
namespace {

class CheckpointFolderTest : public ::testing::Test {
 protected:
  CheckpointFolderTest()
      : directory_(testing::TempDir() + "checkpoint-" + std::to_string(getpid())) {
    std::filesystem::remove_all(directory_);
  }
  ~CheckpointFolderTest() override { std::filesystem::remove_all(directory_); }

  /// A checkpoint whose memory is that text.
  void write(const std::string& memory, std::uint32_t number) const {
    const std::string folder = make_folder(directory_);
    lock_folder(folder);
    PartWriter part(folder, "ranks-0");
    part.add(4096, memory.data(), memory.size());
    Manifest manifest = one_rank();
    manifest.number = number;
    manifest.command = {"./program", "with a word\nof two lines", ""};
    manifest.options = {{"checkpoint-every", "60"}, {"on-death", "recover"}};
    manifest.parts = {part.finish()};
    complete(folder, manifest);
  }
  [[nodiscard]] std::string read() const {
    const Found found = find_latest(directory_);
    PartReader part(found.folder, found.manifest.parts.at(0));
    EXPECT_TRUE(part.next());
    EXPECT_EQ(part.runs().at(0).offset, 4096u);
    std::string memory(reinterpret_cast<const char*>(part.memory()), part.runs().at(0).bytes);
    EXPECT_FALSE(part.next());
    return memory;
  }
  /// Writes in a process that dies before that step; whether it died.
  bool write_and_die(int step) const {
    return dies_before(step, [&] { write("new", 2); });
  }
  [[nodiscard]] std::ptrdiff_t folders() const {
    std::ptrdiff_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(directory_))
      count += entry.is_directory() ? 1 : 0;
    return count;
  }

  const std::string directory_;
};

TEST_F(CheckpointFolderTest, the_last_one_is_found_and_the_one_before_removed) {
  write("old", 1);
  EXPECT_EQ(read(), "old");
  write("new", 2);
  EXPECT_EQ(read(), "new");
  EXPECT_EQ(folders(), 1);
  const Manifest manifest = find_latest(directory_).manifest;
  EXPECT_EQ(manifest.number, 2u);
  EXPECT_EQ(manifest.command,
            (std::vector<std::string>{"./program", "with a word\nof two lines", ""}));
  EXPECT_EQ(manifest.options,
            (std::vector<Manifest::Option>{{"checkpoint-every", "60"}, {"on-death", "recover"}}));
}

TEST_F(CheckpointFolderTest, a_writer_that_dies_at_any_step_leaves_one_that_is_whole) {
  int step = 0, old_ones = 0;
  for (bool dies = true; dies; ++step) {
    std::filesystem::remove_all(directory_);
    write("old", 1);
    dies = write_and_die(step);
    const std::string found = read();
    EXPECT_TRUE(found == "new" || (dies && found == "old")) << "step " << step << ": " << found;
    old_ones += found == "old" ? 1 : 0;
    // The next writer clears up.
    write("next", 3);
    EXPECT_EQ(read(), "next");
    EXPECT_EQ(folders(), 1);
  }
  EXPECT_EQ(step, 10);
  EXPECT_EQ(old_ones, 6);
}

TEST_F(CheckpointFolderTest, one_that_fails_when_it_is_the_last_already_is_not_given_up) {
  static std::string fails_at;
  base::state<StepHook>().before = [](const char* step) {
    if (step == fails_at) throw Error(Errc::corrupt, "the disk fails");
  };
  for (const char* const at : {"rename", "rename to disk"}) {
    std::filesystem::remove_all(directory_);
    fails_at.clear();
    write("old", 1);
    fails_at = at;
    EXPECT_THROW(write("new", 2), Error);
    abandon(directory_ + "/000002");
    EXPECT_EQ(read(), fails_at == "rename" ? "old" : "new");
    EXPECT_EQ(folders(), fails_at == "rename" ? 1 : 2);
  }
  base::state<StepHook>().before = nullptr;
}

TEST_F(CheckpointFolderTest, one_that_cannot_become_the_last_leaves_nothing) {
  std::filesystem::create_directories(directory_ + "/latest");
  for (int i = 0; i < 3; ++i) {
    EXPECT_THROW(write("new", 1), Error);
    abandon(directory_ + "/000001");
    EXPECT_EQ(folders(), 1);  // the one in the way
  }
}

TEST_F(CheckpointFolderTest, before_one_is_removed_the_last_rename_is_on_disk) {
  write("old", 1);
  ASSERT_TRUE(write_and_die(2));
  static std::string steps;
  steps.clear();
  base::state<StepHook>().before = [](const char* step) { steps += std::string(step) + "; "; };
  EXPECT_EQ(folders(), 2);
  lock_folder(make_folder(directory_));
  base::state<StepHook>().before = nullptr;
  EXPECT_EQ(steps, "folder; last rename to disk; ");
  EXPECT_EQ(folders(), 2);  // the last one, and the next
}

TEST_F(CheckpointFolderTest, a_planted_link_is_not_followed) {
  namespace files = std::filesystem;
  files::create_directories(directory_);
  const std::string theirs = directory_ + "/theirs";
  std::ofstream(theirs) << "not ours";
  files::create_symlink("theirs", directory_ + "/latest.new");
  write("new", 1);
  EXPECT_EQ(read(), "new");
  EXPECT_EQ(files::file_size(theirs), 8u);
}

TEST_F(CheckpointFolderTest, a_number_that_none_of_ours_has_does_not_count) {
  namespace files = std::filesystem;
  for (const char* const name : {"18446744073709551615", "1000000000"}) {
    files::create_directories(directory_ + "/" + name);
    std::ofstream{directory_ + "/" + name + "/ranks-0"};
  }
  write("new", 1);
  EXPECT_EQ(find_latest(directory_).folder, directory_ + "/000001");
}

TEST_F(CheckpointFolderTest, while_one_job_writes_there_no_other_does_until_it_is_gone) {
  int go[2], end[2];
  ASSERT_EQ(pipe(go) + pipe(end), 0);
  const pid_t child = fork();
  if (child == 0) {
    std::filesystem::create_directories(directory_);
    lock_directory(directory_, 5);
    write("theirs", 1);
    char word = 0;
    (void)!::write(go[1], &word, 1);
    (void)!::read(end[0], &word, 1);
    _exit(0);
  }
  char word = 0;
  ASSERT_EQ(::read(go[0], &word, 1), 1);
  base::state<LockPatience>().ns = 50'000'000;
  try {
    write("ours", 1);
    ADD_FAILURE() << "two at once";
  } catch (const Error& error) {
    const std::string who = "another job writes checkpoints to " + directory_ + ": process " +
                            std::to_string(child) + " on ";
    EXPECT_NE(std::string(error.what()).find(who), std::string::npos) << error.what();
  }
  abandon(directory_ + "/000002");
  EXPECT_EQ(read(), "theirs");
  EXPECT_EQ(folders(), 1);
  // Except for the same job: that process may be lost to it.
  EXPECT_THROW(lock_directory(directory_, 4), Error);
  EXPECT_NO_THROW(lock_directory(directory_, 5));
  EXPECT_EQ(::write(end[1], &word, 1), 1);
  waitpid(child, nullptr, 0);
  write("ours", 1);
  EXPECT_EQ(read(), "ours");
  for (const int file : {go[0], go[1], end[0], end[1]}) close(file);
}

TEST_F(CheckpointFolderTest, what_was_begun_later_is_not_removed) {
  const std::string first = make_folder(directory_), second = make_folder(directory_);
  PartWriter(second, "ranks-0").finish();
  Manifest manifest = one_rank();
  lock_folder(first);
  manifest.parts = {PartWriter(first, "ranks-0").finish()};
  complete(first, manifest);
  EXPECT_TRUE(std::filesystem::exists(second + "/ranks-0"));
}

TEST_F(CheckpointFolderTest, directories_that_are_made_for_it_are_brought_to_disk) {
  static std::string steps;
  base::state<StepHook>().before = [](const char* step) { steps += std::string(step) + "; "; };
  const std::string above = "folder above; folder above to disk; ";
  const auto steps_of = [](const std::string& directory) {
    steps.clear();
    (void)make_folder(directory);
    return steps;
  };
  EXPECT_EQ(steps_of(directory_ + "/a//b/"), above + above + above + "folder; ");
  EXPECT_EQ(steps_of(directory_ + "/a/b"), "folder; ");
  EXPECT_EQ(steps_of(directory_ + "/a/c"), above + "folder; ");
  base::state<StepHook>().before = nullptr;
}

TEST_F(CheckpointFolderTest, a_name_that_processes_cannot_be_told_is_refused) {
  EXPECT_THROW((void)make_folder(directory_ + std::string(space::QuiesceState::text_max, '/')),
               Error);
  EXPECT_FALSE(std::filesystem::exists(directory_));
}

TEST_F(CheckpointFolderTest, what_is_only_called_like_a_checkpoint_is_left_alone) {
  namespace files = std::filesystem;
  const auto make = [](const files::path& file) {
    files::create_directories(file.parent_path());
    std::ofstream(file) << "not ours";
    return file;
  };
  const files::path here(directory_);
  // Years, results, a folder with a file that no checkpoint has, one with a folder, a file.
  const files::path theirs[] = {
      make(here / "2024" / "manifest"),   make(here / "100" / "ranks-0"),
      make(here / "20241126" / "data"),   make(here / "000007" / "ranks-x"),
      make(here / "000009/ranks-0/data"), make(here / "000001"),
      make(here / "elsewhere/ranks-0"),   make(here / "202403" / "manifest"),
      make(here / "202404" / "ranks-0"),  make(here / "202405" / "control-1")};
  files::create_directory(here / "202406");
  files::create_directory_symlink("elsewhere", here / "000008");
  write("old", 1);
  write("new", 2);
  EXPECT_EQ(read(), "new");
  for (const files::path& file : theirs) EXPECT_TRUE(files::exists(file)) << file;
  EXPECT_TRUE(files::exists(here / "000008" / "ranks-0"));
  EXPECT_TRUE(files::exists(here / "202406"));
  abandon(here / "000008");
  abandon(here / "000007");
  EXPECT_TRUE(files::exists(here / "elsewhere" / "ranks-0"));
  EXPECT_TRUE(files::exists(here / "000007" / "ranks-x"));
  EXPECT_EQ(folders(), 12);  // theirs, the link and one of ours
}

TEST_F(CheckpointFolderTest,
       where_it_cannot_be_told_which_is_the_last_none_is_removed_before_the_next) {
  const std::string latest = directory_ + "/latest";
  const auto lose = [&] { std::filesystem::remove(latest); };
  const auto empty = [&] { std::ofstream{latest}; };
  const auto spoil = [&] {  // reading it fails, whoever does
    std::filesystem::remove(latest);
    std::filesystem::create_symlink("latest", latest);
  };
  for (const std::function<void()>& damage :
       std::initializer_list<std::function<void()>>{lose, empty, spoil}) {
    write("old", 1);
    const std::string old = find_latest(directory_).folder;
    damage();
    EXPECT_THROW((void)find_latest(directory_), Error);
    const std::string next = make_folder(directory_);
    lock_folder(next);
    abandon(next);
    EXPECT_EQ(find(old).manifest.number, 1u);
    write("new", 2);
    EXPECT_EQ(read(), "new");
    EXPECT_EQ(folders(), 1);
  }
}

TEST_F(CheckpointFolderTest, one_is_found_by_its_own_folder_too) {
  write("first", 1);
  const std::string folder = find_latest(directory_).folder;
  EXPECT_EQ(find(folder).manifest.number, 1u);
  EXPECT_EQ(find(folder).folder, folder);
  EXPECT_EQ(find(directory_).folder, folder);
  EXPECT_THROW(find(directory_ + "/000009"), Error);
}

TEST_F(CheckpointFolderTest, what_is_no_file_is_refused_at_once) {
  namespace files = std::filesystem;
  write("old", 1);
  const std::string folder = find_latest(directory_).folder;
  const auto refusal = [&] {
    try {
      (void)read();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing is wrong");
  };
  for (const std::string& file :
       {folder + "/ranks-0", folder + "/manifest", directory_ + "/latest"}) {
    files::rename(file, directory_ + "/kept");
    for (const bool is_folder : {false, true}) {
      ASSERT_EQ(is_folder ? mkdir(file.c_str(), 0700) : mkfifo(file.c_str(), 0600), 0);
      EXPECT_NE(refusal().find(file), std::string::npos) << refusal();
      EXPECT_NE(refusal().find("it is no file"), std::string::npos) << refusal();
      files::remove(file);
    }
    files::rename(directory_ + "/kept", file);
  }
  EXPECT_EQ(read(), "old");
  files::resize_file(folder + "/manifest", std::uintmax_t{3} << 30);
  EXPECT_NE(refusal().find("no manifest has 3221225472 bytes"), std::string::npos) << refusal();
}

TEST_F(CheckpointFolderTest, where_there_is_none_is_said_so) {
  try {
    (void)find_latest(directory_);
    FAIL() << "there is none";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("holds no checkpoint"), std::string::npos);
  }
}

TEST_F(CheckpointFolderTest, what_is_wrong_with_a_name_is_said_in_a_way_that_can_be_read) {
  write("first", 1);
  const auto refusal_of = [](const std::string& directory) {
    try {
      (void)find_latest(directory);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing is wrong");
  };
  const std::string hint = "; did you mean " + directory_ + "?";
  for (const char* const name : {"/000001", "/000001/"})
    EXPECT_TRUE(refusal_of(directory_ + name).ends_with(hint)) << refusal_of(directory_ + name);
  std::ofstream(directory_ + "/latest") << "\033[31m";
  EXPECT_NE(refusal_of(directory_).find(R"('\x1b[31m' is not the name)"), std::string::npos)
      << refusal_of(directory_);
}

TEST_F(CheckpointFolderTest, a_manifest_that_makes_no_sense_is_refused) {
  Manifest sane = one_rank();
  sane.parts = {{.name = "control"}, {.name = "ranks-0"}};
  EXPECT_EQ(Manifest::parse(sane.text(), "here").ranks, 1u);
  const auto refuses = [&](const std::function<void(Manifest&)>& change) {
    Manifest changed = sane;
    change(changed);
    EXPECT_THROW((void)Manifest::parse(changed.text(), "here"), Error) << changed.text();
  };
  refuses([](Manifest& it) { it.ranks = 0; });
  refuses([](Manifest& it) { it.processes = 0; });
  refuses([](Manifest& it) { it.layout.segment_base = 0; });
  refuses([](Manifest& it) { it.layout.segment_bytes = 0; });
  refuses([](Manifest& it) { it.layout.stack_bytes = 0; });
  refuses([](Manifest& it) { it.processes = 2; });
  refuses([](Manifest& it) { it.nodes = 2; });
}

}  // namespace
}  // namespace armature::checkpoints
