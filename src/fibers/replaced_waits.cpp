// A rank that waits in the C library would keep its whole process waiting, also for what another
// rank of it is to do. So it looks whether it may go on, and lets others have their turn between
// two looks. A look is the library's own call, with a time that has gone by or without a wait.
#include "fibers/replaced_waits.hpp"

#include <pthread.h>
#include <semaphore.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <threads.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <vector>

#include "fibers/rank_malloc.hpp"
#include "fibers/rank_pause.hpp"

namespace armature::fibers {
namespace {

constexpr timespec long_ago{};
constexpr std::uint64_t never_ns = UINT64_MAX;

/// The rank may be in another process than where it has begun, with another errno.
[[gnu::noinline]] int result_of(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}
[[gnu::noinline]] int error_of(int result) { return result == -1 ? errno : 0; }

/// Waits by looks that return an error number, `busy` as long as there is nothing. Returns the last
/// one.
template <class Look>
int wait_by_looks(std::uint64_t until_ns, clockid_t clock, int busy, Look look) {
  int error = 0;
  (void)look_until(until_ns, clock, [&] {
    error = look();
    return error != busy;
  });
  return error;
}

bool waits_by_looks(const timespec* until) {
  return has_turn() && until != nullptr && is_time(*until);
}

// -- POSIX's semaphores ---------------------------------------------------------------------------

int try_semaphore(sem_t* semaphore) { return error_of(sem_trywait(semaphore)); }

int wait_for_semaphore(sem_t* semaphore) {
  if (!has_turn()) return sem_wait(semaphore);
  return result_of(wait_by_looks(never_ns, CLOCK_MONOTONIC, EAGAIN,
                                 [semaphore] { return try_semaphore(semaphore); }));
}

int wait_for_semaphore_by(sem_t* semaphore, clockid_t clock, const timespec* until) {
  if (!waits_by_looks(until) || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC))
    return sem_clockwait(semaphore, clock, until);
  const int error =
      wait_by_looks(in_ns(*until), clock, EAGAIN, [semaphore] { return try_semaphore(semaphore); });
  return result_of(error == EAGAIN ? ETIMEDOUT : error);
}

int wait_for_semaphore_until(sem_t* semaphore, const timespec* until) {
  return wait_for_semaphore_by(semaphore, CLOCK_REALTIME, until);
}

// -- locks and conditions -------------------------------------------------------------------------

/// Locks, by a function that waits until a time.
template <class Lock>
int lock_by_looks(Lock lock, clockid_t clock, const timespec* until) {
  if (!waits_by_looks(until) || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC))
    return lock(clock, until);
  return wait_by_looks(in_ns(*until), clock, ETIMEDOUT,
                       [&lock, clock] { return lock(clock, &long_ago); });
}

int lock_mutex_by(pthread_mutex_t* mutex, clockid_t clock, const timespec* until) {
  const auto lock = [mutex](clockid_t by, const timespec* to) {
    return pthread_mutex_clocklock(mutex, by, to);
  };
  return lock_by_looks(lock, clock, until);
}
int lock_mutex(pthread_mutex_t* mutex, const timespec* until) {
  return lock_mutex_by(mutex, CLOCK_REALTIME, until);
}

int lock_to_read_by(pthread_rwlock_t* both, clockid_t clock, const timespec* until) {
  const auto lock = [both](clockid_t by, const timespec* to) {
    return pthread_rwlock_clockrdlock(both, by, to);
  };
  return lock_by_looks(lock, clock, until);
}
int lock_to_read(pthread_rwlock_t* both, const timespec* until) {
  return lock_to_read_by(both, CLOCK_REALTIME, until);
}

int lock_to_write_by(pthread_rwlock_t* both, clockid_t clock, const timespec* until) {
  const auto lock = [both](clockid_t by, const timespec* to) {
    return pthread_rwlock_clockwrlock(both, by, to);
  };
  return lock_by_looks(lock, clock, until);
}
int lock_to_write(pthread_rwlock_t* both, const timespec* until) {
  return lock_to_write_by(both, CLOCK_REALTIME, until);
}

