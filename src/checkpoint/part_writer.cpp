#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/checksum.hpp"
#include "base/fail.hpp"
#include "base/write_all.hpp"
#include "checkpoint/part.hpp"

namespace armature::checkpoints {

namespace {

// Below zero zstd is faster than disks are.
constexpr int level = -3;

// Still, trying it on what cannot be packed takes longer than writing that: so a part of each block
// is tried before. Slices from all over it, since neighbours tend to be alike.
constexpr std::size_t slice_bytes = 4096, slices = 12;

// Bytes that are on their way to disk while the next ones are read and packed.
constexpr std::uint64_t ahead_bytes = 8 << 20;

}  // namespace

struct PartWriter::Packer {
  Packer() : context(ZSTD_createCCtx()), packed(ZSTD_compressBound(block_bytes_max)) {}
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;
  ~Packer() { ZSTD_freeCCtx(context); }

  /// 0 when it is not smaller then.
  std::size_t pack(const std::byte* memory, std::size_t bytes) {
    const std::size_t to =
        ZSTD_compressCCtx(context, packed.data(), packed.size(), memory, bytes, level);
    return ZSTD_isError(to) || to >= bytes ? 0 : to;
  }
  /// Whether it is worth trying.
  bool seems_packable(const std::byte* memory, std::size_t bytes) {
    constexpr std::size_t tried = slices * slice_bytes;
    if (bytes < 2 * tried) return true;
    std::size_t saved = 0;
    for (std::size_t i = 0; i < slices; ++i) {
      const std::size_t at = (bytes - slice_bytes) / (slices - 1) * i;
      if (const std::size_t to = pack(memory + at, slice_bytes); to != 0) saved += slice_bytes - to;
    }
    return saved >= tried / 32;
  }

  ZSTD_CCtx* context;
  std::vector<std::byte> packed;
};

PartWriter::PartWriter(const std::string& folder, std::string name)
    : folder_(folder), packer_(std::make_unique<Packer>()) {
  part_.name = std::move(name);
  const std::string path = folder_ + "/" + part_.name;
  file_ = base::FileDescriptor(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file_)
    base::fail(Errc::corrupt, fmt::format("{} cannot be made: {}", path, base::system_text(errno)));
}

PartWriter::~PartWriter() = default;

std::span<std::byte> PartWriter::room(std::size_t bytes, std::size_t bytes_min) {
  ARMATURE_ASSERT(bytes_min <= block_bytes_max);
  if (block_bytes_max - memory_bytes_ < bytes_min || runs_.size() == block_runs_max) write_block();
  return {memory_.data() + memory_bytes_, std::min(bytes, block_bytes_max - memory_bytes_)};
}

void PartWriter::keep(std::uint64_t offset, std::size_t bytes) {
  ARMATURE_ASSERT(bytes <= block_bytes_max - memory_bytes_);
  memory_bytes_ += bytes;
  if (!runs_.empty() && runs_.back().offset + runs_.back().bytes == offset) {
    runs_.back().bytes += bytes;
    return;
  }
  ARMATURE_ASSERT(runs_.size() < block_runs_max);
  runs_.push_back({offset, bytes});
}

void PartWriter::add(std::uint64_t offset, const void* data, std::size_t bytes) {
  ARMATURE_ASSERT(bytes <= page_bytes);
  std::memcpy(room(bytes).data(), data, bytes);
  keep(offset, bytes);
}

void PartWriter::write_block() {
  BlockHead head;
  head.runs = static_cast<std::uint32_t>(runs_.size());
  head.memory_bytes = static_cast<std::uint32_t>(memory_bytes_);
  const std::size_t packed = packer_->seems_packable(memory_.data(), memory_bytes_)
                                 ? packer_->pack(memory_.data(), memory_bytes_)
                                 : 0;
  head.is_packed = packed != 0 ? 1 : 0;
  head.file_bytes = static_cast<std::uint32_t>(packed != 0 ? packed : memory_bytes_);
  write(head, packed != 0 ? packer_->packed.data() : memory_.data());
  part_.memory_bytes += memory_bytes_;
  runs_.clear();
  memory_bytes_ = 0;
}

void PartWriter::write(BlockHead head, const std::byte* bytes) {
  const std::size_t before = sizeof head + runs_.size() * sizeof(Run);
  if (head.is_packed == 0 && head.file_bytes >= page_bytes)
    head.padding = static_cast<std::uint16_t>(-(part_.bytes + before) % page_bytes);
  std::byte front[sizeof head + block_runs_max * sizeof(Run) + page_bytes] = {};
  std::ranges::copy(std::as_bytes(std::span(runs_)), front + sizeof head);
  std::uint64_t sum = base::checksum(&head, sizeof head, part_.checksum);
  sum = base::checksum(front + sizeof head, before - sizeof head + head.padding, sum);
  head.checksum = part_.checksum = base::checksum(bytes, head.file_bytes, sum);
  std::memcpy(front, &head, sizeof head);
  write(front, before + head.padding);
  write(bytes, head.file_bytes);
  if (part_.bytes - sent_ < ahead_bytes) return;
  // fsync does all in the end where this cannot be done; it also tells what went wrong.
  (void)sync_file_range(file_.get(), static_cast<off_t>(sent_),
                        static_cast<off_t>(part_.bytes - sent_), SYNC_FILE_RANGE_WRITE);
  sent_ = part_.bytes;
}

void PartWriter::write_end() {
  BlockHead head;
  head.file_bytes = sizeof part_.memory_bytes;
  write(head, reinterpret_cast<const std::byte*>(&part_.memory_bytes));
}

void PartWriter::write(const void* data, std::size_t bytes) {
  part_.bytes += bytes;
  if (!base::write_all(file_.get(), data, bytes))
    base::fail(Errc::corrupt, fmt::format("{}/{} cannot be written: {}", folder_, part_.name,
                                          base::system_text(errno)));
}

Manifest::Part PartWriter::finish() {
  if (!runs_.empty()) write_block();
  write_end();
  if (fsync(file_.get()) != 0)
    base::fail(Errc::corrupt, fmt::format("{}/{} cannot be brought to disk: {}", folder_,
                                          part_.name, base::system_text(errno)));
  file_.reset();
  return part_;
}

Manifest::Part find_part(const std::string& folder, const std::string& name) {
  const std::string path = folder + "/" + name;
  const base::FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const off_t bytes = file ? lseek(file.get(), 0, SEEK_END) : -1;
  struct {
    BlockHead head;
    std::uint64_t memory_bytes;
  } end;
  const auto place = bytes - static_cast<off_t>(sizeof end);
  if (place < 0 || pread(file.get(), &end, sizeof end, place) != sizeof end || end.head.runs != 0 ||
      end.head.magic != BlockHead::expected_magic)
    base::fail(Errc::corrupt, fmt::format("{} is not there whole", path));
  return {name, static_cast<std::uint64_t>(bytes), end.memory_bytes, end.head.checksum};
}

}  // namespace armature::checkpoints
