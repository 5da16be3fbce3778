#include "harness.h"

enum { rounds = 1000 };

/* Reads, changes and writes a number in steps that only a lock holds together. */
static void add_one(int* number, int proc) {
  int value = 0;
  ARMCI_Get(number, &value, sizeof value, proc);
  ++value;
  ARMCI_Put(&value, number, sizeof value, proc);
  ARMCI_Fence(proc);
}

static void a_mutex_excludes(void) {
  pieces p = make_pieces(sizeof(int));
  CHECK_EQUAL(ARMCI_Create_mutexes(me == 0 ? 1 : 0), 0);
  for (int i = 0; i < rounds; ++i) {
    ARMCI_Lock(0, 0);
    add_one(p.at[nproc - 1], nproc - 1);
    ARMCI_Unlock(0, 0);
  }
  ARMCI_Barrier();
  CHECK_EQUAL(ARMCI_GetValueInt(p.at[nproc - 1], nproc - 1), rounds * nproc);
  CHECK_EQUAL(ARMCI_Destroy_mutexes(), 0);
  drop(p);
}

static void every_mutex_of_every_process_is_another(void) {
  enum { per_process = 3 };
  pieces p = make_pieces(per_process * sizeof(int));
  CHECK_EQUAL(ARMCI_Create_mutexes(per_process), 0);
  for (int i = 0; i < rounds; ++i) {
    const int proc = (me + i) % nproc, mutex = i % per_process;
    ARMCI_Lock(mutex, proc);
    add_one((int*)p.at[proc] + mutex, proc);
    ARMCI_Unlock(mutex, proc);
  }
  ARMCI_Barrier();
  int sum = 0;
  for (int i = 0; i < per_process; ++i) sum += ((int*)mine(p))[i];
  armci_msg_igop(&sum, 1, "+");
  CHECK_EQUAL(sum, rounds * nproc);
  /* Holding all of mine at once is no deadlock. */
  for (int i = 0; i < per_process; ++i) ARMCI_Lock(i, me);
  for (int i = 0; i < per_process; ++i) ARMCI_Unlock(i, me);
  CHECK_EQUAL(ARMCI_Destroy_mutexes(), 0);
  drop(p);
}

static void there_is_one_set_at_a_time(void) {
  CHECK(ARMCI_Destroy_mutexes() != 0);
  CHECK_EQUAL(ARMCI_Create_mutexes(1), 0);
  CHECK(ARMCI_Create_mutexes(1) != 0);
  ARMCI_Lock(0, me);
  ARMCI_Unlock(0, me);
  CHECK_EQUAL(ARMCI_Destroy_mutexes(), 0);
  CHECK_EQUAL(ARMCI_Create_mutexes(2), 0);
  ARMCI_Lock(1, me);
  ARMCI_Unlock(1, me);
  CHECK_EQUAL(ARMCI_Destroy_mutexes(), 0);
}

static void sets_with_handles_are_independent(void) {
  ARMCI_Group world;
  ARMCI_Group_get_world(&world);
  armcix_mutex_hdl_t a = ARMCIX_Create_mutexes_hdl(1, &world);
  armcix_mutex_hdl_t b = ARMCIX_Create_mutexes_hdl(2, &world);
  CHECK(a != NULL && b != NULL);
  ARMCIX_Lock_hdl(a, 0, me);
  ARMCIX_Lock_hdl(b, 0, me);
  ARMCIX_Lock_hdl(b, 1, me);
  ARMCIX_Unlock_hdl(b, 0, me);
  ARMCIX_Unlock_hdl(b, 1, me);
  ARMCIX_Unlock_hdl(a, 0, me);
  CHECK_EQUAL(ARMCIX_Destroy_mutexes_hdl(a), 0);
  ARMCIX_Lock_hdl(b, 0, me);
  ARMCIX_Unlock_hdl(b, 0, me);
  CHECK_EQUAL(ARMCIX_Destroy_mutexes_hdl(b), 0);
}

static void trylock_says_zero_when_it_has_locked(void) {
  ARMCI_Group world;
  ARMCI_Group_get_world(&world);
  armcix_mutex_hdl_t set = ARMCIX_Create_mutexes_hdl(1, &world);
  if (me == 0) CHECK_EQUAL(ARMCIX_Trylock_hdl(set, 0, 0), 0);
  armci_msg_barrier();
  if (me != 0) CHECK_EQUAL(ARMCIX_Trylock_hdl(set, 0, 0), 1);
  armci_msg_barrier();
  if (me == 0) ARMCIX_Unlock_hdl(set, 0, 0);
  armci_msg_barrier();
  if (me == nproc - 1) {
    CHECK_EQUAL(ARMCIX_Trylock_hdl(set, 0, 0), 0);
    ARMCIX_Unlock_hdl(set, 0, 0);
  }
  CHECK_EQUAL(ARMCIX_Destroy_mutexes_hdl(set), 0);
}

static void sets_have_older_names_too(void) {
  armcix_mutex_grp_t set = ARMCIX_Create_mutexes_grp(2);
  pieces p = make_pieces(sizeof(int));
  CHECK(set != NULL);
  for (int i = 0; i < 20; ++i) {
    while (ARMCIX_Trylock_grp(set, 1, 0) != 0) ARMCIX_Progress();
    add_one(p.at[0], 0);
    ARMCIX_Unlock_grp(set, 1, 0);
    ARMCIX_Lock_grp(set, 1, 0);
    add_one(p.at[0], 0);
    ARMCIX_Unlock_grp(set, 1, 0);
  }
  ARMCI_Barrier();
  CHECK_EQUAL(ARMCI_GetValueInt(p.at[0], 0), 40 * nproc);
  CHECK_EQUAL(ARMCIX_Destroy_mutexes_grp(set), 0);
  drop(p);
}

/* In a group of the odd processes, a mutex is still named by its process's job-wide number. */
static void a_groups_mutexes_are_named_by_job_wide_numbers(void) {
  ARMCI_Group world, half;
  ARMCI_Group_get_world(&world);
  CHECK_EQUAL(ARMCIX_Group_split(&world, me % 2, -me, &half), 0);
  armcix_mutex_hdl_t set = ARMCIX_Create_mutexes_hdl(1, &half);
  pieces p = make_pieces(sizeof(int));
  const int host = me % 2;
  for (int i = 0; i < 100; ++i) {
    ARMCIX_Lock_hdl(set, 0, host);
    add_one(p.at[host], host);
    ARMCIX_Unlock_hdl(set, 0, host);
  }
  ARMCI_Barrier();
  CHECK_EQUAL(ARMCI_GetValueInt(p.at[host], host), 100 * ((nproc + 1 - host) / 2));
  CHECK_EQUAL(ARMCIX_Destroy_mutexes_hdl(set), 0);
  ARMCI_Group_free(&half);
  drop(p);
}

const test_case mutex_tests[] = {
    {"a mutex excludes", a_mutex_excludes},
    {"every mutex of every process is another", every_mutex_of_every_process_is_another},
    {"there is one set at a time", there_is_one_set_at_a_time},
    {"sets with handles are independent", sets_with_handles_are_independent},
    {"trylock says zero when it has locked", trylock_says_zero_when_it_has_locked},
    {"sets have older names, too", sets_have_older_names_too},
    {"a group's mutexes are named by job-wide numbers",
     a_groups_mutexes_are_named_by_job_wide_numbers},
    {NULL, NULL},
};
