// The directory of checkpoints may be anybody's: `--checkpoint .` among results that lie in 2024
// and 100. Only what a writer of checkpoints has made is removed there. These are folders that are
// called as it calls them, no links, with no files but those that it writes, which begin as it lets
// them begin. An empty one may be anybody's, and is in nobody's way. Files are unlinked by name,
// then the folder; nothing is removed with all that is in it.
#include "checkpoint/own_folders.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "bootstrap/environment.hpp"
#include "checkpoint/left_out_note.hpp"
#include "checkpoint/open_file.hpp"
#include "checkpoint/part.hpp"
#include "fibers/rank_record.hpp"

namespace armature::checkpoints {
namespace {

namespace files = std::filesystem;

/// Lists what the folder holds. `error` says why that cannot be told.
std::vector<files::directory_entry> entries_of(const std::string& folder, std::error_code& error) {
  std::vector<files::directory_entry> entries;
  for (files::directory_iterator at(folder, error); !error && at != files::directory_iterator();
       at.increment(error))
    entries.push_back(*at);
  return entries;
}

bool begins_and_ends_in_digits(std::string_view name, std::string_view begin) {
  if (!name.starts_with(begin) || name.size() == begin.size()) return false;
  return name.find_first_not_of("0123456789", begin.size()) == std::string_view::npos;
}

bool is_of_checkpoint(std::string_view name) {
  constexpr std::string_view records = fibers::RankRecord::part;
  return name == "manifest" || name == records || name == bootstrap::resize_file ||
         name == bootstrap::resize_file_begun ||
         begins_and_ends_in_digits(name, std::string(records) + "-") ||
         begins_and_ends_in_digits(name, "ranks-") ||
         begins_and_ends_in_digits(name, left_out_name);
}

/// Lists the folder's files, if it is a folder that has no others.
std::optional<std::vector<files::path>> own_files(const std::string& folder) {
  std::error_code error;
  if (!files::is_directory(files::symlink_status(folder, error))) return std::nullopt;
  std::vector<files::path> own;
  for (const files::directory_entry& entry : entries_of(folder, error)) {
    std::error_code unknown;
    const bool is_file = files::is_regular_file(entry.symlink_status(unknown));
    if (!is_file || !is_of_checkpoint(entry.path().filename().string())) return std::nullopt;
    own.push_back(entry.path());
  }
  if (error) return std::nullopt;
  return own;
}

/// True for an empty file, too: it was about to be written.
bool begins_with(const files::path& file, std::string_view begin) {
  const OpenFile opened = open_file(file.string());
  if (!opened.file) return false;
  std::string text(begin.size(), '\0');
  text.resize(read_up_to(opened.file, text.data(), text.size(), file.string()));
  return begin.starts_with(text);
}

std::string_view begin_of(const files::path& file) {
  static constexpr std::uint64_t magic = BlockHead::expected_magic;
  const std::string name = file.filename().string();
  if (name == "manifest") return Manifest::title;
  if (name.starts_with(left_out_name)) return left_out_title;
  if (name == bootstrap::resize_file || name == bootstrap::resize_file_begun) return "processes ";
  return {reinterpret_cast<const char*>(&magic), sizeof magic};
}

/// A manifest speaks for all beside it: there may be many.
bool are_of_checkpoint(const std::vector<files::path>& own) {
  const auto begins_as_it_should = [](const files::path& file) {
    return begins_with(file, begin_of(file));
  };
  const auto manifest = std::ranges::find(own, "manifest", &files::path::filename);
  if (manifest != own.end() && !files::is_empty(*manifest)) return begins_as_it_should(*manifest);
  return std::ranges::all_of(own, begins_as_it_should);
}

/// Unlinks all at the same time: a file system takes as long to free a file as it is large.
void unlink_all(const std::vector<files::path>& own) {
  try {
    std::vector<std::jthread> threads;
    for (const files::path& file : own) threads.emplace_back([&file] { unlink(file.c_str()); });
  } catch (const std::exception&) {  // then one after the other
    for (const files::path& file : own) unlink(file.c_str());
  }
}

struct LeftAlone {
  std::atomic_flag said;
};

void say_left_alone(const std::string& path) {
  if (!base::state<LeftAlone>().said.test_and_set())
    std::fprintf(stderr,
                 "armature: %s is left alone, as is all like it: it is called as a checkpoint is, "
                 "but is none\n",
                 path.c_str());
}

}  // namespace

std::string folder_name(unsigned long number) { return fmt::format("{:06}", number); }

unsigned long folder_number(const std::string& name) {
  unsigned long number = 0;
  if (name.size() > folder_name(folder_number_max).size()) return 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc{} && folder_name(number) == name ? number : 0;
}

std::vector<std::string> own_folders(const std::string& directory) {
  std::error_code error;
  std::vector<std::string> own;
  for (const files::directory_entry& entry : entries_of(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (folder_number(name) == 0) continue;
    const auto files = own_files(entry.path());
    if (!files) say_left_alone(entry.path().string());
    if (files && !files->empty()) own.push_back(name);
  }
  if (error)
    base::fail(Errc::corrupt,
               fmt::format("{} cannot be looked through: {}", directory, error.message()));
  return own;
}

bool holds_checkpoint(const std::string& folder) noexcept {
  try {
    const auto own = own_files(folder);
    return own && !own->empty() && are_of_checkpoint(*own);
  } catch (const std::exception&) {
    return false;
  }
}

void remove_own_folder(const std::string& folder) noexcept {
  try {
    const bool is_called_so = folder_number(files::path(folder).filename().string()) != 0;
    const auto own = is_called_so ? own_files(folder) : std::nullopt;
    if (!own) return;
    if (!are_of_checkpoint(*own)) return say_left_alone(folder);
    unlink((folder + "/manifest").c_str());  // first: what is no longer whole has none
    unlink_all(*own);
    rmdir(folder.c_str());
  } catch (const std::exception&) {  // who writes next tries again
  }
}

}  // namespace armature::checkpoints