/// As C has it: a status of its own.
int status_of(int error) {
  return error == 0 ? thrd_success : error == ETIMEDOUT ? thrd_timedout : thrd_error;
}

int lock_mutex_of_c(mtx_t* mutex, const timespec* until) {
  if (!waits_by_looks(until)) return mtx_timedlock(mutex, until);
  int status = thrd_timedout;
  (void)look_until(in_ns(*until), CLOCK_REALTIME, [&status, mutex] {
    status = mtx_timedlock(mutex, &long_ago);
    return status != thrd_timedout;
  });
  return status;
}

/// glibc has a condition's clock and whether other processes use it in these bits: no function
/// tells that.
constexpr unsigned condition_is_shared = 1, condition_is_steady = 2;

bool has(const pthread_cond_t* condition, unsigned bit) {
  return (condition->__data.__wrefs & bit) != 0;
}

/// A rank without threads waits for a condition that nobody signals: it sleeps. Where threads run,
/// or other processes may signal, the library waits, and nobody has a turn meanwhile.
bool sleeps_for_condition(const timespec* until) {
  return waits_by_looks(until) && !threads_of_ranks_run();
}
bool sleeps_for_condition(const pthread_cond_t* condition, const timespec* until) {
  return sleeps_for_condition(until) && !has(condition, condition_is_shared);
}

/// The rank takes the lock back by looks: another one of its process may have it by now, and wait
/// for something itself. `try_lock` returns `busy` then.
template <class Unlock, class TryLock>
int sleep_unlocked(clockid_t clock, const timespec* until, Unlock unlock, int busy,
                   TryLock try_lock) {
  if (const int error = unlock(); error != 0) return error;
  while (const std::uint64_t rest_ns = rest_until(in_ns(*until), clock)) sleep_here(rest_ns);
  const int error = wait_by_looks(never_ns, CLOCK_MONOTONIC, busy, try_lock);
  return error != 0 ? error : ETIMEDOUT;
}

int wait_for_condition_by(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                          const timespec* until) {
  if (!sleeps_for_condition(condition, until) ||
      (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC))
    return pthread_cond_clockwait(condition, mutex, clock, until);
  return sleep_unlocked(
      clock, until, [mutex] { return pthread_mutex_unlock(mutex); }, EBUSY,
      [mutex] { return pthread_mutex_trylock(mutex); });
}

/// The clock is the condition's.
int wait_for_condition(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until) {
  if (!sleeps_for_condition(condition, until))
    return pthread_cond_timedwait(condition, mutex, until);
  return wait_for_condition_by(
      condition, mutex, has(condition, condition_is_steady) ? CLOCK_MONOTONIC : CLOCK_REALTIME,
      until);
}

int wait_for_condition_of_c(cnd_t* condition, mtx_t* mutex, const timespec* until) {
  if (!sleeps_for_condition(until)) return cnd_timedwait(condition, mutex, until);
  return status_of(sleep_unlocked(
      CLOCK_REALTIME, until, [mutex] { return mtx_unlock(mutex); }, thrd_busy,
      [mutex] { return mtx_trylock(mutex); }));
}

// -- signals --------------------------------------------------------------------------------------

/// A signal's number, or -1 with errno.
int wait_for_signal_until(const sigset_t* signals, siginfo_t* about, std::uint64_t until_ns) {
  int signal = 0;
  const int error = wait_by_looks(until_ns, CLOCK_MONOTONIC, EAGAIN, [&] {
    signal = sigtimedwait(signals, about, &long_ago);
    return error_of(signal);
  });
  return error == 0 ? signal : result_of(error);
}

int wait_for_signal_for(const sigset_t* signals, siginfo_t* about, const timespec* time) {
  if (!has_turn() || (time != nullptr && !is_time(*time)))
    return sigtimedwait(signals, about, time);
  const bool is_endless = time == nullptr;
  return wait_for_signal_until(signals, about,
                               is_endless ? never_ns : time_by(CLOCK_MONOTONIC) + in_ns(*time));
}

