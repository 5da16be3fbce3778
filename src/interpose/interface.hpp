#pragma once

#include <cxxabi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

// The interface between libarmature and libarmature-malloc.so, which `armature run --virtual` loads
// into every process. It is found by name at run time, since a program without virtual ranks has no
// use for it.

namespace armature::space {
class RankHeap;
}

namespace armature::interpose {

/// A rank's copy of the program, or of a library (private_globals.hpp).
struct CopiedImage {
  std::uintptr_t begin = 0;         // of all ranks': as an offset in the segment
  std::size_t bytes = 0;            // 0: there is none
  std::uintptr_t unwind_table = 0;  // from its beginning
};

/// The places of the ranks' heaps.
struct HeapPlaces {
  std::uintptr_t base = 0;  // of the first segment
  std::size_t segment_bytes = 0;
  std::size_t segments = 0;
  std::size_t offset = 0;               // of the heap in each segment, before its shift
  const CopiedImage* copies = nullptr;  // valid while there are ranks
  std::size_t copies_count = 0;
  // Called by each thread that works for a rank: where its heap stands, as `current` below.
  void (*thread_works)(space::RankHeap** of_thread) = nullptr;
};

/// The blocks of memory that the library's malloc has given a thread lately, of the process's heap.
/// Whether a function that allocates calls that malloc is found out by them.
struct Notes {
  struct Block {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
  };
  static constexpr std::size_t max = 8;

  void add(const void* memory, std::size_t bytes) {
    lately[count++ % max] = {reinterpret_cast<std::uintptr_t>(memory), bytes};
  }
  [[nodiscard]] bool have(const void* memory, std::size_t bytes) const {
    const auto at = reinterpret_cast<std::uintptr_t>(memory);
    for (const Block& block : lately)
      if (at >= block.begin && at + bytes <= block.begin + block.bytes) return true;
    return false;
  }

  Block lately[max];
  std::size_t count = 0;
};

/// The calls with which a function begins and ends the initialisation of its static, as the C++
/// library has them. These are __cxa_guard_acquire, which returns 0 when it has been initialised,
/// release and abort.
struct StaticGuards {
  int (*acquire)(__cxxabiv1::__guard* guard) = nullptr;
  void (*release)(__cxxabiv1::__guard* guard) = nullptr;
  void (*abort)(__cxxabiv1::__guard* guard) = nullptr;
};
/// Makes ranks use these from now on. Returns the C++ library's.
StaticGuards exchange_static_guards(const StaticGuards& of_ranks);

/// The files that a rank takes along (open_files.hpp). Called while the rank does not run.
struct MovingFiles {
  using Append = void (*)(void* to, const void* bytes, std::size_t count);
  /// Appends what another process needs to open them, or this one again.
  void (*pack)(std::size_t rank, Append append, void* to);
  /// Finds one that could not be opened by name; whether there is one.
  struct Problem {
    char path[4096] = {};
    const char* why = "";
    int error = 0;  // instead, as errno has it
  };
  bool (*find_nameless)(std::size_t rank, Problem& problem);
  /// Takes them over from the process that has packed them, if that may still be there
  /// (`from_node`), else opens them by their names. False: one cannot be had, and `problem` says
  /// why.
  bool (*unpack)(std::size_t rank, const std::byte* packed, std::size_t bytes, bool from_node,
                 Problem& problem);
  /// The rank has gone, or rolls back: its files stay open here until another process has them.
  void (*forget)(std::size_t rank);
  /// The rank ends: what its streams hold is written. `is_alone`: nobody else knows of them.
  void (*end)(std::size_t rank, bool is_alone);
  /// The number of files that ranks have left open here.
  const std::atomic<std::uint32_t>* left;
  void (*close_left)(bool (*is_settled)(std::size_t rank, const void* of), const void* of);
};

struct MallocLibrary {
  /// The heap from which malloc takes on this thread; nullptr in it: the process's.
  space::RankHeap** current;
  /// The calling thread's allocations are noted there; nullptr in it: nowhere.
  Notes** notes;
  void (*set_places)(const HeapPlaces& places);
  /// Threads of this process that ranks have started and that have not ended.
  const std::atomic<std::uint32_t>* threads;
  /// Ranks have become what they were before they mapped or opened what ties them.
  void (*forget_ties)();
  StaticGuards (*exchange_static_guards)(const StaticGuards& of_ranks);
  MovingFiles files;
};

/// extern "C" MallocLibrary armature_malloc_library(): of the calling thread.
inline constexpr const char* malloc_library_symbol = "armature_malloc_library";

}  // namespace armature::interpose
