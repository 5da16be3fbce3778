// A thread that a rank starts (std::thread, std::async, pools of libraries) works for the rank.
// What it allocates is the rank's, from a heap of its own in the rank's segment. So is what the
// threads allocate that it starts in turn. Its stack and its thread_locals are the process's, so
// the rank stays there until it has ended.
#include "interpose/threads.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <threads.h>

#include <cerrno>
#include <climits>

#include "interpose/current.hpp"

extern "C" {
void* __libc_malloc(std::size_t bytes);
void __libc_free(void* memory);
}

constinit std::atomic<std::uint32_t> armature::interpose::threads_of_ranks{0};

namespace {

using armature::interpose::current_rank_heap;
using armature::interpose::thread_heap;
using armature::interpose::threads_of_ranks;
using armature::space::RankHeap;
using armature::space::ThreadHeap;

using Create = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
constinit Create* original_create = nullptr;
/// Its value is the thread's heap as long as the thread lives. A thread that is cancelled in a call
/// that takes the process's memory (ProcessHeap) ends without thread_heap. The lowest bits count
/// the rounds of destructors.
constinit pthread_key_t at_end = 0;
static_assert(alignof(ThreadHeap) >= PTHREAD_DESTRUCTOR_ITERATIONS);

/// A thread's beginning, in the process's memory.
struct Start {
  union {
    void* (*run)(void*);
    thrd_start_t run_c;  // as C starts threads
  };
  void* argument;
  ThreadHeap* heap;
};

void unpin(ThreadHeap& heap) {
  RankHeap& rank = heap.rank();
  heap.give_back();
  threads_of_ranks.fetch_sub(1, std::memory_order_release);
  // Release: the rank finds what the thread has done wherever it goes on.
  rank.ties.threads.fetch_sub(1, std::memory_order_release);
}

/// Destructors of thread_locals have run by then; those of other keys may still allocate: so this
/// asks to be called once more, as often as may be.
void end(void* value) {
  const auto bits = reinterpret_cast<std::uintptr_t>(value);
  const std::uintptr_t round = bits % alignof(ThreadHeap);
  if (round + 1 < PTHREAD_DESTRUCTOR_ITERATIONS) {
    pthread_setspecific(at_end, reinterpret_cast<void*>(bits + 1));
    return;
  }
  thread_heap = nullptr;
  if (!armature::interpose::in_fork()) unpin(*reinterpret_cast<ThreadHeap*>(bits - round));
}

Start begin(void* of) {
  const Start start = *static_cast<Start*>(of);
  __libc_free(of);
  thread_heap = start.heap;
  armature::interpose::tell_of_thread();
  pthread_setspecific(at_end, start.heap);
  return start;
}

void* run(void* of) {
  const Start start = begin(of);
  return start.run(start.argument);
}

void* run_c(void* of) {
  const Start start = begin(of);
  return reinterpret_cast<void*>(static_cast<std::intptr_t>(start.run_c(start.argument)));
}

/// nullptr when there is no memory. The rank is pinned from now on.
Start* make_start(RankHeap& rank, void* argument) {
  if (&rank == armature::interpose::current_heap) rank.share();
  auto* const start = static_cast<Start*>(__libc_malloc(sizeof(Start)));
  ThreadHeap* const heap = start != nullptr ? ThreadHeap::borrow(rank) : nullptr;
  if (heap == nullptr) {
    __libc_free(start);
    return nullptr;
  }
  *start = {{}, argument, heap};
  rank.ties.threads.fetch_add(1, std::memory_order_relaxed);
  threads_of_ranks.fetch_add(1, std::memory_order_relaxed);
  return start;
}

void unmake(Start* start) {
  unpin(*start->heap);
  __libc_free(start);
}

[[gnu::constructor]] void find_original() {
  original_create = reinterpret_cast<Create*>(dlsym(RTLD_NEXT, "pthread_create"));
  (void)pthread_key_create(&at_end, end);
}

}  // namespace

#define ARMATURE_EXPORT extern "C" [[gnu::visibility("default")]]

ARMATURE_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                   void* (*function)(void*), void* argument) noexcept {
  RankHeap* const rank = current_rank_heap();
  if (rank == nullptr) return original_create(thread, attributes, function, argument);
  Start* const start = make_start(*rank, argument);
  if (start == nullptr) return EAGAIN;
  start->run = function;
  const int error = original_create(thread, attributes, run, start);
  if (error != 0) unmake(start);
  return error;
}

/// The C library's own starts a thread past the name above. Its result is what thrd_join gives:
/// that takes an int out of what the thread has returned, as pthread_join does with the pointer.
ARMATURE_EXPORT int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
  using CreateC = int(thrd_t*, thrd_start_t, void*);
  static auto* const original = reinterpret_cast<CreateC*>(dlsym(RTLD_NEXT, "thrd_create"));
  RankHeap* const rank = current_rank_heap();
  if (rank == nullptr) return original(thread, function, argument);
  Start* const start = make_start(*rank, argument);
  if (start == nullptr) return thrd_nomem;
  start->run_c = function;
  const int error = original_create(thread, nullptr, run_c, start);
  if (error == 0) return thrd_success;
  unmake(start);
  return error == EAGAIN ? thrd_nomem : thrd_error;
}
