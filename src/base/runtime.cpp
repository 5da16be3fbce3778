#include "base/runtime.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/process_memory.hpp"

namespace armature::base {

namespace detail {
constinit Runtimes runtimes;
}

namespace {

// Looked at in this file only: code that keeps its address over a switch to another thread's stack
// cannot come about.
[[gnu::tls_model("initial-exec")]] constinit thread_local Runtime* used_by_thread = nullptr;

class Locked {
 public:
  explicit Locked(pthread_mutex_t& lock) : lock_(lock) { pthread_mutex_lock(&lock_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked() { pthread_mutex_unlock(&lock_); }

 private:
  pthread_mutex_t& lock_;
};

}  // namespace

Runtime& detail::runtime_of_thread() {
  return used_by_thread != nullptr ? *used_by_thread : runtimes.of_process.runtime;
}

UseRuntime::UseRuntime(Runtime& runtime)
    : before_(std::exchange(used_by_thread, &runtime)),
      is_beside_(&runtime != &detail::runtimes.of_process.runtime) {
  if (!is_beside_) return;
  note_extra();
  detail::runtimes.beside.fetch_add(1, std::memory_order_relaxed);
}

UseRuntime::~UseRuntime() {
  used_by_thread = before_;
  if (is_beside_) detail::runtimes.beside.fetch_sub(1, std::memory_order_relaxed);
}

Runtime::~Runtime() {
  const UseRuntime its_own(*this);
  while (count_ > 0) {
    const Slot& last = *order_[--count_];
    last.destroy(last.state);
  }
}

void* Runtime::make(const Kind& kind) {
  const ProcessMemory kept;
  const Locked locked(lock_);
  if (void* const made = found(kind.key)) return made;  // by another thread meanwhile
  void* const state = kind.make();
  if (void* const made = found(kind.key)) return kind.destroy(state), made;  // by its constructor
  if (count_ + 1 >= slots_max) {  // not an assertion, which asks the runtime what rank it is
    std::fputs("armature: internal error: a runtime has no room for another state\n", stderr);
    std::abort();
  }
  std::size_t at = place_of(kind.key);
  while (slots_[at].key.load(std::memory_order_relaxed) != nullptr) at = (at + 1) % slots_max;
  slots_[at].state = state;
  slots_[at].destroy = kind.destroy;
  order_[count_++] = &slots_[at];
  if (kind.place_of_own != none) {
    Slot& own = own_[kind.place_of_own];
    if (own.key.load(std::memory_order_relaxed) != nullptr) {
      std::fputs("armature: internal error: two states have the same place in a runtime\n", stderr);
      std::abort();
    }
    own.state = state;
    own.key.store(kind.key, std::memory_order_release);
  }
  // Release, both: who finds the key finds the object.
  slots_[at].key.store(kind.key, std::memory_order_release);
  return state;
}

}  // namespace armature::base
