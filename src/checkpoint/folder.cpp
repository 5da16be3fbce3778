#include "checkpoint/folder.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "armature/error.hpp"
#include "base/fail.hpp"
#include "base/file_descriptor.hpp"
#include "base/runtime.hpp"
#include "base/write_all.hpp"
#include "checkpoint/directory_lock.hpp"
#include "checkpoint/open_file.hpp"
#include "checkpoint/own_folders.hpp"

namespace armature::checkpoints {

namespace {

namespace files = std::filesystem;

constexpr const char* latest = "latest";

[[noreturn]] void fail(const std::string& path, const char* what, int error) {
  base::fail(Errc::corrupt, fmt::format("{} {}: {}", path, what, base::system_text(error)));
}

void step(const char* name) {
  if (const auto before = base::state<StepHook>().before) before(name);
}

/// A file or folder, and what it is called.
void bring_to_disk(const std::string& path) {
  const base::FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file || fsync(file.get()) != 0) fail(path, "cannot be brought to disk", errno);
}

/// A new one, whatever was called so: no link of somebody else's is followed.
void write_file(const std::string& path, const std::string& text) {
  unlink(path.c_str());
  const base::FileDescriptor file(
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!file) fail(path, "cannot be made", errno);
  if (!base::write_all(file.get(), text.data(), text.size()) || fsync(file.get()) != 0)
    fail(path, "cannot be written", errno);
}

/// Makes it and those above it that are missing, each on disk before the next: else what is written
/// there may be lost with its directory's name. Whatever fails, it is `wanted` that cannot be made.
void make_directories(const files::path& directory, const std::string& wanted) {
  std::error_code unknown;
  if (directory.empty() || files::exists(directory, unknown)) return;
  const files::path above = directory.parent_path();
  make_directories(above, wanted);
  if (!directory.has_filename()) return;  // it ends in a slash
  step("folder above");
  if (mkdir(directory.c_str(), 0777) != 0) {
    if (errno == EEXIST) return;
    fail(wanted, "cannot be made", errno);
  }
  step("folder above to disk");
  bring_to_disk(above.empty() ? "." : above.string());
}

/// A folder, and the checksum of the manifest in it.
struct Read {
  Link link;
  std::uint64_t checksum = 0;
};
Read read_link(const std::string& directory, const std::string& name) {
  const std::string folder = directory + "/" + name, path = folder + "/manifest";
  const OpenFile opened = open_file(path);
  if (!opened.file)
    base::fail(Errc::corrupt,
               fmt::format("{} is missing, or cannot be read: {}", path, opened.problem));
  // Words of a command, and a line for each process: much less than this.
  constexpr std::uint64_t bytes_max = std::uint64_t{64} << 20;
  if (opened.bytes > bytes_max)
    base::fail(Errc::corrupt,
               fmt::format("{} is damaged: no manifest has {} bytes", path, opened.bytes));
  std::string text(opened.bytes, '\0');
  text.resize(read_up_to(opened.file, text.data(), text.size(), path));
  return {{folder, Manifest::parse(text, path)}, Manifest::checksum_of(text)};
}

/// The one that this one needs.
Link read_before(const std::string& directory, const Link& link) {
  const Manifest::Before& before = link.manifest.before;
  const auto refuse = [&](const std::string& why) {
    base::fail(Errc::corrupt, fmt::format("{} has only what changed since {}/{}, {}", link.folder,
                                          directory, before.name, why));
  };
  // Links were made one after the other: so there is no cycle.
  const unsigned long number = folder_number(before.name);
  if (number == 0 || number >= folder_number(files::path(link.folder).filename().string()))
    refuse("which is not an earlier one");
  Read read;
  try {
    read = read_link(directory, before.name);
  } catch (const Error& error) {
    refuse(fmt::format("and {}", error.what()));
  }
  const Manifest& there = read.link.manifest;
  if (read.checksum != before.checksum || there.ranks != link.manifest.ranks ||
      there.layout.segment_base != link.manifest.layout.segment_base ||
      there.layout.segment_bytes != link.manifest.layout.segment_bytes)
    refuse("which is another checkpoint than that was");
  return read.link;
}

/// Finds the checkpoint and those that it needs.
Found find_named(const std::string& directory, const std::string& name) {
  Found found{read_link(directory, name).link, {}};
  for (Link at = found; !at.manifest.before.name.empty();) {
    at = read_before(directory, at);
    found.before.push_back(at);
  }
  std::ranges::reverse(found.before);
  return found;
}

/// Reads DIR/latest; nothing where there is no such file.
std::optional<std::string> read_latest(const std::string& directory) {
  const std::string path = directory + "/" + latest;
  const OpenFile opened = open_file(path);
  if (opened.error == ENOENT || opened.error == ENOTDIR) return std::nullopt;
  if (!opened.file)
    base::fail(Errc::corrupt, fmt::format("{} cannot be read: {}", path, opened.problem));
  char text[64];
  const std::string_view all(text, read_up_to(opened.file, text, sizeof text, path));
  return std::string(all.substr(0, all.find('\n')));
}

/// Lists those of these folders that a checkpoint to come may need. Nothing is known where that
/// cannot be read, or `latest` has been lost beside one that has a manifest.
std::optional<std::vector<std::string>> needed_names(const std::string& directory,
                                                     const std::vector<std::string>& own) {
  const auto may_have_manifest = [&](const std::string& name) {
    std::error_code unknown;
    return files::status(directory + "/" + name + "/manifest", unknown).type() !=
           files::file_type::not_found;
  };
  try {
    if (!read_latest(directory)) {
      if (std::ranges::any_of(own, may_have_manifest)) return std::nullopt;
      return std::vector<std::string>();
    }
    const Found found = find_latest(directory);
    std::vector<std::string> names{files::path(found.folder).filename().string()};
    for (const Link& link : found.before)
      names.push_back(files::path(link.folder).filename().string());
    return names;
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// 0: it cannot be told.
unsigned long number_of_latest(const std::string& directory) noexcept {
  try {
    return folder_number(latest_name(directory));
  } catch (const std::exception&) {
    return 0;
  }
}

}  // namespace

std::string latest_name(const std::string& directory) {
  return read_latest(directory).value_or(std::string());
}

std::string make_folder(const std::string& directory) {
  // All processes of the job are told it, by a text of that size.
  if (directory.size() >= space::QuiesceState::text_max)
    base::fail(Errc::bad_argument,
               fmt::format("{} cannot be made: the name of a directory of checkpoints has less "
                           "than {} bytes",
                           directory, space::QuiesceState::text_max));
  make_directories(directory, directory);
  unsigned long number = number_of_latest(directory);
  for (const std::string& name : own_folders(directory))
    if (folder_number(name) > number && holds_checkpoint(directory + "/" + name))
      number = folder_number(name);
  step("folder");
  while (++number <= folder_number_max) {
    const std::string folder = directory + "/" + folder_name(number);
    if (mkdir(folder.c_str(), 0777) == 0) return folder;
    if (errno != EEXIST) fail(folder, "cannot be made", errno);  // else it is not ours
  }
  base::fail(Errc::corrupt, fmt::format("{} has no number left for a checkpoint", directory));
}

void lock_folder(const std::string& folder, std::uint64_t job) {
  const files::path path(folder);
  const std::string directory = path.parent_path().string();
  lock_directory(directory, job);
  // A checkpoint that cannot be read is not ours to judge: it stays until one that is whole
  // replaces it.
  std::vector<std::string> own = own_folders(directory);
  const auto needed = needed_names(directory, own);
  if (!needed) return;
  std::erase_if(own, [&](const std::string& name) {
    return folder_number(name) >= number_of_folder(folder) ||
           std::ranges::find(*needed, name) != needed->end();
  });
  if (own.empty()) return;
  // A writer may have died before what it renamed was on disk: until then the one before counts.
  step("last rename to disk");
  bring_to_disk(directory);
  for (const std::string& name : own) remove_own_folder(directory + "/" + name);
}

std::uint64_t new_id() {
  std::uint64_t id = 0;
  if (getrandom(&id, sizeof id, 0) != sizeof id)
    base::fail(Errc::corrupt, fmt::format("no random numbers: {}", base::system_text(errno)));
  return id | 1;  // 0: none
}

std::string own_folder(const space::QuiesceState& quiesce) {
  return fmt::format("{}/{}", quiesce.folder.directory, folder_name(quiesce.folder.number));
}

std::uint64_t number_of_folder(const std::string& folder) {
  return folder_number(files::path(folder).filename().string());
}

namespace {

/// The last folder that this process has made `latest` name.
struct Completed {
  std::string folder;
};
std::string& last_completed() { return base::state<Completed>().folder; }

/// Errors do not count: the checkpoint is complete, and the next writer tries again.
void remove_others(const std::string& directory, const std::string& name) {
  try {
    for (const std::string& other : own_folders(directory))
      if (folder_number(other) < folder_number(name)) remove_own_folder(directory + "/" + other);
  } catch (const Error&) {
  }
}

}  // namespace

void complete(const std::string& folder, const Manifest& manifest) {
  const files::path path(folder);
  const std::string directory = path.parent_path().string();
  step("manifest");
  write_file(folder + "/manifest", manifest.text());
  step("folder to disk");
  bring_to_disk(folder);
  step("new name");
  const std::string name = directory + "/" + latest, next = name + ".new";
  write_file(next, path.filename().string() + "\n");
  step("directory to disk");
  bring_to_disk(directory);
  step("rename");
  if (std::rename(next.c_str(), name.c_str()) != 0) fail(next, "cannot be renamed", errno);
  last_completed() = folder;
  step("rename to disk");
  bring_to_disk(directory);
  step("removal");
  if (manifest.before.name.empty()) remove_others(directory, path.filename().string());
  step("end");
}

void abandon(const std::string& folder) noexcept {
  if (folder == last_completed()) return;
  const files::path path(folder);
  try {
    if (latest_name(path.parent_path().string()) == path.filename()) return;
  } catch (const std::exception&) {  // what it names cannot be told, unless it is none of ours
    std::error_code error;
    const auto type = files::symlink_status(path.parent_path() / latest, error).type();
    if (type != files::file_type::directory && type != files::file_type::symlink) return;
  }
  remove_own_folder(folder);
}

namespace {

/// Damaged text may be anything, also what a terminal obeys.
std::string printable(const std::string& text) {
  std::string all;
  for (const char c : text)
    all += c >= ' ' && c <= '~' ? std::string(1, c)
                                : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return all;
}

/// Helps users who have named a checkpoint's own folder instead of its directory.
std::string hint_for(files::path folder) {
  if (!folder.has_filename()) folder = folder.parent_path();  // it ended in a slash
  const std::string above = folder.has_parent_path() ? folder.parent_path().string() : ".";
  std::error_code error;
  const bool is_so = number_of_folder(folder.string()) != 0 &&
                     files::is_regular_file(files::path(above) / latest, error);
  return is_so ? fmt::format("; did you mean {}?", above) : std::string();
}

}  // namespace

Found find_latest(const std::string& directory) {
  const auto name = read_latest(directory);
  if (!name)
    base::fail(Errc::corrupt, fmt::format("{} holds no checkpoint: there is no file {}/{}{}",
                                          directory, directory, latest, hint_for(directory)));
  if (folder_number(*name) == 0)
    base::fail(Errc::corrupt, fmt::format("{}/{} is damaged: '{}' is not the name of a checkpoint",
                                          directory, latest, printable(*name)));
  return find_named(directory, *name);
}

Found find(const std::string& path) {
  const files::path folder(path);
  const bool is_one = !read_latest(path) && folder_number(folder.filename().string()) != 0;
  return is_one ? find_named(folder.parent_path().string(), folder.filename().string())
                : find_latest(path);
}

void require_for_nodes(const Found& found, int nodes) {
  if (nodes > 1 && found.manifest.nodes == 1)
    base::fail(Errc::start, fmt::format("{} is of a job on one node, whose ranks may have been "
                                        "doing anything with each other: it cannot go on as "
                                        "several nodes",
                                        found.folder));
}

}  // namespace armature::checkpoints
