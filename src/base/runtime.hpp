#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

// A process's part of a job is what its rooms keep of it: a mapping, a network, tables of pending
// requests, teams. In statics it could be there only once, would outlive the job, and be destroyed
// in an order that nobody has chosen. So a runtime owns it. This room knows none of those above:
// each has a struct of its own, and asks for it by its type.

namespace armature::base {

/// Owns what rooms keep of a process's part of a job: of every type one object at most, made by its
/// default constructor when it is first asked for. What was made last is destroyed first, with the
/// runtime. The process's own runtime is never destroyed: exit() destroys all else that is static
/// while the library's threads still handle what comes.
class Runtime {
 public:
  constexpr Runtime() = default;
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  ~Runtime();

  /// The calling thread's: the process's, unless the thread has said otherwise by UseRuntime. A
  /// rank that goes on in another process finds that one's at the same address.
  static Runtime& here();
  /// Whether that is the process's own.
  static bool is_of_process();

  /// Any thread may ask; the object is the process's memory, whichever rank runs. A constructor may
  /// throw, and ask for objects of other types; it must not wait. A reference must not be kept
  /// while a rank waits, which may go on in another process.
  ///
  /// A type that every operation asks for has a place of its own, where nothing is searched: a
  /// number `runtime_place`, which no other type has.
  template <class State>
  State& get() {
    if (void* const made = find<State>()) [[likely]]
      return *static_cast<State*>(made);
    return *static_cast<State*>(
        make({&mark<State>, place_of_own<State>(), [] { return static_cast<void*>(new State); },
              [](void* state) { delete static_cast<State*>(state); }}));
  }
  /// nullptr where nobody has asked for it yet. Makes nothing and takes no lock: for signal
  /// handlers.
  template <class State>
  State* find() {
    if constexpr (place_of_own<State>() != none) {
      const Slot& own = own_[place_of_own<State>()];
      // Acquire: who finds the key finds the object.
      const bool is_made = own.key.load(std::memory_order_acquire) == &mark<State>;
      return is_made ? static_cast<State*>(own.state) : nullptr;
    } else {
      return static_cast<State*>(found(&mark<State>));
    }
  }

 private:
  friend class UseRuntime;
  template <class State>
  static constexpr char mark = 0;  // its address tells the types apart

  static constexpr std::size_t own_max = 10, none = own_max;
  template <class State>
  static constexpr std::size_t place_of_own() {
    if constexpr (requires { State::runtime_place; }) {
      static_assert(State::runtime_place < own_max);
      return State::runtime_place;
    } else {
      return none;
    }
  }

  struct Kind {
    const void* key;
    std::size_t place_of_own;
    void* (*make)();
    void (*destroy)(void* state);
  };
  struct Slot {
    std::atomic<const void*> key = nullptr;
    void* state = nullptr;
    void (*destroy)(void* state) = nullptr;
  };
  static constexpr std::size_t slots_bits = 7, slots_max = std::size_t{1} << slots_bits;

  static std::size_t place_of(const void* key) {
    const auto number = reinterpret_cast<std::uintptr_t>(key);
    return static_cast<std::size_t>((number * 0x9e37'79b9'7f4a'7c15u) >> (64 - slots_bits));
  }
  /// Acquire: who finds the key finds the object.
  [[nodiscard]] void* found(const void* key) const {
    for (std::size_t at = place_of(key);; at = (at + 1) % slots_max) {
      const void* const there = slots_[at].key.load(std::memory_order_acquire);
      if (there == key) return slots_[at].state;
      if (there == nullptr) return nullptr;
    }
  }
  void* make(const Kind& kind);

  std::array<Slot, own_max> own_{};       // of types that have a place of their own
  std::array<Slot, slots_max> slots_{};   // by a hash of the key; one at least is free
  std::array<Slot*, slots_max> order_{};  // in which they were made
  std::size_t count_ = 0;
  pthread_mutex_t lock_ = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
};

/// Makes that one Runtime::here() on the calling thread while it lives. For tests, in which several
/// processes of a job are threads of one; threads that the library starts take over the runtime of
/// the thread that starts them.
class UseRuntime {
 public:
  explicit UseRuntime(Runtime& runtime);
  UseRuntime(const UseRuntime&) = delete;
  UseRuntime& operator=(const UseRuntime&) = delete;
  ~UseRuntime();

 private:
  Runtime* before_;
  const bool is_beside_;  // the process's own
};

namespace detail {

struct Runtimes {
  union Forever {
    constexpr Forever() : runtime() {}
    ~Forever() {}
    Runtime runtime;
  };
  Forever of_process;
  // Threads that use another one. Relaxed: a thread that does has counted itself.
  std::atomic<std::uint32_t> beside = 0;
  std::atomic<bool> has_extras = false;
};
extern constinit Runtimes runtimes;

[[gnu::noinline]] Runtime& runtime_of_thread();

}  // namespace detail

inline Runtime& Runtime::here() {
  if (detail::runtimes.beside.load(std::memory_order_relaxed) == 0) [[likely]]
    return detail::runtimes.of_process.runtime;
  return detail::runtime_of_thread();
}

inline bool Runtime::is_of_process() {
  return detail::runtimes.beside.load(std::memory_order_relaxed) == 0 ||
         &detail::runtime_of_thread() == &detail::runtimes.of_process.runtime;
}

/// Whether the process may have an extra: something that few jobs have and that nearly every call
/// asks for. A network, a model of costs, a look for races and a second runtime are extras. Where
/// there is none, calls ask this one word. Relaxed: who makes an extra says so before others may
/// use it, and the word stays true.
inline bool has_extras() { return detail::runtimes.has_extras.load(std::memory_order_relaxed); }
inline void note_extra() { detail::runtimes.has_extras.store(true, std::memory_order_relaxed); }

/// The state that a room keeps of the process's part of the job.
template <class State>
State& state() {
  return Runtime::here().get<State>();
}

}  // namespace armature::base
