// The calls that close all descriptors of a range. Numbers in it are of other ranks, too, and of
// the process, which has its job's memory and connections open. A rank closes what it has opened
// itself, and standard streams, as by close().
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

#include "interpose/current.hpp"
#include "interpose/open_files.hpp"
#include "interpose/original.hpp"

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC 4U
#endif

using armature::interpose::open_files;
using armature::interpose::rank_of_files;

ARMATURE_ORIGINAL(int, close_range, (unsigned first, unsigned last, int flags));
ARMATURE_ORIGINAL(void, closefrom, (int first));

namespace {

struct Range {
  unsigned first, last;
  [[nodiscard]] bool has(int number) const {
    return static_cast<unsigned>(number) >= first && static_cast<unsigned>(number) <= last;
  }
};

/// Closes the rank's, or has programs that it starts not have them.
void close_all(const Range& range, const armature::space::RankHeap& rank, bool only_at_exec) {
  open_files.for_each_of(rank, [&](int number) {
    if (!range.has(number)) return;
    if (only_at_exec)
      (void)open_files.calls().control(number, F_SETFD, FD_CLOEXEC);
    else
      (void)close(number);
  });
}

}  // namespace

ARMATURE_EXPORT int close_range(unsigned first, unsigned last, int flags) noexcept {
  const armature::space::RankHeap* const rank = rank_of_files();
  if (rank == nullptr) return original_close_range(first, last, flags);
  // A rank shares the process's table of descriptors with other ranks: it cannot have another one.
  if (first > last || (static_cast<unsigned>(flags) & ~CLOSE_RANGE_CLOEXEC) != 0) {
    errno = EINVAL;
    return -1;
  }
  close_all({first, last}, *rank, flags != 0);
  return 0;
}

ARMATURE_EXPORT void closefrom(int first) noexcept {
  const armature::space::RankHeap* const rank = rank_of_files();
  if (rank == nullptr) return original_closefrom(first);
  close_all({first > 0 ? static_cast<unsigned>(first) : 0, UINT_MAX}, *rank, false);
}
