/* Ranks of a process that sleep do so at the same time, in each way that a program has, and wake up
   when their time has come. */
#include <armci.h>
#include <errno.h>
#include <message.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "job.h"

enum { WAYS = 23, SLEEPERS = 6, RANKS_MAX = 128 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* 100 ms from now. */
static struct timespec soon(clockid_t clock) {
  struct timespec until;
  clock_gettime(clock, &until);
  until.tv_nsec += 100 * 1000 * 1000;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  return until;
}

static sem_t semaphore;
static pthread_mutex_t taken = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t read_and_written = PTHREAD_RWLOCK_INITIALIZER;

/* Waits for something that never comes. */
static int wait_in_vain(int way) {
  struct timespec time = {.tv_nsec = 100 * 1000 * 1000};
  const struct timespec until = soon(CLOCK_REALTIME), by_steady = soon(CLOCK_MONOTONIC);
  pthread_cond_t condition;
  pthread_condattr_t how;
  sigset_t signals;
  int status = 0;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR2);
  pthread_condattr_init(&how);
  pthread_condattr_setclock(&how, way == 17 ? CLOCK_MONOTONIC : CLOCK_REALTIME);
  pthread_cond_init(&condition, &how);
  if (way == 12) return sem_timedwait(&semaphore, &until) == -1 ? errno : 0;
  if (way == 13) return sem_clockwait(&semaphore, CLOCK_MONOTONIC, &by_steady) == -1 ? errno : 0;
  if (way == 14) return pthread_mutex_timedlock(&taken, &until);
  if (way == 15) return pthread_rwlock_clockwrlock(&read_and_written, CLOCK_MONOTONIC, &by_steady);
  if (way == 16) return pthread_rwlock_timedwrlock(&read_and_written, &until);
  if (way == 17) status = pthread_cond_timedwait(&condition, &taken, &by_steady);
  if (way == 18) status = pthread_cond_timedwait(&condition, &taken, &until);
  if (way == 19) status = pthread_cond_clockwait(&condition, &taken, CLOCK_MONOTONIC, &by_steady);
  pthread_cond_destroy(&condition);
  if (way == 20) {
    cnd_t of_c;
    mtx_t lock;
    cnd_init(&of_c);
    mtx_init(&lock, mtx_timed);
    mtx_lock(&lock);
    const int found = cnd_timedwait(&of_c, &lock, &until);
    job_need(found == thrd_timedout, "a condition of C's");
    status = ETIMEDOUT;
  }
  if (way == 21)
    status = sigtimedwait(&signals, NULL, &time) == -1 && errno == EAGAIN ? ETIMEDOUT : 0;
  if (way == 22) {
    const int set = semget(IPC_PRIVATE, 1, 0600);
    struct sembuf down = {0, -1, 0};
    job_need(set >= 0, "semaphores of System V");
    status = semtimedop(set, &down, 1, &time) == -1 && errno == EAGAIN ? ETIMEDOUT : 0;
    semctl(set, 0, IPC_RMID);
  }
  return status;
}

static void sleep_in_way(int way) {
  struct timespec time = {.tv_nsec = 100 * 1000 * 1000};
  struct timeval until_then = {.tv_usec = 100 * 1000};
  int status = 0;
  if (way == 0) status = (int)sleep(1);
  if (way == 1) status = usleep(100 * 1000);
  if (way == 2) status = nanosleep(&time, NULL);
  if (way == 3) status = clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
  if (way == 4) status = thrd_sleep(&time, NULL);
  if (way == 5) status = select(0, NULL, NULL, NULL, &until_then);
  if (way == 6) status = poll(NULL, 0, 100);
  if (way == 7) {
    const struct timespec until = soon(CLOCK_REALTIME);
    status = clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL);
  }
  if (way == 8) status = clock_nanosleep(CLOCK_BOOTTIME, 0, &time, NULL);
  if (way == 9) {
    const struct timespec until = soon(CLOCK_TAI);
    status = clock_nanosleep(CLOCK_TAI, TIMER_ABSTIME, &until, NULL);
  }
  if (way == 10) status = pselect(0, NULL, NULL, NULL, &time, NULL);
  if (way == 11) status = ppoll(NULL, 0, &time, NULL);
  if (way >= 12) status = wait_in_vain(way) - ETIMEDOUT;
  job_need(status == 0, "the status of a sleep");
}

/* The even ranks wait for what the odd ones of their process give them. */
static void wait_for_others(int me, int ranks) {
  sem_t* semaphores[RANKS_MAX];
  int sets[2];
  job_need(ARMCI_Malloc((void**)semaphores, sizeof(sem_t)) == 0, "shared memory");
  sem_init(semaphores[me], 1, 0);
  sets[0] = me == 0 ? msgget(IPC_PRIVATE, 0600) : 0;
  sets[1] = me == 0 ? semget(IPC_PRIVATE, 1, 0600) : 0;
  armci_msg_bcast(sets, sizeof sets, 0);
  ARMCI_Barrier();
  if (me % 2 == 0 && me + 1 < ranks) {
    job_need(sem_wait(semaphores[me]) == 0, "a semaphore");
    struct {
      long kind;
      int number;
    } message;
    job_need(msgrcv(sets[0], &message, sizeof message.number, me + 1, 0) == sizeof message.number,
             "a message");
    job_need(message.number == me, "what is in a message");
    struct sembuf down = {0, -1, 0};
    job_need(semop(sets[1], &down, 1) == 0, "a semaphore of System V");
  }
  if (me % 2 == 1) {
    const struct {
      long kind;
      int number;
    } message = {me, me - 1};
    struct sembuf up = {0, 1, 0};
    usleep(1000);
    sem_post(semaphores[me - 1]);
    usleep(1000);
    job_need(msgsnd(sets[0], &message, sizeof message.number, 0) == 0, "a message that is sent");
    semop(sets[1], &up, 1);
  }
  ARMCI_Barrier();
  if (me == 0) msgctl(sets[0], IPC_RMID, NULL), semctl(sets[1], 0, IPC_RMID);
  ARMCI_Free(semaphores[me]);
}

