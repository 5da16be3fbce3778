/* armci_msg_sel: the record of the process whose number is the smallest or largest. */
#include "harness.h"

typedef struct {
  double number;
  long subscripts[7];
  int owner;
} record;

static record my_record(double number) {
  record r;
  memset(&r, 0, sizeof r);
  r.number = number;
  r.subscripts[3] = 10 * me;
  r.owner = me;
  return r;
}

static void the_largest_record_comes_to_everybody(void) {
  record r = my_record(me == nproc / 2 ? 99.5 : -me);
  armci_msg_sel(&r, sizeof r, "max", ARMCI_DOUBLE, 1);
  CHECK_EQUAL(r.number, 99.5);
  CHECK_EQUAL(r.owner, nproc / 2);
  CHECK_EQUAL(r.subscripts[3], 10 * (nproc / 2));
}

static void the_smallest_record_of_a_node_comes_to_all_of_it(void) {
  const int here = armci_domain_nprocs(ARMCI_DOMAIN_SMP, -1);
  const int last = armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, -1, here - 1);
  record r = my_record(me == last ? -7 : me);
  armci_msg_sel_scope(SCOPE_NODE, &r, sizeof r, "min", ARMCI_DOUBLE, 1);
  CHECK_EQUAL(r.number, -7);
  CHECK_EQUAL(r.owner, last);
}

static void who_does_not_contribute_is_not_chosen(void) {
  record r = my_record(me);
  armci_msg_sel(&r, sizeof r, "max", ARMCI_DOUBLE, me == 0);
  CHECK_EQUAL(r.owner, 0);
}

static void nothing_changes_when_nobody_contributes(void) {
  record r = my_record(me);
  armci_msg_sel(&r, sizeof r, "min", ARMCI_DOUBLE, 0);
  CHECK_EQUAL(r.owner, me);
}

static void of_equal_numbers_the_lowest_process_is_chosen(void) {
  record r = my_record(3);
  armci_msg_sel(&r, sizeof r, "max", ARMCI_DOUBLE, me > 0 || nproc == 1);
  CHECK_EQUAL(r.owner, nproc > 1 ? 1 : 0);
}

#define SELECT(c_type, type)                          \
  do {                                                \
    c_type x[3] = {(c_type)(me * me), (c_type)me, 1}; \
    armci_msg_sel(x, sizeof x, "max", type, 1);       \
    CHECK_EQUAL(x[0], (nproc - 1) * (nproc - 1));     \
    CHECK_EQUAL(x[1], nproc - 1);                     \
  } while (0)

static void numbers_of_every_type_are_compared(void) {
  SELECT(int, ARMCI_INT);
  SELECT(long, ARMCI_LONG);
  SELECT(long long, ARMCI_LONG_LONG);
  SELECT(float, ARMCI_FLOAT);
  SELECT(double, ARMCI_DOUBLE);
}

static void records_may_be_long(void) {
  enum { numbers = 50000 };
  double* x = malloc(numbers * sizeof *x);
  int wrong = 0;
  for (int i = 0; i < numbers; ++i) x[i] = me + i;
  armci_msg_sel(x, numbers * sizeof *x, "max", ARMCI_DOUBLE, 1);
  for (int i = 0; i < numbers; ++i) wrong += x[i] != nproc - 1 + i;
  CHECK_EQUAL(wrong, 0);
  free(x);
}

const test_case selection_tests[] = {
    {"the largest record comes to everybody", the_largest_record_comes_to_everybody},
    {"the smallest record of a node comes to all of it",
     the_smallest_record_of_a_node_comes_to_all_of_it},
    {"who does not contribute is not chosen", who_does_not_contribute_is_not_chosen},
    {"nothing changes when nobody contributes", nothing_changes_when_nobody_contributes},
    {"of equal numbers the lowest process is chosen",
     of_equal_numbers_the_lowest_process_is_chosen},
    {"numbers of every type are compared", numbers_of_every_type_are_compared},
    {"records may be long", records_may_be_long},
    {NULL, NULL},
};
