#include "space/copy_pages.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "space/page_buffer.hpp"

namespace armature::space {
namespace {

constexpr std::size_t chunk = 64 * page_bytes;

[[noreturn]] void fail_to_copy() {
  base::fail(Errc::out_of_memory, fmt::format("the memory of the ranks cannot be copied: {}",
                                              base::system_text(errno != 0 ? errno : ENOSPC)));
}

/// Pages of one file on their way to another.
class Copying {
 public:
  /// `touched` is where the page at `begin` lies.
  Copying(int from, int to, std::uint64_t begin, const Touched& touched)
      : from_(from), to_(to), begin_(begin), touched_(touched) {}

  void copy(std::uint64_t begin, std::uint64_t end) const {
    for (std::uint64_t at = begin; at < end; at += chunk) {
      const std::size_t bytes = std::min<std::uint64_t>(chunk, end - at);
      // A mapping may contain pages that nobody may touch: these are copied by a buffer.
      if (!copy_mapped(at, bytes)) copy_by_buffer(at, bytes);
    }
  }

 private:
  [[nodiscard]] bool copy_mapped(std::uint64_t at, std::size_t bytes) const {
    const auto place = static_cast<off_t>(at);
    if (touched_.from != nullptr)
      return pwrite(to_, touched_.from + (at - begin_), bytes, place) ==
             static_cast<ssize_t>(bytes);
    if (touched_.to != nullptr)
      return pread(from_, touched_.to + (at - begin_), bytes, place) == static_cast<ssize_t>(bytes);
    return false;
  }
  void copy_by_buffer(std::uint64_t at, std::size_t bytes) const {
    const auto place = static_cast<off_t>(at);
    const auto all = static_cast<ssize_t>(bytes);
    errno = 0;
    if (pread(from_, buffer_.data(), bytes, place) != all ||
        pwrite(to_, buffer_.data(), bytes, place) != all)
      fail_to_copy();
  }

  const int from_, to_;
  const std::uint64_t begin_;
  const Touched touched_;
  const PageBuffer buffer_{chunk};
};

}  // namespace

bool give_back_pages(int file, std::uint64_t begin, std::uint64_t end) {
  return fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(begin),
                   static_cast<off_t>(end - begin)) == 0;
}

void empty_pages(int file, std::uint64_t begin, std::uint64_t end) {
  const off_t data = begin < end ? lseek(file, static_cast<off_t>(begin), SEEK_DATA) : -1;
  if (data < 0 || static_cast<std::uint64_t>(data) >= end) return;
  if (!give_back_pages(file, static_cast<std::uint64_t>(data), end)) fail_to_copy();
}

void copy_pages(int from, int to, std::uint64_t begin, std::uint64_t end, const Touched& touched) {
  const Copying copying(from, to, begin, touched);
  for (std::uint64_t at = begin; at < end;) {
    const off_t found = lseek(from, static_cast<off_t>(at), SEEK_DATA);
    const std::uint64_t data = found < 0 ? end : std::min(static_cast<std::uint64_t>(found), end);
    empty_pages(to, at, data);
    if (data == end) return;
    const off_t hole = lseek(from, static_cast<off_t>(data), SEEK_HOLE);
    if (hole < 0) fail_to_copy();
    at = std::min(static_cast<std::uint64_t>(hole), end);
    copying.copy(data, at);
  }
}

}  // namespace armature::space
