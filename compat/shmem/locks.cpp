// Locks, as a queue of PEs (Mellor-Crummey and Scott, 1991). One PE's copy of the lock, its home,
// names the last in the queue. Every copy has its PE's place in the queue: whether it waits, and
// who comes next. So a PE waits for a word of its own, the one before it changes that word and
// wakes it, and PEs have their turns in the order in which they came.

#include <armature/atomic.hpp>
#include <armature/get.hpp>
#include <armature/layer/symmetric.hpp>
#include <armature/layer/wait.hpp>

#include "calls.hpp"
#include "job.hpp"

namespace shmem {
namespace {

constexpr std::uint32_t waits = std::uint32_t{1} << 31;

/// The halves of a long. Numbers of PEs begin with 1: 0 is nobody.
struct Lock {
  std::uint32_t last;   // in the queue; of the home's copy
  std::uint32_t place;  // the next PE, and whether this one waits
};
static_assert(sizeof(Lock) == sizeof(long));

class Queue {
 public:
  explicit Queue(long* lock) : lock_(reinterpret_cast<Lock*>(lock)), me_(my_pe()) {
    // Locks are spread over the PEs by their places in the segments, which are the same at all PEs.
    const auto stride = static_cast<std::uintptr_t>(armature::layer::segment_stride());
    const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(lock) & (stride - 1);
    home_ = static_cast<int>(offset / sizeof(long) % static_cast<std::uintptr_t>(n_pes()));
  }

  void enter() {
    armature::swap(place_of(me_), waits);
    const std::uint32_t before = armature::swap(last(), number());
    if (before == 0) return;
    const int pe = static_cast<int>(before) - 1;
    armature::fetch_or(place_of(pe), number());
    armature::layer::wake(pe);
    wait("its turn has come", [](std::uint32_t place) { return (place & waits) == 0; });
  }
  [[nodiscard]] bool try_enter() {
    // Another thread of this PE may hold it: its place in the queue stays as it is.
    if (armature::get(last()) != 0) return false;
    armature::swap(place_of(me_), waits);
    return armature::compare_swap(last(), 0, number()) == 0;
  }
  void leave() {
    if ((seen() & ~waits) == 0 && armature::compare_swap(last(), number(), 0) == number()) {
      armature::swap(place_of(me_), 0);
      return;
    }
    // Someone has come, and is about to say who.
    wait("the next one is known", [](std::uint32_t place) { return (place & ~waits) != 0; });
    const int next = static_cast<int>(seen() & ~waits) - 1;
    armature::swap(place_of(me_), 0);
    armature::fetch_and(place_of(next), ~waits);
    armature::layer::wake(next);
  }

 private:
  [[nodiscard]] std::uint32_t number() const { return static_cast<std::uint32_t>(me_) + 1; }
  [[nodiscard]] armature::global_ptr<std::uint32_t> last() const {
    return at_pe(&lock_->last, home_);
  }
  [[nodiscard]] armature::global_ptr<std::uint32_t> place_of(int pe) const {
    return at_pe(&lock_->place, pe);
  }
  [[nodiscard]] std::uint32_t seen() const {
    return __atomic_load_n(&lock_->place, __ATOMIC_ACQUIRE);
  }
  template <class Holds>
  void wait(const char* until, Holds holds) const {
    armature::layer::wait_until({.call = "shmem_set_lock", .until = until, .is_told = true},
                                [&] { return holds(seen()); });
  }

  Lock* lock_;
  int me_;
  int home_;
};

}  // namespace

void set_lock(long* lock) { Queue(lock).enter(); }

void clear_lock(long* lock) {
  complete_all();  // what was done under the lock is there for the next one
  Queue(lock).leave();
}

int test_lock(long* lock) { return Queue(lock).try_enter() ? 0 : 1; }

}  // namespace shmem
