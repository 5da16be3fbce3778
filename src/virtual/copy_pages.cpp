#include "virtual/copy_pages.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "virtual/page_buffer.hpp"

namespace armature::fibers {
namespace {

constexpr std::size_t chunk = 64 * page_bytes;

[[noreturn]] void fail_to_copy() {
  base::fail(Errc::out_of_memory, fmt::format("the memory of the ranks cannot be copied: {}",
                                              base::system_text(errno != 0 ? errno : ENOSPC)));
}

void copy_extent(int from, int to, std::uint64_t begin, std::uint64_t end,
                 const PageBuffer& buffer) {
  for (std::uint64_t at = begin; at < end; at += chunk) {
    const std::size_t bytes = std::min<std::uint64_t>(chunk, end - at);
    const auto all = static_cast<ssize_t>(bytes);
    errno = 0;
    if (pread(from, buffer.data(), bytes, static_cast<off_t>(at)) != all ||
        pwrite(to, buffer.data(), bytes, static_cast<off_t>(at)) != all)
      fail_to_copy();
  }
}

}  // namespace

void empty_pages(int file, std::uint64_t begin, std::uint64_t end) {
  const off_t data = begin < end ? lseek(file, static_cast<off_t>(begin), SEEK_DATA) : -1;
  if (data < 0 || static_cast<std::uint64_t>(data) >= end) return;
  if (fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, data,
                static_cast<off_t>(end) - data) != 0)
    fail_to_copy();
}

void copy_pages(int from, int to, std::uint64_t begin, std::uint64_t end) {
  const PageBuffer buffer(chunk);
  for (std::uint64_t at = begin; at < end;) {
    const off_t found = lseek(from, static_cast<off_t>(at), SEEK_DATA);
    const std::uint64_t data = found < 0 ? end : std::min(static_cast<std::uint64_t>(found), end);
    empty_pages(to, at, data);
    if (data == end) return;
    const off_t hole = lseek(from, static_cast<off_t>(data), SEEK_HOLE);
    if (hole < 0) fail_to_copy();
    at = std::min(static_cast<std::uint64_t>(hole), end);
    copy_extent(from, to, data, at, buffer);
  }
}

}  // namespace armature::fibers
