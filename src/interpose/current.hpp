#pragma once

#include <cstddef>
#include <utility>

#include "interpose/interface.hpp"
#include "space/rank_heap.hpp"
#include "space/thread_heap.hpp"

namespace armature::interpose {

/// The heap from which malloc takes on this thread; nullptr: the process's, or the next one.
[[gnu::tls_model("initial-exec"),
  gnu::visibility("hidden")]] extern constinit thread_local space::RankHeap* current_heap;
/// The heap of a thread that works for a rank: a ThreadHeap.
[[gnu::tls_model("initial-exec"),
  gnu::visibility("hidden")]] extern constinit thread_local space::RankHeap* thread_heap;
/// Looked at where there is neither: who wants to know what comes from the process's.
[[gnu::tls_model("initial-exec"),
  gnu::visibility("hidden")]] extern constinit thread_local Notes* current_notes;

/// nullptr where the calling thread works for no rank.
inline space::ThreadHeap* heap_of_thread() { return static_cast<space::ThreadHeap*>(thread_heap); }

/// The rank that the calling thread runs, or works for.
inline space::RankHeap* current_rank_heap() {
  if (current_heap != nullptr) return current_heap;
  return thread_heap != nullptr ? &heap_of_thread()->rank() : nullptr;
}

/// The heap of the rank in whose segment that lies; nullptr: in none.
[[gnu::visibility("hidden")]] space::RankHeap* find_heap(const void* address);

// The ranks of the job, by their heaps:
[[gnu::visibility("hidden")]] std::size_t ranks();
[[gnu::visibility("hidden")]] std::size_t rank_of(const space::RankHeap& heap);
[[gnu::visibility("hidden")]] space::RankHeap& heap_of_rank(std::size_t rank);

/// Whether this is a child of fork or vfork. It sees the ranks' memory, and leaves it as it is.
[[gnu::visibility("hidden")]] bool in_fork();
/// The rank for which this opens and closes files; nullptr: for none. A child of vfork runs in the
/// rank's memory, and has descriptors of its own.
inline space::RankHeap* rank_of_files() {
  space::RankHeap* const rank = current_rank_heap();
  return rank != nullptr && !in_fork() ? rank : nullptr;
}

/// The copy of the program, or of a library, that an address lies in; without bytes: in none.
[[gnu::visibility("hidden")]] CopiedImage copy_at(const void* address);

/// Tells libarmature that the calling thread works for a rank.
[[gnu::visibility("hidden")]] void tell_of_thread();

/// Makes allocations of the calling thread the process's while it lives.
class ProcessHeap {
 public:
  ProcessHeap()
      : before_(std::exchange(current_heap, nullptr)),
        of_thread_(std::exchange(thread_heap, nullptr)) {}
  ProcessHeap(const ProcessHeap&) = delete;
  ProcessHeap& operator=(const ProcessHeap&) = delete;
  ~ProcessHeap() {
    current_heap = before_;
    thread_heap = of_thread_;
  }

 private:
  space::RankHeap* const before_;
  space::RankHeap* const of_thread_;
};

}  // namespace armature::interpose
