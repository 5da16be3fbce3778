#include "space/copy_file.hpp"

#include <unistd.h>

#include <cerrno>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "space/team_block.hpp"

namespace armature::space {

std::uint64_t records_offset(const ControlHeader& header) {
  return header.ranks * header.layout.segment_bytes +
         (TeamBlock::bytes(header.ranks) + 4095) / 4096 * 4096;
}

std::uint64_t place_of_record(const ControlHeader& header, int rank) {
  return records_offset(header) + static_cast<std::uint64_t>(rank + 1) * record_bytes;
}

std::uint64_t place_of_home(const ControlHeader& header, unsigned table, int rank) {
  return place_of_record(header, static_cast<int>(header.ranks)) +
         (std::uint64_t{table} * header.ranks + static_cast<std::uint64_t>(rank)) * home_bytes;
}

std::uint64_t copy_file_bytes(const ControlHeader& header) {
  return header.nodes > 1 ? place_of_home(header, 2, 0)
                          : place_of_record(header, static_cast<int>(header.ranks));
}

namespace {

[[noreturn]] void fail() {
  base::fail(Errc::out_of_memory, fmt::format("ranks cannot be copied: {}",
                                              base::system_text(errno != 0 ? errno : ENOSPC)));
}

}  // namespace

void write_bytes_at(int file, std::uint64_t place, std::span<const std::byte> bytes) {
  errno = 0;
  if (pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(place)) != std::ssize(bytes))
    fail();
}

void read_bytes_at(int file, std::uint64_t place, std::span<std::byte> bytes) {
  errno = 0;
  if (pread(file, bytes.data(), bytes.size(), static_cast<off_t>(place)) != std::ssize(bytes))
    fail();
}

}  // namespace armature::space
