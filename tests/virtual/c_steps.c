/* The C interface's part of steps.cpp: a program whose result depends on what a rank of it has, its
   pieces, groups, mutexes, handles, messages under way, and prints one number, which must not
   depend on where its ranks ran and how often they were stopped.

     virtual_c_steps STEPS EVERY PAUSE_US DIE_AT

   EVERY steps it writes a checkpoint (0: never; below 0: in memory), DIE_AT a step rank 0's process
   is killed, unless the job has been restarted, or has gone back, since. */
#include <armcix.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SUMS = 8, ROWS = 6, COLS = 32, KEPT = 40, TEXT = 200 };

/* Others may reach these. */
typedef struct {
  long sums[SUMS], counter, guarded;
  double table[ROWS][COLS];
} piece;

typedef struct {
  int me, all, steps, every, pause_us, die_at, was_restarted;
  uint64_t chance, sum;
  piece** pieces;
  ARMCI_Group half; /* the even or the odd ones */
  char* kept[KEPT];
  pid_t process;
  long moved;
} worker;

static uint64_t mixed(uint64_t sum, uint64_t value) {
  sum = (sum ^ value) * UINT64_C(0x9e3779b97f4a7c15);
  return sum ^ sum >> 31;
}

static int chosen(worker* w, int behind) {
  w->chance = w->chance * UINT64_C(6364136223846793005) + 1;
  return (int)((w->chance >> 33) % (uint64_t)behind);
}

static void need(int holds, const char* what) {
  if (!holds) ARMCI_Error(what, 1);
}

/* By everybody to anybody: sums, which no order changes. */
static void add_to_others(worker* w, int step) {
  const int host = chosen(w, w->all), counting = chosen(w, w->all);
  piece* there = w->pieces[host];
  long value;
  ARMCI_Lock(0, host);
  ARMCI_Get(&there->guarded, &value, sizeof value, host);
  value += step + w->me;
  ARMCI_Put(&value, &there->guarded, sizeof value, host);
  ARMCI_Fence(host);
  ARMCI_Unlock(0, host);
  long before;
  ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &before, &w->pieces[counting]->counter, step % 7, counting);
}

/* Columns of the right neighbour's table. */
static void put_columns(worker* w, int step) {
  double from[ROWS][2];
  for (int i = 0; i < ROWS; ++i) from[i][0] = from[i][1] = step + 0.5 * w->me + i;
  const int right = (w->me + 1) % w->all;
  int stride[1] = {sizeof from[0]}, stride_there[1] = {COLS * sizeof(double)};
  int count[2] = {sizeof from[0], ROWS};
  double* to = &w->pieces[right]->table[0][2 * (step % (COLS / 2))];
  need(ARMCI_PutS(from, stride, to, stride_there, count, 1, right) == 0, "a put fails");
}

static void keep(worker* w, int step) {
  char** place = &w->kept[chosen(w, KEPT)];
  free(*place);
  const size_t bytes = 1 + (size_t)chosen(w, 3000);
  *place = malloc(bytes);
  need(*place != NULL, "no memory");
  memset(*place, step % 128, bytes);
  w->sum = mixed(w->sum, (uint64_t)(*place)[bytes / 2]);
}

/* In which the library asks the C library for what is not there. */
static void make_group(worker* w) {
  ARMCI_Group world;
  ARMCI_Group_get_world(&world);
  need(ARMCIX_Group_split(&world, w->me % 2, w->me, &w->half) == 0, "no group");
}

/* Counts this node's ranks, and one of each node that has any, wherever ranks have gone
 * meanwhile. */
static void count_scopes(const worker* w) {
  int here = 1, masters = 1, nodes = 0;
  for (int id = 0; id < armci_domain_count(ARMCI_DOMAIN_SMP); ++id)
    nodes += armci_domain_nprocs(ARMCI_DOMAIN_SMP, id) > 0;
  const int first = armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, -1, 0);
  armci_msg_clus_igop(&here, 1, "+");
  need(here == armci_domain_nprocs(ARMCI_DOMAIN_SMP, -1), "another node");
  armci_msg_gop_scope(SCOPE_MASTERS, &masters, 1, "+", ARMCI_INT);
  need(masters == (w->me == first ? nodes : 1), "other nodes");
}

