/* Ranks of a process that sleep do so at the same time, in each way that a program has, and wake up
   when their time has come. */
#include <armci.h>
#include <errno.h>
#include <message.h>
#include <poll.h>
#include <string.h>
#include <sys/select.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "job.h"

enum { WAYS = 8, SLEEPERS = 6, RANKS_MAX = 128 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void sleep_in_way(int way) {
  struct timespec time = {.tv_nsec = 100 * 1000 * 1000};
  struct timespec until = {0};
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
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 100 * 1000 * 1000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    status = clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL);
  }
  job_need(status == 0, "the status of a sleep");
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
  job_well(me);
  ARMCI_Finalize();
  return 0;
}
