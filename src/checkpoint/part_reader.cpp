#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/checksum.hpp"
#include "base/fail.hpp"
#include "checkpoint/open_file.hpp"
#include "checkpoint/part.hpp"

namespace armature::checkpoints {

struct PartReader::Unpacker {
  Unpacker() : context(ZSTD_createDCtx()) {}
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;
  ~Unpacker() { ZSTD_freeDCtx(context); }

  ZSTD_DCtx* context;
};

PartReader::PartReader(const std::string& folder, const Manifest::Part& part)
    : path_(folder + "/" + part.name), part_(part), unpacker_(std::make_unique<Unpacker>()) {
  OpenFile opened = open_file(path_);
  if (!opened.file) refuse(fmt::format("cannot be opened: {}", opened.problem));
  file_ = std::move(opened.file);
  if (const std::uint64_t bytes = opened.bytes; bytes != part.bytes)
    refuse(bytes < part.bytes
               ? fmt::format("is cut off: it has {} bytes of {}", bytes, part.bytes)
               : fmt::format("has {} bytes where {} were written", bytes, part.bytes));
}

PartReader::~PartReader() = default;

void PartReader::refuse(const std::string& why) const {
  base::fail(Errc::corrupt, fmt::format("{} {}", path_, why));
}

void PartReader::read(void* to, std::size_t bytes) {
  if (bytes > part_.bytes - bytes_read_) refuse("is damaged: a block goes beyond its end");
  bytes_read_ += bytes;
  if (read_up_to(file_, to, bytes, path_) < bytes) refuse("cannot be read: it ends");
}

/// Reads the head, its runs, and the zeros behind them.
BlockHead PartReader::read_head() {
  const std::uint64_t at = bytes_read_;
  BlockHead head;
  read(&head, sizeof head);
  if (head.magic != BlockHead::expected_magic || head.runs > block_runs_max ||
      head.memory_bytes > block_bytes_max || head.file_bytes > block_bytes_max ||
      head.padding >= page_bytes)
    refuse(fmt::format("is damaged: no block begins at {}", at));
  std::byte front[block_runs_max * sizeof(Run) + page_bytes];
  runs_.resize(head.runs);
  const std::size_t bytes = runs_.size() * sizeof(Run);
  read(front, bytes + head.padding);
  std::copy_n(front, bytes, std::as_writable_bytes(std::span(runs_)).begin());
  const std::uint64_t written = std::exchange(head.checksum, 0);
  checksum_ =
      base::checksum(front, bytes + head.padding, base::checksum(&head, sizeof head, checksum_));
  head.checksum = written;
  return head;
}

bool PartReader::next() {
  const std::uint64_t at = bytes_read_;
  const BlockHead head = read_head();
  const PageBuffer& bytes = head.is_packed != 0 ? packed_ : memory_;
  read(bytes.data(), head.file_bytes);
  checksum_ = base::checksum(bytes.data(), head.file_bytes, checksum_);
  if (checksum_ != head.checksum)
    refuse(fmt::format("is damaged: the checksum of the block at {} is another one", at));
  if (head.runs == 0) return check_end(head.file_bytes), false;

  // However long they say that they are, together they are no longer than the block: no sum of
  // theirs may begin again at zero.
  std::uint64_t left = head.memory_bytes;
  for (const Run& run : runs_) {
    if (run.bytes > left)
      refuse(fmt::format("is damaged: a run of the block at {} is too long", at));
    left -= run.bytes;
  }
  memory_read_ += head.memory_bytes;
  if (head.is_packed != 0 &&
      ZSTD_decompressDCtx(unpacker_->context, memory_.data(), block_bytes_max, packed_.data(),
                          head.file_bytes) != head.memory_bytes)
    refuse(fmt::format("is damaged: the block at {} cannot be unpacked", at));
  if (left != 0 || (head.is_packed == 0 && head.file_bytes != head.memory_bytes))
    refuse(fmt::format("is damaged: the block at {} is not as long as it says", at));
  return true;
}

/// The last block is of so many bytes.
void PartReader::check_end(std::size_t bytes) {
  std::uint64_t memory_bytes = ~std::uint64_t{0};
  if (bytes == sizeof memory_bytes) std::memcpy(&memory_bytes, memory_.data(), sizeof memory_bytes);
  if (memory_bytes != memory_read_ || bytes_read_ != part_.bytes || checksum_ != part_.checksum ||
      memory_read_ != part_.memory_bytes)
    refuse("is not the file that the manifest tells of: its blocks are whole, but not these");
}

}  // namespace armature::checkpoints
