#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "space/exposures.hpp"

namespace armature::rma {

/// Returns the file that the calling process shares at all of these addresses; without an inode
/// where it shares none, or more than one.
[[nodiscard]] space::SharedFile shared_file_at(const void* memory, std::size_t bytes);

/// A part of another process's shared file, mapped here.
class FileMapping {
 public:
  FileMapping() = default;  // nothing
  /// The file is found by its name, or by the descriptors of its owner. Maps nothing where it is
  /// not found, or may not be written.
  FileMapping(pid_t owner, const space::Exposures::Range& range);
  FileMapping(FileMapping&& other) noexcept
      : pages_(std::exchange(other.pages_, nullptr)), bytes_(other.bytes_), first_(other.first_) {}
  FileMapping& operator=(FileMapping&&) = delete;
  ~FileMapping();

  /// The first of the range's bytes; nullptr where nothing is mapped.
  [[nodiscard]] std::byte* first() const { return pages_ == nullptr ? nullptr : first_; }

 private:
  void* pages_ = nullptr;
  std::size_t bytes_ = 0;
  std::byte* first_ = nullptr;
};

}  // namespace armature::rma