static void meet(worker* w, int step) {
  ARMCI_Barrier();
  int answer = 0;
  if (w->every > 0 && step % w->every == w->every - 1) answer = ARMCIX_Checkpoint(NULL);
  if (w->every < 0 && step % -w->every == -w->every - 1) answer = ARMCIX_Checkpoint_in_memory();
  if (answer == 1) w->was_restarted = 1;
  count_scopes(w);
  long part = (long)(w->sum & 0xffff);
  armci_msg_group_lgop(&part, 1, "+", &w->half);
  if (step % 4 == 3) {
    ARMCI_Group_free(&w->half);
    make_group(w);
  }
  w->sum = mixed(w->sum, (uint64_t)part);
}

static void one_step(worker* w, int step) {
  const int right = (w->me + 1) % w->all, left = (w->me + w->all - 1) % w->all;
  char text[TEXT], got[TEXT];
  const int length = 1 + (w->me + step) % TEXT;
  memset(text, 'a' + step % 26, (size_t)length);
  armci_msg_snd(step, text, length, right); /* is received behind the meeting */
  long one = 1, values[SUMS];
  for (int i = 0; i < SUMS; ++i) values[i] = step * i + w->me;
  const int host = chosen(w, w->all);
  armci_hdl_t handle;
  ARMCI_INIT_HANDLE(&handle);
  ARMCI_NbAcc(ARMCI_ACC_LNG, &one, values, w->pieces[host]->sums, sizeof values, host, &handle);
  add_to_others(w, step);
  put_columns(w, step);
  keep(w, step);
  if (w->pause_us > 0) usleep((useconds_t)w->pause_us);
  if (getpid() != w->process) ++w->moved;
  w->process = getpid();
  ARMCI_Wait(&handle);
  meet(w, step);
  int bytes = 0;
  armci_msg_rcv(step, got, TEXT, &bytes, left);
  need(bytes == 1 + (left + step) % TEXT && got[bytes - 1] == 'a' + step % 26, "another message");
  w->sum = mixed(w->sum, (uint64_t)bytes);
  if (step == w->die_at && !w->was_restarted && w->me == 0) raise(SIGKILL);
}

static uint64_t outcome(const worker* w) {
  const piece* mine = w->pieces[w->me];
  uint64_t sum = mixed(mixed(w->sum, (uint64_t)mine->counter), (uint64_t)mine->guarded);
  for (int i = 0; i < SUMS; ++i) sum = mixed(sum, (uint64_t)mine->sums[i]);
  for (int i = 0; i < ROWS; ++i)
    for (int j = 0; j < COLS; ++j) {
      uint64_t bits;
      memcpy(&bits, &mine->table[i][j], sizeof bits);
      sum = mixed(sum, bits);
    }
  return sum;
}

static void begin(worker* w) {
  w->me = armci_msg_me();
  w->all = armci_msg_nproc();
  w->chance = (uint64_t)w->me + 1;
  w->process = getpid();
  w->pieces = calloc((size_t)w->all, sizeof *w->pieces);
  need(ARMCI_Malloc((void**)w->pieces, sizeof(piece)) == 0, "no memory for pieces");
  memset(w->pieces[w->me], 0, sizeof(piece));
  make_group(w);
  need(ARMCI_Create_mutexes(1) == 0, "no mutexes");
  ARMCI_Barrier();
}

static void end(worker* w) {
  ARMCI_Barrier();
  long totals[2] = {(long)(outcome(w) >> 8), w->moved}; /* the sum of all stays below 2^63 */
  armci_msg_lgop(totals, 2, "+");
  if (w->me == 0) {
    printf("result %016lx\nmoved %ld\n", totals[0], totals[1]);
    fflush(stdout);
  }
  for (int i = 0; i < KEPT; ++i) free(w->kept[i]);
  ARMCI_Destroy_mutexes();
  ARMCI_Group_free(&w->half);
  ARMCI_Free(w->pieces[w->me]);
  free(w->pieces);
}

int main(int argc, char** argv) {
  ARMCI_Init_args(&argc, &argv);
  worker w = {.steps = 200, .die_at = -1};
  int* const places[] = {&w.steps, &w.every, &w.pause_us, &w.die_at};
  for (int i = 1; i < argc && i <= 4; ++i) *places[i - 1] = atoi(argv[i]);
  begin(&w);
  for (int step = 0; step < w.steps; ++step) one_step(&w, step);
  end(&w);
  ARMCI_Finalize();
  return 0;
}
