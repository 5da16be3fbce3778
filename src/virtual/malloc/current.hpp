#pragma once

#include <utility>

#include "space/rank_heap.hpp"
#include "virtual/malloc/interface.hpp"

namespace armature::fibers {

/// From which heap malloc takes on this thread; nullptr: the process's.
[[gnu::tls_model("initial-exec"),
  gnu::visibility("hidden")]] extern constinit thread_local space::RankHeap* current_heap;
/// Looked at where there is no such heap: who wants to know what comes from the process's.
[[gnu::tls_model("initial-exec"),
  gnu::visibility("hidden")]] extern constinit thread_local Notes* current_notes;

/// While this lives, what the calling thread allocates is the process's.
class ProcessHeap {
 public:
  ProcessHeap() : before_(std::exchange(current_heap, nullptr)) {}
  ProcessHeap(const ProcessHeap&) = delete;
  ProcessHeap& operator=(const ProcessHeap&) = delete;
  ~ProcessHeap() { current_heap = before_; }

 private:
  space::RankHeap* const before_;
};

}  // namespace armature::fibers
