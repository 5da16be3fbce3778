#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "virtual/checkpoint/checksum.hpp"
#include "virtual/checkpoint/part.hpp"

namespace armature::checkpoints {

namespace {
// Below zero zstd is faster than disks are.
constexpr int level = -3;
}  // namespace

struct PartWriter::Packer {
  Packer() : context(ZSTD_createCCtx()), packed(ZSTD_compressBound(block_bytes_max)) {}
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;
  ~Packer() { ZSTD_freeCCtx(context); }

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
  memory_.reserve(block_bytes_max);
}

PartWriter::~PartWriter() = default;

std::byte* PartWriter::add(std::uint64_t offset, std::size_t bytes) {
  if (memory_.size() + bytes > block_bytes_max || runs_.size() == block_runs_max) write_block();
  if (!runs_.empty() && runs_.back().offset + runs_.back().bytes == offset)
    runs_.back().bytes += bytes;
  else
    runs_.push_back({offset, bytes});
  const std::size_t at = memory_.size();
  memory_.resize(at + bytes);
  return memory_.data() + at;
}

void PartWriter::write_block() {
  BlockHead head;
  head.runs = static_cast<std::uint32_t>(runs_.size());
  head.memory_bytes = static_cast<std::uint32_t>(memory_.size());
  const std::size_t packed =
      ZSTD_compressCCtx(packer_->context, packer_->packed.data(), packer_->packed.size(),
                        memory_.data(), memory_.size(), level);
  head.is_packed = !ZSTD_isError(packed) && packed < memory_.size() ? 1 : 0;
  const std::byte* const bytes = head.is_packed != 0 ? packer_->packed.data() : memory_.data();
  head.file_bytes = static_cast<std::uint32_t>(head.is_packed != 0 ? packed : memory_.size());
  write(head, bytes);
  part_.memory_bytes += memory_.size();
  runs_.clear();
  memory_.clear();
}

void PartWriter::write(BlockHead head, const std::byte* bytes) {
  std::uint64_t sum = checksum(&head, sizeof head, part_.checksum);
  sum = checksum(runs_.data(), runs_.size() * sizeof(Run), sum);
  head.checksum = part_.checksum = checksum(bytes, head.file_bytes, sum);
  write(&head, sizeof head);
  write(runs_.data(), runs_.size() * sizeof(Run));
  write(bytes, head.file_bytes);
}

void PartWriter::write_end() {
  BlockHead head;
  head.file_bytes = sizeof part_.memory_bytes;
  write(head, reinterpret_cast<const std::byte*>(&part_.memory_bytes));
}

void PartWriter::write(const void* data, std::size_t bytes) {
  const auto* at = static_cast<const char*>(data);
  part_.bytes += bytes;
  while (bytes > 0) {
    const ssize_t n = ::write(file_.get(), at, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      base::fail(Errc::corrupt, fmt::format("{}/{} cannot be written: {}", folder_, part_.name,
                                            base::system_text(n < 0 ? errno : ENOSPC)));
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
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
