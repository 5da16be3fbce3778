#include "harness.h"

static void every_process_is_in_one_domain_of(armci_domain_t level) {
  const int domains = armci_domain_count(level);
  int members = 0;
  CHECK(domains >= 1);
  for (int id = 0; id < domains; ++id) {
    const int size = armci_domain_nprocs(level, id);
    CHECK(size >= 1);
    members += size;
    for (int i = 0; i < size; ++i) {
      const int proc = armci_domain_glob_proc_id(level, id, i);
      CHECK_EQUAL(armci_domain_id(level, proc), id);
      CHECK_EQUAL(armci_domain_same_id(level, proc), armci_domain_my_id(level) == id);
    }
  }
  CHECK_EQUAL(members, nproc);
  CHECK_EQUAL(armci_domain_my_id(level), armci_domain_id(level, me));
  CHECK_EQUAL(armci_domain_nprocs(level, -1),
              armci_domain_nprocs(level, armci_domain_my_id(level)));
}

static void every_process_is_in_one_domain(void) {
  for (int level = ARMCI_DOMAIN_SMP; level <= ARMCIX_DOMAIN_SWITCH; ++level)
    every_process_is_in_one_domain_of(level);
}

static void each_level_divides_the_one_above(void) {
  const armci_domain_t levels[] = {ARMCIX_DOMAIN_SWITCH, ARMCI_DOMAIN_SMP,    ARMCIX_DOMAIN_SOCKET,
                                   ARMCIX_DOMAIN_NUMA,   ARMCIX_DOMAIN_CACHE, ARMCIX_DOMAIN_CORE};
  for (int i = 1; i < 6; ++i)
    for (int proc = 0; proc < nproc; ++proc)
      if (armci_domain_same_id(levels[i], proc)) CHECK(armci_domain_same_id(levels[i - 1], proc));
}

static void processes_of_one_domain_share_memory(void) {
  pieces p = make_pieces(sizeof(int));
  *(int*)mine(p) = 50 + me;
  ARMCI_Barrier();
  for (int proc = 0; proc < nproc; ++proc) {
    CHECK_EQUAL(ARMCI_Same_node(proc), armci_domain_same_id(ARMCI_DOMAIN_SMP, proc));
    CHECK_EQUAL(armci_sameclusnode(proc), ARMCI_Same_node(proc));
    if (ARMCI_Same_node(proc)) CHECK_EQUAL(*(int*)p.at[proc], 50 + proc);
  }
  CHECK(ARMCI_Same_node(me));
  ARMCI_Group world;
  ARMCI_Group_get_world(&world);
  CHECK(ARMCI_Uses_shm() && ARMCI_Uses_shm_grp(&world));
  ARMCI_Set_shm_limit(1 << 20);
  drop(p);
}

static void what_does_not_exist_is_in_no_domain(void) {
  CHECK_EQUAL(armci_domain_nprocs(ARMCI_DOMAIN_SMP, 1000), -1);
  CHECK_EQUAL(armci_domain_id(ARMCI_DOMAIN_SMP, nproc), -1);
  CHECK_EQUAL(armci_domain_id(ARMCI_DOMAIN_SMP, -1), -1);
  CHECK_EQUAL(armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, 0, nproc), -1);
  CHECK_EQUAL(armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, 0, -1), -1);
  CHECK_EQUAL(armci_domain_count(7), -1);
  CHECK_EQUAL(armci_domain_same_id(ARMCI_DOMAIN_SMP, nproc), 0);
  CHECK_EQUAL(ARMCI_Same_node(-1), 0);
}

static void the_timer_goes_forward(void) {
  const double start = armci_timer();
  double now = start;
  while (now == start) now = armci_timer();
  CHECK(now > start && now < start + 5);
}

/* Programs initialise in each of their libraries; so does this one. */
static void initialising_again_and_again_is_allowed(void) {
  CHECK_EQUAL(ARMCI_Initialized(), 1);
  CHECK_EQUAL(ARMCI_Init(), 0);
  CHECK_EQUAL(ARMCI_Init_thread(0), 0);
  CHECK_EQUAL(ARMCI_Finalize(), 0);
  CHECK_EQUAL(ARMCI_Finalize(), 0);
  CHECK_EQUAL(ARMCI_Initialized(), 1);
  /* All the way out, and in again. */
  CHECK_EQUAL(ARMCI_Finalize(), 0);
  CHECK_EQUAL(ARMCI_Initialized(), 0);
  CHECK(ARMCI_Finalize() != 0);
  CHECK_EQUAL(armci_msg_me(), me);
  armci_msg_barrier();
  CHECK_EQUAL(ARMCI_Init(), 0);
  pieces p = make_pieces(8);
  drop(p);
}

static void levels_of_threads_that_are_not_served_are_refused(void) {
  int level = -1;
  CHECK_EQUAL(ARMCIX_Query_thread(&level), 0);
  CHECK_EQUAL(ARMCIX_Query_thread(NULL), -1);
  for (int asked = -1; asked <= 4; ++asked) {
    const int is_served = asked >= 0 && asked <= level;
    CHECK_EQUAL(ARMCI_Init_thread(asked) == 0, is_served);
    if (is_served) CHECK_EQUAL(ARMCI_Finalize(), 0);
  }
  CHECK(level >= 1 && level <= 3);
}

const test_case locality_tests[] = {
    {"every process is in one domain", every_process_is_in_one_domain},
    {"each level divides the one above", each_level_divides_the_one_above},
    {"processes of one domain share memory", processes_of_one_domain_share_memory},
    {"what does not exist is in no domain", what_does_not_exist_is_in_no_domain},
    {"the timer goes forward", the_timer_goes_forward},
    {"levels of threads that are not served are refused",
     levels_of_threads_that_are_not_served_are_refused},
    {"initialising again and again is allowed", initialising_again_and_again_is_allowed},
    {NULL, NULL},
};
