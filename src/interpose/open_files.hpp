#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "interpose/current.hpp"
#include "interpose/process_array.hpp"
#include "space/rank_heap.hpp"
#include "space/spin_lock.hpp"

namespace armature::interpose {

/// The files and streams that ranks have open in this process. Regular files, directories and
/// simple devices go where the rank goes. Their descriptors have numbers that no other rank of the
/// job uses, so they keep them in every process. Whatever else is open ties the rank.
class OpenFiles {
 public:
  /// A file that goes along. One that is `left` is still open here; its rank is elsewhere.
  struct File {
    enum class State : std::uint8_t { none, open, left };
    State state = State::none;
    bool has_lock = false;     // fcntl(2), flock(2): no other process or node has it
    std::uint32_t shares = 0;  // the first of those with which it shares its position
  };
  struct OfRank {
    ProcessArray<File> files;          // by their index
    ProcessArray<std::FILE*> streams;  // in the list that the C library has of them
  };
  /// The C library's own calls.
  struct Calls {
    int (*close)(int number);
    int (*control)(int number, int command, long argument);
    int (*duplicate)(int number, int as, int flags);
  };

  constexpr explicit OpenFiles(const Calls& calls) : calls_(calls) {}
  OpenFiles(const OpenFiles&) = delete;
  OpenFiles& operator=(const OpenFiles&) = delete;
  ~OpenFiles() = default;

  /// Takes a descriptor that the rank has just got. Returns the one that it is to have; -1, with
  /// errno, where there is none. `like`: a descriptor with which it shares its position, or -1.
  [[nodiscard]] int add(int number, space::RankHeap& rank, int like = -1);
  /// Takes one that ties the rank, whatever it is.
  [[nodiscard]] int add_tied(int number, space::RankHeap& rank);
  /// Takes one whose number was the rank's choice.
  void add_as(int number, space::RankHeap& rank, int like);
  /// Is told before it is closed.
  void remove(int number);
  /// Its owner has locked it, or records of it, or let go.
  void note_lock(int number, bool is_locked);

  /// Calls `body` with the number of each standard stream, and of each file that the rank has open
  /// here. The body may close it.
  template <class Body>
  void for_each_of(const space::RankHeap& rank, Body body) {
    for (int number = 0; number < first; ++number)
      if (number <= 2 ||
          tied_[static_cast<std::size_t>(number)].load(std::memory_order_relaxed) == &rank)
        body(number);
    const std::size_t owner = rank_of(rank);
    for (std::size_t index = next_open(owner, 0); index != none;
         index = next_open(owner, index + 1))
      body(number_of(owner, index));
  }

  /// Ranks roll back to what they were without ties: nothing that is open here keeps them any more.
  void forget_ties();

  void add_stream(std::FILE* stream, space::RankHeap& rank);
  void remove_stream(std::FILE* stream);
  /// A stream whose other end is a process of this one.
  void tie_stream(std::FILE* stream, space::RankHeap& rank);

  /// nullptr where the rank has never had any here. Its files change under the lock.
  [[nodiscard]] OfRank* of(std::size_t rank);
  [[nodiscard]] OfRank& make(std::size_t rank);
  [[nodiscard]] space::SpinLock& lock() { return lock_; }
  /// The files that ranks have left open here, and those ranks.
  struct Left {
    std::atomic<std::uint32_t> count{0};
    ProcessArray<std::size_t> ranks;
  };
  [[nodiscard]] Left& left() { return left_; }
  [[nodiscard]] static int number_of(std::size_t rank, std::size_t index);
  [[nodiscard]] const Calls& calls() const { return calls_; }
  /// Raises the process's limit where the number lies above it; whether it may be used now.
  [[nodiscard]] static bool may_have(int number);

 private:
  struct Place {
    std::size_t rank, index;
  };
  [[nodiscard]] static bool is_own(int number) { return number >= first; }
  [[nodiscard]] File* find(int number);
  static constexpr std::size_t none = SIZE_MAX;
  /// The index of the rank's next open file, from that one on. Takes the lock: threads of the rank
  /// may open files meanwhile.
  [[nodiscard]] std::size_t next_open(std::size_t rank, std::size_t index);
  [[nodiscard]] int renumber(int number, space::RankHeap& rank, int like);
  [[nodiscard]] static Place place_of(int number);
  [[nodiscard]] bool take_own(int number, OfRank& its, space::RankHeap& rank);
  void note(OfRank& its, std::size_t index, space::RankHeap& rank, int like);
  [[nodiscard]] bool tie(int number, space::RankHeap& rank);

  // Numbers below are the system's choice: those of the process, and of files that tie ranks.
  static constexpr int first = 4096;

  const Calls calls_;
  space::SpinLock lock_;
  Left left_;
  std::atomic<bool> is_used_{false};
  OfRank** ranks_ = nullptr;
  std::array<std::atomic<space::RankHeap*>, first> tied_ = {};
  struct TiedStream {
    std::FILE* stream;
    space::RankHeap* rank;
  };
  ProcessArray<TiedStream> tied_streams_;
};

[[gnu::visibility("hidden")]] extern constinit OpenFiles open_files;

}  // namespace armature::interpose
