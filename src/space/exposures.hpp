#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace armature::space {

/// The bytes of a file that a process shares at some addresses of its own (mmap with MAP_SHARED).
struct SharedFile {
  std::uint64_t device = 0, inode = 0;  // no inode: there is no such file
  std::uint64_t offset = 0;             // of the first of these bytes

  bool operator==(const SharedFile&) const = default;
};

/// The list of what a rank lets others reach beside its segment, in that segment. All zeros at
/// first. Written by one thread of that rank's process at a time; read by all processes of the
/// node.
///
/// Invariant: an entry whose length is not 0 is whole. Its writer sets the length last, with
/// release, and clears it first; a reader takes the length before and after the rest, with acquire,
/// and passes an entry over that has changed meanwhile. One that was replaced meanwhile by another
/// of the same length may be seen with the kind or file of either, by a process that asks for
/// memory which is being concealed or is not yet exposed.
class Exposures {
 public:
  static constexpr std::size_t count_max = 500;

  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
    std::uint64_t kind = 0;  // the owner's MemoryKind; 0: loads and stores reach it
    SharedFile file;         // which others can map, too

    bool operator==(const Range&) const = default;

    [[nodiscard]] bool holds(std::uint64_t address, std::uint64_t of_bytes) const {
      return address >= begin && address - begin <= bytes && of_bytes <= bytes - (address - begin);
    }
  };

  /// False: there is no room for one more.
  [[nodiscard]] bool add(const Range& range);
  /// The one that was added last of those that are there. False: there is none.
  bool remove(std::uint64_t begin, std::uint64_t bytes);
  /// One that holds all these bytes. Safe from any process.
  [[nodiscard]] std::optional<Range> holding(std::uint64_t address, std::uint64_t bytes) const;

 private:
  struct Entry {
    std::atomic<std::uint64_t> begin, bytes, kind, device, inode, offset;
  };
  std::atomic<std::uint64_t> used_;  // entries that were ever used
  std::array<Entry, count_max> entries_;
};

}  // namespace armature::space
