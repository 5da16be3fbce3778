#include "checkpoint/pages.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

#include <fmt/format.h>

#include "base/fail.hpp"

namespace armature::checkpoints {
namespace {

constexpr std::size_t page = space::page_bytes;

bool is_zero(const std::byte* memory) {
  // The first word tells most pages; equal to itself shifted by a word, all words are the first.
  std::uint64_t first = 0;
  std::memcpy(&first, memory, sizeof first);
  return first == 0 && std::memcmp(memory, memory + sizeof first, page - sizeof first) == 0;
}

[[noreturn]] void fail() {
  base::fail(Errc::corrupt,
             fmt::format("the memory of the ranks cannot be read: {}", base::system_text(errno)));
}

/// Read through the file, not the mapping: a process need not map what it writes for others.
/// Straight to where the part has room for it, and what is left out is closed up there.
void write_extent(int file, std::uint64_t begin, std::uint64_t end, PartWriter& part,
                  PageSums* sums) {
  // Little of what is read is kept where most pages have not changed: not page by page, then.
  const std::size_t room_min = sums != nullptr ? block_bytes_max / 4 : page;
  for (std::uint64_t at = begin; at < end;) {
    const std::span<std::byte> room = part.room(end - at, room_min);
    const std::size_t bytes = room.size();
    if (pread(file, room.data(), bytes, static_cast<off_t>(at)) != static_cast<ssize_t>(bytes))
      fail();
    std::size_t kept = 0;
    for (std::size_t from = 0; from < bytes; from += page) {
      const std::byte* memory = room.data() + from;
      const bool zero = is_zero(memory);
      if (sums != nullptr ? !sums->is_changed(at + from, memory, zero) : zero) continue;
      if (kept != from) std::memmove(room.data() + kept, memory, page);
      part.keep(at + from, page);
      kept += page;
    }
    at += bytes;
  }
}

void write_missing(PageSums& sums, std::uint64_t end, PartWriter& part) {
  static constexpr std::byte zeros[page] = {};
  sums.take_missing(end, [&](std::uint64_t offset) { part.add(offset, zeros, page); });
}

}  // namespace

void write_pages(int file, std::uint64_t begin, std::uint64_t end, PartWriter& part, PageSums* sums,
                 const LeftOut& left_out) {
  for (std::uint64_t at = begin; at < end;) {
    const off_t found = lseek(file, static_cast<off_t>(at), SEEK_DATA);
    if (found < 0 && errno != ENXIO) fail();  // that is: none behind it
    const std::uint64_t data = found < 0 ? end : std::min(static_cast<std::uint64_t>(found), end);
    if (sums != nullptr) write_missing(*sums, data, part);
    if (data == end) return;
    const off_t hole = lseek(file, found, SEEK_HOLE);
    if (hole < 0) fail();
    const auto [first, last] = left_out.pages_from(data);
    const std::uint64_t stop = std::min({static_cast<std::uint64_t>(hole), end, first});
    write_extent(file, data, stop, part, sums);
    at = stop == first ? std::min(last, end) : stop;
  }
  if (sums != nullptr) write_missing(*sums, end, part);
}

}  // namespace armature::checkpoints
