#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/file_descriptor.hpp"
#include "checkpoint/manifest.hpp"
#include "space/page_buffer.hpp"

// A file of pages: blocks of up to a mebibyte, each compressed by itself where that makes it
// smaller. What is not compressed begins with a page of the file, so that the system copies it page
// by page. A block's checksum goes on from that of the block before; the last block ends it.

namespace armature::checkpoints {

/// Stands before each block; then come its runs, zeros up to where the bytes begin, and the bytes.
struct BlockHead {
  static constexpr std::uint64_t expected_magic = 0x324b'4c42'5452'4d41;

  std::uint64_t magic = expected_magic;
  std::uint32_t runs = 0;  // 0: the last block, of a word: how many bytes of memory there are
  std::uint32_t memory_bytes = 0;  // of all runs together
  std::uint32_t file_bytes = 0;    // as they lie here
  std::uint16_t is_packed = 0;     // by zstd
  std::uint16_t padding = 0;       // how many zeros
  std::uint64_t checksum = 0;      // of this head with 0 here, and of all behind it
};
static_assert(sizeof(BlockHead) == 32);

/// Bytes that lay in a row.
struct Run {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

inline constexpr std::size_t block_bytes_max = 1 << 20;
using space::page_bytes;
using space::PageBuffer;

inline constexpr std::size_t block_runs_max = block_bytes_max / page_bytes;

/// Writes a part. Everything throws Error(corrupt) naming the file and what failed.
class PartWriter {
 public:
  PartWriter(const std::string& folder, std::string name);
  PartWriter(const PartWriter&) = delete;
  PartWriter& operator=(const PartWriter&) = delete;
  ~PartWriter();

  /// Room for up to `bytes` bytes, and for at least `bytes_min` of them.
  [[nodiscard]] std::span<std::byte> room(std::size_t bytes, std::size_t bytes_min = page_bytes);
  /// Keeps the bytes that now stand at the beginning of the room; they lay at `offset`. The room
  /// behind them is left.
  void keep(std::uint64_t offset, std::size_t bytes);
  /// Makes room and keeps it, at once, for at most a page.
  void add(std::uint64_t offset, const void* data, std::size_t bytes);
  /// Ends the part, which is on disk when it returns.
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
  PageBuffer memory_{block_bytes_max};
  std::size_t memory_bytes_ = 0;
  std::uint64_t sent_ = 0;  // so much of the file is on its way to disk
  std::unique_ptr<Packer> packer_;
};

/// Reads what there is to know of a part that another process has finished. Throws Error(corrupt).
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
  /// The bytes of the pages, one after the other.
  [[nodiscard]] const std::byte* memory() const { return memory_.data(); }

 private:
  struct Unpacker;
  BlockHead read_head();
  void read(void* to, std::size_t bytes);
  [[noreturn]] void refuse(const std::string& why) const;
  void check_end(std::size_t bytes);

  const std::string path_;
  const Manifest::Part part_;
  base::FileDescriptor file_;
  std::uint64_t checksum_ = 0, bytes_read_ = 0, memory_read_ = 0;
  std::vector<Run> runs_;
  PageBuffer memory_{block_bytes_max}, packed_{block_bytes_max};
  std::unique_ptr<Unpacker> unpacker_;
};

}  // namespace armature::checkpoints
