#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace armature::checkpoints {

/// A checkpoint's description of itself, as a text that people read: a line for each thing, its
/// name in front. The last line is the checksum of all lines before it.
struct Manifest {
  static constexpr std::string_view title = "armature checkpoint";  // its first line
  static constexpr std::uint32_t expected_version = 6;

  struct Part {  // a file beside the manifest
    std::string name;
    std::uint64_t bytes = 0;         // of the file
    std::uint64_t memory_bytes = 0;  // of the pages in it
    std::uint64_t checksum = 0;      // of its last block, which all before it have gone into
  };

  /// The checkpoint before, of which this one needs all pages that have not changed since: a folder
  /// beside its own. Without a name: none, this one has all.
  struct Before {
    std::string name;
    std::uint64_t checksum = 0;  // of that manifest's text
    bool operator==(const Before&) const = default;
  };

  /// Memory that ranks have asked to leave out (checkpoint_skip). It is not in the parts.
  struct LeftOut {
    std::uint64_t ranges = 0, bytes = 0;
    bool operator==(const LeftOut&) const = default;
  };

  /// An option of `armature run`, with which the job goes on: its name without dashes, and its
  /// value.
  struct Option {
    std::string name, value;
    bool operator==(const Option&) const = default;
  };

  /// The addresses that ranks had, and have again.
  struct Layout {
    std::uint64_t segment_base = 0, segment_bytes = 0, stack_bytes = 0;
    std::uint32_t slot_bytes = 0;  // of ranks in the control block, to which they have pointers
  };

  struct Builds {
    std::string program, library;  // 40 digits each
  };

  std::uint32_t version = expected_version;
  std::uint32_t number = 0;  // of the job's checkpoints, which one this is
  std::uint64_t id = 0;      // no other has it, of whatever job
  std::string written_at;    // UTC
  std::uint32_t ranks = 0;
  std::uint32_t processes = 0;  // when it was written
  std::uint32_t nodes = 1;      // of several: it can be restarted on any number of them
  Layout layout;
  bool check_full = false;
  std::uint32_t through = 0;  // ranks that had left the job
  std::uint32_t restarts = 0;
  std::uint64_t addresses = 0;  // see migration/addresses.hpp
  Builds builds;
  std::string secrets;  // of the processes, 32 digits
  std::string folder;   // where it was started
  std::vector<std::string> command;
  std::vector<Option> options;  // none in checkpoints of earlier versions
  Before before;
  LeftOut left_out;
  std::vector<Part> parts;

  [[nodiscard]] std::string text() const;
  /// Throws Error(corrupt) that says what is wrong; `name` is the file's, for the message.
  static Manifest parse(const std::string& text, const std::string& name);
  /// The number by which a checkpoint that needs this one knows it.
  static std::uint64_t checksum_of(const std::string& text);
  /// Sums over all parts.
  [[nodiscard]] std::uint64_t memory_bytes() const;
  [[nodiscard]] std::uint64_t file_bytes() const;
};

}  // namespace armature::checkpoints
