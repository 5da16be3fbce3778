// The threads of OpenMP's regions, as GCC makes them, belong to no rank: libgomp keeps them for the
// next region in the process, whichever rank enters it. So what libgomp itself allocates is the
// process's, and in the region each thread works for the rank that has entered it, which stays
// until it has left it. Between regions nothing of the rank is left with them.
#include <dlfcn.h>
#include <pthread.h>

#include "interpose/current.hpp"
#include "interpose/threads.hpp"

namespace {

using armature::interpose::current_heap;
using armature::interpose::current_rank_heap;
using armature::interpose::ProcessHeap;
using armature::interpose::thread_heap;
using armature::interpose::threads_of_ranks;
using armature::space::RankHeap;
using armature::space::ThreadHeap;

using Body = void(void*);

struct Region {
  Body* body;
  void* data;
  RankHeap& rank;
  // The thread that has entered it, and its heaps:
  pthread_t thread;
  RankHeap* current;
  RankHeap* of_thread;
};

/// Run by each thread of the region.
void work(void* of) {
  const Region& region = *static_cast<Region*>(of);
  if (pthread_equal(pthread_self(), region.thread) != 0) {
    current_heap = region.current;
    thread_heap = region.of_thread;
    region.body(region.data);
    current_heap = nullptr;
    thread_heap = nullptr;
    return;
  }
  // Allocations are the process's where there is no room for a heap.
  ThreadHeap* const heap = ThreadHeap::borrow(region.rank);
  RankHeap* const before = std::exchange(thread_heap, heap);
  armature::interpose::tell_of_thread();
  region.body(region.data);
  thread_heap = before;
  if (heap != nullptr) heap->give_back();
}

/// Calls enter(body, data), which runs them on several threads.
template <class Enter>
auto enter(Body* body, void* data, Enter&& enter_region) {
  RankHeap* const rank = current_rank_heap();
  if (rank == nullptr) return enter_region(body, data);
  if (rank == current_heap) rank->share();
  Region region{body, data, *rank, pthread_self(), current_heap, thread_heap};
  const ProcessHeap gomps;
  struct Pin {
    explicit Pin(RankHeap& of) : rank(of) {
      rank.ties.threads.fetch_add(1);
      threads_of_ranks.fetch_add(1);
    }
    ~Pin() {
      threads_of_ranks.fetch_sub(1);
      rank.ties.threads.fetch_sub(1);
    }
    RankHeap& rank;
  } const pin(*rank);
  return enter_region(work, &region);
}

/// libgomp's function of that name. A program may load libgomp later, for itself.
void* find_original(const char* name) {
  if (void* const next = dlsym(RTLD_NEXT, name)) return next;
  void* const gomp = dlopen("libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD);
  return gomp != nullptr ? dlsym(gomp, name) : nullptr;
}

}  // namespace

#define ARMATURE_EXPORT extern "C" [[gnu::visibility("default")]]

/// Takes libgomp's place. `parameters` and `arguments` are those behind body and data.
#define ARMATURE_REGION(Result, name, parameters, arguments)                         \
  ARMATURE_EXPORT Result name(Body* body, void* data, ARMATURE_LIST parameters) {    \
    using Function = Result(Body*, void*, ARMATURE_LIST parameters);                 \
    static auto* const original = reinterpret_cast<Function*>(find_original(#name)); \
    return enter(body, data, [&](Body* by, void* with) {                             \
      return original(by, with, ARMATURE_LIST arguments);                            \
    });                                                                              \
  }                                                                                  \
  static_assert(true)
#define ARMATURE_LIST(...) __VA_ARGS__

#define ARMATURE_LOOP(name)                                                             \
  ARMATURE_REGION(                                                                      \
      void, name,                                                                       \
      (unsigned threads, long start, long last, long step, long chunk, unsigned flags), \
      (threads, start, last, step, chunk, flags))
#define ARMATURE_LOOP_BY_SETTING(name)                                                  \
  ARMATURE_REGION(void, name,                                                           \
                  (unsigned threads, long start, long last, long step, unsigned flags), \
                  (threads, start, last, step, flags))

ARMATURE_REGION(void, GOMP_parallel, (unsigned threads, unsigned flags), (threads, flags));
ARMATURE_REGION(unsigned, GOMP_parallel_reductions, (unsigned threads, unsigned flags),
                (threads, flags));
ARMATURE_REGION(void, GOMP_parallel_sections, (unsigned threads, unsigned count, unsigned flags),
                (threads, count, flags));
ARMATURE_REGION(void, GOMP_teams_reg, (unsigned teams, unsigned limit, unsigned flags),
                (teams, limit, flags));
ARMATURE_LOOP(GOMP_parallel_loop_static);
ARMATURE_LOOP(GOMP_parallel_loop_dynamic);
ARMATURE_LOOP(GOMP_parallel_loop_guided);
ARMATURE_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic);
ARMATURE_LOOP(GOMP_parallel_loop_nonmonotonic_guided);
ARMATURE_LOOP_BY_SETTING(GOMP_parallel_loop_runtime);
ARMATURE_LOOP_BY_SETTING(GOMP_parallel_loop_nonmonotonic_runtime);
ARMATURE_LOOP_BY_SETTING(GOMP_parallel_loop_maybe_nonmonotonic_runtime);
