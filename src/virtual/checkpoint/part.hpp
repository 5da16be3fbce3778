#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/file_descriptor.hpp"
#include "virtual/checkpoint/manifest.hpp"

// A file of pages: blocks of up to a mebibyte, each compressed by itself where that makes it
// smaller. A block's checksum goes on from that of the block before; the last block ends it.

namespace armature::checkpoints {

/// Stands before each block; then come its runs, then the bytes.
struct BlockHead {
  static constexpr std::uint64_t expected_magic = 0x314b'4c42'5452'4d41;

  std::uint64_t magic = expected_magic;
  std::uint32_t runs = 0;  // 0: the last block, of a word: how many bytes of memory there are
  std::uint32_t memory_bytes = 0;  // of all runs together
  std::uint32_t file_bytes = 0;    // as they lie here
  std::uint32_t is_packed = 0;     // by zstd
  std::uint64_t checksum = 0;      // of this head with 0 here, and of all behind it
};
static_assert(sizeof(BlockHead) == 32);

/// Bytes that lay in a row.
struct Run {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

inline constexpr std::size_t block_bytes_max = 1 << 20;
inline constexpr std::size_t block_runs_max = block_bytes_max / 4096;

/// Writes a part. Everything throws Error(corrupt) naming the file and what failed.
class PartWriter {
 public:
  PartWriter(const std::string& folder, std::string name);
  PartWriter(const PartWriter&) = delete;
  PartWriter& operator=(const PartWriter&) = delete;
  ~PartWriter();

  /// Room for up to `bytes` bytes that begin at `offset`, at most block_bytes_max of them; to be
  /// filled before the next call.
  [[nodiscard]] std::byte* add(std::uint64_t offset, std::size_t bytes);
  /// On disk when it returns.
  Manifest::Part finish();

 private:
  struct Packer;
  void write_block();
  void write_end();
  void write(BlockHead head, const std::byte* bytes);
  void write(const void* data, std::size_t bytes);

  const std::string folder_;
  Manifest::Part part_;
  base::FileDescriptor file_;
  std::vector<Run> runs_;
  std::vector<std::byte> memory_;
  std::unique_ptr<Packer> packer_;
};

/// What there is to know of a part that another process has finished. Throws Error(corrupt).
Manifest::Part find_part(const std::string& folder, const std::string& name);

/// Reads a part, and throws Error(corrupt) where it is not as it was written.
class PartReader {
 public:
  PartReader(const std::string& folder, const Manifest::Part& part);
  PartReader(const PartReader&) = delete;
  PartReader& operator=(const PartReader&) = delete;
  ~PartReader();

  /// The next block; false behind the last one.
  bool next();
  [[nodiscard]] const std::vector<Run>& runs() const { return runs_; }
  /// Their bytes, one after the other.
  [[nodiscard]] const std::byte* memory() const { return memory_.data(); }

 private:
  struct Unpacker;
  void read(void* to, std::size_t bytes);
  [[noreturn]] void refuse(const std::string& why) const;
  void check_end();

  const std::string path_;
  const Manifest::Part part_;
  base::FileDescriptor file_;
  std::uint64_t checksum_ = 0, bytes_read_ = 0, memory_read_ = 0;
  std::vector<Run> runs_;
  std::vector<std::byte> packed_, memory_;
  std::unique_ptr<Unpacker> unpacker_;
};

}  // namespace armature::checkpoints
