#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file_descriptor.hpp"

namespace armature::command {

/// Bytes between ranks, as a run has recorded them: a row for each rank, a column for each partner.
struct Links {
  std::uint32_t ranks = 0;
  std::vector<std::uint64_t> bytes;
};

/// Reads the file of `armature run --record-links`. Throws Error(start) that names the file and the
/// line where it is no such file, and where it is of a job of other ranks.
Links read_links(const std::string& path, std::uint32_t ranks);

/// The memory file in which the ranks of a job add up what they move, and the file that is made of
/// it.
class RecordedLinks {
 public:
  /// The environment tells processes that are started from now on. `path` is empty where nobody has
  /// asked. Throws Error(start) when it cannot be written.
  RecordedLinks(std::string path, std::uint32_t ranks);
  RecordedLinks(const RecordedLinks&) = delete;
  RecordedLinks& operator=(const RecordedLinks&) = delete;
  ~RecordedLinks();

  /// False when it cannot be written, which is said, too.
  [[nodiscard]] bool write() const;

 private:
  const std::string path_;
  const std::uint32_t ranks_;
  base::FileDescriptor output_, table_;
};

}  // namespace armature::command
