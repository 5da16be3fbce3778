#include "interpose/open_files.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <utility>

#include "interpose/current.hpp"

extern "C" void* __libc_calloc(std::size_t count, std::size_t bytes);

namespace armature::interpose {
namespace {

using File = OpenFiles::File;

/// Restores errno: what is noted of a call is not its result.
class SameErrno {
 public:
  SameErrno() = default;
  SameErrno(const SameErrno&) = delete;
  SameErrno& operator=(const SameErrno&) = delete;
  ~SameErrno() { errno = before_; }

 private:
  const int before_ = errno;
};

/// Devices without a state: memory's (null, zero, random) and terminals.
bool is_simple(dev_t device) {
  const unsigned kind = major(device);
  return kind == 1 || kind == 4 || kind == 5 || (kind >= 136 && kind <= 143);
}

/// Whether it can be open in another process as well.
bool goes_along(int number) {
  struct stat file {};
  if (fstat(number, &file) != 0) return false;
  if (S_ISCHR(file.st_mode)) return is_simple(file.st_rdev);
  return S_ISREG(file.st_mode) || S_ISDIR(file.st_mode);
}

}  // namespace

bool OpenFiles::may_have(int number) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return false;
  const auto wanted = static_cast<rlim_t>(number) + 1;
  if (limit.rlim_cur >= wanted) return true;
  if (limit.rlim_max < wanted) return false;
  limit.rlim_cur = limit.rlim_max;
  return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

int OpenFiles::number_of(std::size_t rank, std::size_t index) {
  const std::size_t number = first + index * ranks() + rank;
  return number <= INT32_MAX ? static_cast<int>(number) : INT32_MAX;
}

OpenFiles::Place OpenFiles::place_of(int number) {
  const auto offset = static_cast<std::size_t>(number - first);
  return {offset % ranks(), offset / ranks()};
}

OpenFiles::OfRank* OpenFiles::of(std::size_t rank) {
  return ranks_ != nullptr ? ranks_[rank] : nullptr;
}

OpenFiles::OfRank& OpenFiles::make(std::size_t rank) {
  if (ranks_ == nullptr) ranks_ = static_cast<OfRank**>(__libc_calloc(ranks(), sizeof(OfRank*)));
  if (ranks_[rank] == nullptr)
    ranks_[rank] = static_cast<OfRank*>(__libc_calloc(1, sizeof(OfRank)));
  is_used_.store(true, std::memory_order_relaxed);
  return *ranks_[rank];
}

File* OpenFiles::find(int number) {
  if (!is_own(number) || ranks_ == nullptr) return nullptr;
  const auto [rank, index] = place_of(number);
  OfRank* const its = of(rank);
  if (its == nullptr || index >= its->files.size()) return nullptr;
  File& file = its->files[index];
  return file.state == File::State::open ? &file : nullptr;
}

std::size_t OpenFiles::next_open(std::size_t rank, std::size_t index) {
  const std::lock_guard lock(lock_);
  OfRank* const its = of(rank);
  for (; its != nullptr && index < its->files.size(); ++index)
    if (its->files[index].state == File::State::open) return index;
  return none;
}

/// Gives it the first number of the rank's that is free. -1: it stays as it is.
int OpenFiles::renumber(int number, space::RankHeap& rank, int like) {
  const std::lock_guard lock(lock_);
  const std::size_t owner = rank_of(rank);
  OfRank& its = make(owner);
  if (is_own(number)) return take_own(number, its, rank) ? number : -1;
  std::size_t index = 0;
  while (index < its.files.size() && its.files[index].state != File::State::none) ++index;
  const int own = number_of(owner, index);
  if (!may_have(own) || (index == its.files.size() && !its.files.append({}))) return -1;
  const int flags = calls_.control(number, F_GETFD, 0);
  const int command = (flags & FD_CLOEXEC) != 0 ? F_DUPFD_CLOEXEC : F_DUPFD;
  const int got = calls_.control(number, command, own);
  if (got != own) {  // somebody else uses that number
    if (got >= 0) (void)calls_.close(got);
    return -1;
  }
  (void)calls_.close(number);
  note(its, index, rank, like);
  return own;
}

/// Notes one of the rank's own numbers, which a call has used again.
bool OpenFiles::take_own(int number, OfRank& its, space::RankHeap& rank) {
  const auto [owner, index] = place_of(number);
  if (owner != rank_of(rank) || index >= its.files.size()) return false;
  note(its, index, rank, -1);
  return true;
}

void OpenFiles::note(OfRank& its, std::size_t index, space::RankHeap& rank, int like) {
  const File* const other = find(like);
  its.files[index] = {File::State::open, false,
                      other != nullptr ? other->shares : static_cast<std::uint32_t>(index)};
  rank.files.open.fetch_add(1, std::memory_order_relaxed);
}

// A number that is the rank's already goes along as others do.
void OpenFiles::add_as(int number, space::RankHeap& rank, int like) {
  if (number <= STDERR_FILENO) return;
  const SameErrno same;
  if (is_own(number) && goes_along(number)) {
    const std::lock_guard lock(lock_);
    const auto [owner, index] = place_of(number);
    OfRank& its = make(owner);
    if (owner == rank_of(rank) && index < its.files.size()) return note(its, index, rank, like);
  }
  (void)tie(number, rank);
}

bool OpenFiles::tie(int number, space::RankHeap& rank) {
  if (is_own(number)) return false;
  is_used_.store(true, std::memory_order_relaxed);
  space::RankHeap* const before =
      tied_[static_cast<std::size_t>(number)].exchange(&rank, std::memory_order_relaxed);
  if (before != nullptr) before->ties.files.fetch_sub(1, std::memory_order_release);
  rank.ties.files.fetch_add(1, std::memory_order_relaxed);
  return true;
}

int OpenFiles::add(int number, space::RankHeap& rank, int like) {
  if (number <= STDERR_FILENO) return number;
  {
    const SameErrno same;
    if (goes_along(number))
      if (const int own = renumber(number, rank, like); own >= 0) return own;
  }
  return add_tied(number, rank);
}

int OpenFiles::add_tied(int number, space::RankHeap& rank) {
  if (number <= STDERR_FILENO || tie(number, rank)) return number;
  (void)calls_.close(number);
  errno = EMFILE;
  return -1;
}

void OpenFiles::remove(int number) {
  if (number <= STDERR_FILENO || !is_used_.load(std::memory_order_relaxed) || in_fork()) return;
  if (!is_own(number)) {
    space::RankHeap* const rank =
        tied_[static_cast<std::size_t>(number)].exchange(nullptr, std::memory_order_relaxed);
    if (rank != nullptr) rank->ties.files.fetch_sub(1, std::memory_order_release);
    return;
  }
  const std::lock_guard lock(lock_);
  File* const file = find(number);
  if (file == nullptr) return;
  space::RankHeap& rank = heap_of_rank(place_of(number).rank);
  if (file->has_lock) rank.ties.files.fetch_sub(1, std::memory_order_release);
  rank.files.open.fetch_sub(1, std::memory_order_relaxed);
  *file = {};
}

void OpenFiles::note_lock(int number, bool is_locked) {
  if (in_fork()) return;
  const std::lock_guard lock(lock_);
  File* const file = find(number);
  if (file == nullptr || std::exchange(file->has_lock, is_locked) == is_locked) return;
  std::atomic<std::uint32_t>& ties = heap_of_rank(place_of(number).rank).ties.files;
  is_locked ? ties.fetch_add(1, std::memory_order_relaxed)
            : ties.fetch_sub(1, std::memory_order_release);
}

void OpenFiles::forget_ties() {
  if (!is_used_.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(lock_);
  for (auto& rank : tied_) rank.store(nullptr, std::memory_order_relaxed);
  tied_streams_.clear();
  for (std::size_t rank = 0; ranks_ != nullptr && rank < ranks(); ++rank)
    if (ranks_[rank] != nullptr)
      for (File& file : ranks_[rank]->files) file.has_lock = false;
}

// A rank is tied for good where there is no memory for a note.
void OpenFiles::add_stream(std::FILE* stream, space::RankHeap& rank) {
  const std::lock_guard lock(lock_);
  OfRank& its = make(rank_of(rank));
  rank.files.open.fetch_add(1, std::memory_order_relaxed);
  if (!its.streams.append(stream)) rank.ties.files.fetch_add(1, std::memory_order_relaxed);
}

void OpenFiles::tie_stream(std::FILE* stream, space::RankHeap& rank) {
  const std::lock_guard lock(lock_);
  is_used_.store(true, std::memory_order_relaxed);
  rank.ties.files.fetch_add(1, std::memory_order_relaxed);
  (void)tied_streams_.append({stream, &rank});
}

void OpenFiles::remove_stream(std::FILE* stream) {
  if (!is_used_.load(std::memory_order_relaxed) || in_fork()) return;
  const std::lock_guard lock(lock_);
  for (std::size_t i = 0; i < tied_streams_.size(); ++i)
    if (tied_streams_[i].stream == stream) {
      tied_streams_[i].rank->ties.files.fetch_sub(1, std::memory_order_release);
      return tied_streams_.remove(i);
    }
  space::RankHeap* const rank = find_heap(stream);
  OfRank* const its = rank != nullptr ? of(rank_of(*rank)) : nullptr;
  if (its == nullptr) return;
  for (std::size_t i = 0; i < its->streams.size(); ++i)
    if (its->streams[i] == stream) {
      rank->files.open.fetch_sub(1, std::memory_order_relaxed);
      return its->streams.remove(i);
    }
}

}  // namespace armature::interpose
