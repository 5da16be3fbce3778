#include "checkpoint/chain.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "armature/error.hpp"

namespace armature::checkpoints {

namespace {

// Each link is a folder with some files, however little has changed.
constexpr std::uint32_t links_max = 64;

std::string directory_of(const std::string& folder) {
  return std::filesystem::path(folder).parent_path().string();
}

// The last link may be as large as the whole: three times that is read at a restart, at most.
bool is_long(const Found& last) {
  if (last.before.empty()) return false;
  std::uint64_t bytes = last.manifest.file_bytes();
  for (std::size_t i = 1; i < last.before.size(); ++i)
    bytes += last.before[i].manifest.file_bytes();
  return last.before.size() >= links_max || bytes >= last.before.front().manifest.file_bytes();
}

bool has_its_parts(const Link& link) {
  return std::ranges::all_of(link.manifest.parts, [&](const Manifest::Part& part) {
    std::error_code error;
    const std::uintmax_t bytes = std::filesystem::file_size(link.folder + "/" + part.name, error);
    return !error && bytes == part.bytes;
  });
}

}  // namespace

bool can_go_on(const Found& last) {
  return !is_long(last) && has_its_parts(last) && std::ranges::all_of(last.before, has_its_parts);
}

Manifest::Before before_next(const Link& last) {
  return {std::filesystem::path(last.folder).filename().string(),
          Manifest::checksum_of(last.manifest.text())};
}

std::uint32_t Chain::goes_on_from(const std::string& directory,
                                  std::uint32_t reconfiguration) const {
  // The directory may have been named with a slash at the end.
  const bool is_there = directory_of(directory + "/" + last_.name) == directory_;
  if (last_.name.empty() || !is_there || reconfiguration != reconfiguration_) return 0;
  // Somebody else may have written there meanwhile, or have taken away what is needed.
  try {
    const Found found = find_latest(directory);
    const bool is_ours = before_next(found) == last_;
    return is_ours && can_go_on(found) ? number_ : 0;
  } catch (const Error&) {
    return 0;
  }
}

void Chain::add(const std::string& folder, const Manifest& manifest,
                std::uint32_t reconfiguration) {
  directory_ = directory_of(folder);
  last_ = before_next({folder, manifest});
  number_ = manifest.number;
  reconfiguration_ = reconfiguration;
}

}  // namespace armature::checkpoints
