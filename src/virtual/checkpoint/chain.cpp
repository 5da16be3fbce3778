#include "virtual/checkpoint/chain.hpp"

#include <filesystem>

#include "armature/error.hpp"

namespace armature::checkpoints {

namespace {

// Each link is a folder with some files, however little has changed.
constexpr std::uint32_t links_max = 64;

}  // namespace

std::uint32_t Chain::goes_on_from(const std::string& directory, std::uint32_t regroup) const {
  // The last link may be as large as the whole: three times that is read at a restart, at most.
  const bool is_long = links_ >= links_max || links_bytes_ >= whole_bytes_;
  if (is_long || last_.name.empty() || directory != directory_ || regroup != regroup_) return 0;
  // Somebody else may have written there meanwhile, or have taken away what is needed.
  try {
    const Found found = find_latest(directory);
    return std::filesystem::path(found.folder).filename() == last_.name ? number_ : 0;
  } catch (const Error&) {
    return 0;
  }
}

void Chain::add(const std::string& folder, const Manifest& manifest, std::uint32_t regroup) {
  const std::filesystem::path path(folder);
  if (manifest.before.name.empty()) {
    forget();
    whole_bytes_ = manifest.file_bytes();
  } else {
    ++links_;
    links_bytes_ += manifest.file_bytes();
  }
  directory_ = path.parent_path().string();
  last_ = {path.filename().string(), Manifest::checksum_of(manifest.text())};
  number_ = manifest.number;
  regroup_ = regroup;
}

}  // namespace armature::checkpoints