int wait_for_signal_and_tell(const sigset_t* signals, siginfo_t* about) {
  return wait_for_signal_for(signals, about, nullptr);
}

int wait_for_signal(const sigset_t* signals, int* found) {
  if (!has_turn()) return sigwait(signals, found);
  const int signal = wait_for_signal_until(signals, nullptr, never_ns);
  if (signal < 0) return error_of(signal);
  *found = signal;
  return 0;
}

// -- System V -------------------------------------------------------------------------------------

int change_semaphores_for(int set, sembuf* changes, std::size_t count, const timespec* time) {
  if (!has_turn() || (time != nullptr && !is_time(*time)))
    return semtimedop(set, changes, count, time);
  std::vector<sembuf> at_once(changes, changes + count);
  bool waits = false;
  for (sembuf& change : at_once) {
    waits = waits || (change.sem_flg & IPC_NOWAIT) == 0;
    change.sem_flg |= IPC_NOWAIT;
  }
  const std::uint64_t until_ns = !waits            ? 0
                                 : time == nullptr ? never_ns
                                                   : time_by(CLOCK_MONOTONIC) + in_ns(*time);
  return result_of(wait_by_looks(until_ns, CLOCK_MONOTONIC, EAGAIN, [&at_once, set, count] {
    return error_of(semop(set, at_once.data(), count));
  }));
}

int change_semaphores(int set, sembuf* changes, std::size_t count) {
  return change_semaphores_for(set, changes, count, nullptr);
}

int send_message(int queue, const void* message, std::size_t bytes, int flags) {
  if (!has_turn() || (flags & IPC_NOWAIT) != 0) return msgsnd(queue, message, bytes, flags);
  return result_of(wait_by_looks(never_ns, CLOCK_MONOTONIC, EAGAIN, [=] {
    return error_of(msgsnd(queue, message, bytes, flags | IPC_NOWAIT));
  }));
}

ssize_t receive_message(int queue, void* message, std::size_t bytes, long kind, int flags) {
  if (!has_turn() || (flags & IPC_NOWAIT) != 0) return msgrcv(queue, message, bytes, kind, flags);
  ssize_t got = 0;
  const int error = wait_by_looks(never_ns, CLOCK_MONOTONIC, ENOMSG, [&] {
    got = msgrcv(queue, message, bytes, kind, flags | IPC_NOWAIT);
    return error_of(static_cast<int>(got));
  });
  return error == 0 ? got : result_of(error);
}

}  // namespace

void replace_waits(image::Plan& plan) {
  plan.replace("sem_wait", wait_for_semaphore);
  plan.replace("sem_timedwait", wait_for_semaphore_until);
  plan.replace("sem_clockwait", wait_for_semaphore_by);
  plan.replace("pthread_mutex_timedlock", lock_mutex);
  plan.replace("pthread_mutex_clocklock", lock_mutex_by);
  plan.replace("pthread_rwlock_timedrdlock", lock_to_read);
  plan.replace("pthread_rwlock_clockrdlock", lock_to_read_by);
  plan.replace("pthread_rwlock_timedwrlock", lock_to_write);
  plan.replace("pthread_rwlock_clockwrlock", lock_to_write_by);
  plan.replace("mtx_timedlock", lock_mutex_of_c);
  plan.replace("pthread_cond_timedwait", wait_for_condition);
  plan.replace("pthread_cond_clockwait", wait_for_condition_by);
  plan.replace("cnd_timedwait", wait_for_condition_of_c);
  plan.replace("sigtimedwait", wait_for_signal_for);
  plan.replace("sigwaitinfo", wait_for_signal_and_tell);
  plan.replace("sigwait", wait_for_signal);
  plan.replace("semop", change_semaphores);
  plan.replace("semtimedop", change_semaphores_for);
  plan.replace("msgsnd", send_message);
  plan.replace("msgrcv", receive_message);
}

}  // namespace armature::fibers
