#pragma once

#include <cstdint>
#include <mutex>

#include "base/file_descriptor.hpp"
#include "checkpoint/part.hpp"

namespace armature::checkpoints {

/// Puts pages into the memory file of the segments, from several threads at once.
///
/// A file lets one at a time write to it, and most of a restart is that. So a thread that finds
/// another one writing puts its pages there by their address instead, which needs no lock.
/// userfaultfd does that without a fault for each page, and without making it zeros first. Where
/// the system does not let us, all write.
class SegmentFiller {
 public:
  /// Throws Error(start).
  explicit SegmentFiller(int file);
  SegmentFiller(const SegmentFiller&) = delete;
  SegmentFiller& operator=(const SegmentFiller&) = delete;
  ~SegmentFiller();

  /// Throws Error(corrupt) where that is not in the file, and Error(out_of_memory).
  void put(const Run& run, const std::byte* memory);

 private:
  void map();
  [[nodiscard]] std::uint64_t place(const Run& run, const std::byte* memory) const;
  void write(Run run, const std::byte* memory) const;

  const int file_;
  std::uint64_t file_bytes_ = 0;
  std::mutex writes_;
  void* start_ = nullptr;  // of the file in memory; nullptr: it is not there
  base::FileDescriptor places_;
};

}  // namespace armature::checkpoints
