// Locks, as a queue of PEs (Mellor-Crummey and Scott, 1991). One PE's copy of the lock, its home,
// names the last in the queue. Every copy has its PE's place in the queue: whether it waits, and
// who comes next. So a PE waits for a word of its own, the one before it changes that word and
// wakes it, and PEs have their turns in the order in which they came.

#include <cstddef>
#include <string>
#include <vector>

#include <armature/atomic.hpp>
#include <armature/get.hpp>
#include <armature/layer/races.hpp>
#include <armature/layer/symmetric.hpp>
#include <armature/layer/wait.hpp>

#include "calls.hpp"
#include "job.hpp"
#include "waiting.hpp"

namespace shmem {
namespace {

constexpr std::uint32_t waits = std::uint32_t{1} << 31;
constexpr std::uint32_t is_queued = std::uint32_t{1} << 30;

/// The halves of a long. Numbers of PEs begin with 1: 0 is nobody.
struct Lock {
  std::uint32_t last;   // in the queue; of the home's copy
  std::uint32_t place;  // the next PE, whether this one is in the queue, and whether it waits
};
std::uint32_t next_in(std::uint32_t place) { return place & ~(waits | is_queued); }
static_assert(sizeof(Lock) == sizeof(long));

class Queue {
 public:
  explicit Queue(long* lock) : lock_(reinterpret_cast<Lock*>(lock)), me_(my_pe()) {
    // Locks are spread over the PEs by their places in the segments, which are the same at all PEs.
    // Blocks of the heap begin at lines of 64 bytes, and locks of one block lie side by side.
    const auto stride = static_cast<std::uintptr_t>(armature::layer::segment_stride());
    const std::uintptr_t offset =
        reinterpret_cast<std::uintptr_t>(at_pe(lock, me_).address()) & (stride - 1);
    home_ = static_cast<int>((offset / 64 + offset / sizeof(long) % 8) %
                             static_cast<std::uintptr_t>(n_pes()));
  }

  void enter() {
    if ((seen() & is_queued) != 0)
      refuse("this PE has set the lock already", armature::Errc::misuse);
    armature::swap(place_of(me_), waits | is_queued);
    const std::uint32_t before = armature::swap(last(), number());
    if (before == 0) return;
    const int pe = static_cast<int>(before) - 1;
    armature::fetch_or(place_of(pe), number());
    armature::layer::wake(pe);
    wait("shmem_set_lock", "its turn has come",
         [](std::uint32_t place) { return (place & waits) == 0; });
  }
  [[nodiscard]] bool try_enter() {
    // Another thread of this PE may hold it: its place in the queue stays as it is.
    if (armature::get(last()) != 0) return false;
    armature::swap(place_of(me_), waits | is_queued);
    if (armature::compare_swap(last(), 0, number()) == 0) return true;
    armature::swap(place_of(me_), 0);
    return false;
  }
  /// For a PE that asks again and again whether it may enter.
  void let_others_run() const { shmem::let_others_run(&lock_->place, seen()); }
  void leave() {
    if ((seen() & is_queued) == 0) refuse_not_held();
    if (next_in(seen()) == 0) {
      if (armature::compare_swap(last(), number(), 0) == number()) {
        armature::swap(place_of(me_), 0);
        return;
      }
    }
    // Someone has come, and is about to say who.
    wait("shmem_clear_lock", "the next one is known",
         [](std::uint32_t place) { return next_in(place) != 0; });
    const int next = static_cast<int>(next_in(seen())) - 1;
    armature::swap(place_of(me_), 0);
    armature::fetch_and(place_of(next), ~waits);
    armature::layer::wake(next);
  }

 private:
  /// The PE that holds it is in the queue, and comes behind no other one.
  [[noreturn]] void refuse_not_held() const {
    std::vector<bool> is_in_queue(static_cast<std::size_t>(n_pes()));
    std::vector<bool> is_behind(is_in_queue.size() + 1);
    for (int pe = 0; pe < n_pes(); ++pe) {
      const std::uint32_t place = armature::get(place_of(pe));
      is_in_queue[static_cast<std::size_t>(pe)] = (place & is_queued) != 0;
      if (const std::size_t next = next_in(place); next < is_behind.size()) is_behind[next] = true;
    }
    for (std::size_t pe = 0; pe < is_in_queue.size(); ++pe)
      if (is_in_queue[pe] && !is_behind[pe + 1])
        refuse(
            "PE " + std::to_string(pe) + " holds the lock, and not this PE " + std::to_string(me_),
            armature::Errc::misuse);
    refuse("nobody holds the lock", armature::Errc::misuse);
  }
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
  void wait(const char* call, const char* until, Holds holds) const {
    wait_on_any_thread({.call = call, .until = until, .is_told = true},
                       [&] { return holds(seen()); });
    armature::layer::has_seen(&lock_->place, sizeof lock_->place);
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

int test_lock(long* lock) {
  Queue queue(lock);
  if (queue.try_enter()) return 0;
  queue.let_others_run();
  return 1;
}

}  // namespace shmem