/* The odd rank has the lock as the wait of the even one ends, and sleeps: it goes on although the
   even one wants its lock back. */
static void share_a_lock(int me, int ranks) {
  pthread_mutex_t* locks[RANKS_MAX];
  pthread_mutexattr_t how;
  job_need(ARMCI_Malloc((void**)locks, sizeof(pthread_mutex_t)) == 0, "memory for locks");
  pthread_mutexattr_init(&how);
  pthread_mutexattr_setpshared(&how, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(locks[me], &how);
  ARMCI_Barrier();
  if (me % 2 == 0 && me + 1 < ranks) {
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    const struct timespec until = soon(CLOCK_REALTIME);
    pthread_mutex_lock(locks[me]);
    armci_notify(me + 1);
    job_need(pthread_cond_timedwait(&condition, locks[me], &until) == ETIMEDOUT, "a condition");
    pthread_mutex_unlock(locks[me]);
  }
  if (me % 2 == 1) {
    armci_notify_wait(me - 1, NULL);
    while (pthread_mutex_trylock(locks[me - 1]) != 0) sched_yield();
    usleep(200 * 1000);
    pthread_mutex_unlock(locks[me - 1]);
  }
  ARMCI_Barrier();
  ARMCI_Free(locks[me]);
}

/* A signal that a mask lets in ends the wait. */
static volatile int caught = 0;
static void catch (int signal) { caught = signal; }

static void be_signalled(void) {
  const struct timespec long_time = {.tv_sec = 30};
  sigset_t blocked, none;
  int signal_found = 0;
  sigemptyset(&none);
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &blocked, NULL);
  signal(SIGUSR1, catch);
  raise(SIGUSR1);
  job_need(ppoll(NULL, 0, &long_time, &none) == -1 && errno == EINTR && caught == SIGUSR1,
           "a caught signal");
  caught = 0;
  raise(SIGUSR1);
  job_need(
      pselect(0, NULL, NULL, NULL, &long_time, &none) == -1 && errno == EINTR && caught == SIGUSR1,
      "a signal caught by pselect");
  raise(SIGUSR1);
  job_need(sigwait(&blocked, &signal_found) == 0 && signal_found == SIGUSR1,
           "a signal that is waited for");
  job_need(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &long_time, NULL) == EINVAL,
           "a clock nobody sleeps by");
}

/* Ranks wake up in the order in which they are due, whoever began first. */
static void wake_in_order(int me) {
  double due_of_woken[SLEEPERS]; /* rank 0's, in the order in which they woke up */
  int* counters[RANKS_MAX];
  double* places[RANKS_MAX];
  int place = 0;
  ARMCI_Malloc((void**)counters, sizeof place);
  ARMCI_Malloc((void**)places, SLEEPERS * sizeof(double));
  *counters[me] = 0;
  ARMCI_Barrier();
  if (me < SLEEPERS) {
    const int milliseconds = (SLEEPERS - me) * 60;
    double due = now() + 1e-3 * milliseconds;
    usleep((useconds_t)milliseconds * 1000);
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &place, counters[0], 1, 0);
    ARMCI_Put(&due, places[0] + place, sizeof due, 0);
  }
  ARMCI_AllFence();
  ARMCI_Barrier();
  if (me == 0) memcpy(due_of_woken, places[0], SLEEPERS * sizeof(double));
  for (int i = 1; me == 0 && i < SLEEPERS; ++i)
    job_need(due_of_woken[i - 1] < due_of_woken[i] + 30e-3, "the order in which ranks wake up");
  ARMCI_Free(places[me]);
  ARMCI_Free(counters[me]);
}

int main(void) {
  const struct timespec nonsense = {.tv_nsec = -1};
  ARMCI_Init();
  const int me = armci_msg_me();
  const int ranks = armci_msg_nproc();
  sem_init(&semaphore, 0, 0);
  pthread_mutex_lock(&taken);
  pthread_rwlock_rdlock(&read_and_written);
  for (int way = 0; way < WAYS; ++way) {
    ARMCI_Barrier();
    const double begun = now();
    sleep_in_way(way);
    job_need(now() - begun >= (way == 0 ? 1.0 : 0.1) - 1e-3, "a sleep as long as wanted");
    ARMCI_Barrier();
    /* One after the other they would take as long as all of them. */
    job_need(now() - begun < (way == 0 ? 1.0 : 0.1) * ranks / 2, "sleeps at the same time");
  }
  job_need(nanosleep(&nonsense, NULL) == -1 && errno == EINVAL, "no such time");
  wake_in_order(me);
  wait_for_others(me, ranks);
  share_a_lock(me, ranks);
  if (me == 0) be_signalled();
  job_well(me);
  ARMCI_Finalize();
  return 0;
}
