#pragma once

#include <atomic>
#include <cstdint>

// A thread that waits has the core of somebody. That may be the very rank that would make its
// condition true, or a program that has nothing to do with the job. If it only yields the core, it
// gets it back after all the time slices of those that compute, 4 ms each on most kernels. A
// sleeper that is woken runs at once, because it has not had its share. So where others compute on
// the same core, sleeping is better than waiting. How long a yield takes tells; where ranks share
// cores, also whether more threads want to run than there are ranks: a rank will wait in its turn.

namespace armature::wait {

/// Gives the core away.
void leave_core();
/// Gives it away for a rank that waits, and finds out how long others keep it.
void yield();
/// Whether others kept it for so long a short while ago that a waiter had better sleep. True for 5
/// ms; where it is found again after that, for twice as long each time, at most 160 ms. So finding
/// it out takes a small part of the time.
bool core_is_wanted();

/// Asks the same at each of many looks: for a thread that stays in its process meanwhile.
class CoreWatch {
 public:
  CoreWatch();
  [[nodiscard]] bool is_wanted() const {
    return wanted_until_ns_.load(std::memory_order_relaxed) != 0 && core_is_wanted();
  }

 private:
  const std::atomic<std::uint64_t>& wanted_until_ns_;  // 0: it never was
};

/// How long somebody kept a core that was given away, and what is known of who it may have been.
struct Away {
  std::uint64_t ns = 0;
  bool cores_are_shared = false;  // by ranks of the job, on one node or on several
  int threads_of_job = 0;         // on this machine
  bool are_known = false;         // strangers had the core a short while ago
};
/// Whether programs that have nothing to do with the job have had it. Where ranks share cores it is
/// mostly another rank, which will wait in its turn.
bool were_strangers(const Away& away);

}  // namespace armature::wait
