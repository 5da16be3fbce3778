/* Operations of reductions as Fortran passes them: no zero ends the string, and what follows is
   another string, or a page that cannot be read. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "harness.h"

/* Each one's results on 6 and 3 (and more of 3), and on 6 alone; whether it selects records. */
static const struct {
  char name[7];
  int of_two, of_one, selects;
} operations[] = {
    {"+", 9, 6, 0},      {"*", 18, 6, 0},     {"max", 6, 6, 1}, {"min", 3, 6, 1},
    {"absmax", 6, 6, 0}, {"absmin", 3, 6, 0}, {"&&", 1, 6, 0},  {"land", 1, 6, 0},
    {"||", 1, 6, 0},     {"lor", 1, 6, 0},    {"&", 2, 6, 0},   {"band", 2, 6, 0},
    {"|", 7, 6, 0},      {"bor", 7, 6, 0},    {"or", 7, 6, 0},
};
enum { known = sizeof operations / sizeof *operations };

/* Reduces over the first two processes: the result does not depend on how many there are. */
static void reduce_by(char* op, int k, ARMCI_Group* pair) {
  const int here = me;
  if (here > 1) return;
  int x = here == 0 ? 6 : 3;
  armci_msg_group_igop(&x, 1, op, pair);
  CHECK_EQUAL(x, nproc > 1 ? operations[k].of_two : operations[k].of_one);
}

static void select_by(char* op, int k) {
  if (!operations[k].selects) return;
  long record[2] = {me, 10 * me};
  armci_msg_sel_scope(SCOPE_ALL, record, sizeof record, op, ARMCI_LONG, 1);
  CHECK_EQUAL(record[1], op[1] == 'a' ? 10 * (nproc - 1) : 0);
}

static ARMCI_Group first_two(void) {
  int members[2] = {0, 1};
  ARMCI_Group pair;
  ARMCI_Group_create(nproc > 1 ? 2 : 1, members, &pair);
  return pair;
}

static void what_follows_a_name_is_not_looked_at(void) {
  static const char* const behind[] = {"", " ", "Bin", "maxmin", "+", "x&|", "\n\1\377"};
  ARMCI_Group pair = first_two();
  for (int k = 0; k < known; ++k)
    for (size_t b = 0; b < sizeof behind / sizeof *behind; ++b) {
      char op[16] = "";
      strcat(strcat(op, operations[k].name), behind[b]);
      reduce_by(op, k, &pair);
      select_by(op, k);
    }
  ARMCI_Group_free(&pair);
}

/* The last bytes of memory that can be read, with nothing behind them. */
static void a_name_may_end_where_memory_does(void) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  ARMCI_Group pair = first_two();
  char* pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(pages != MAP_FAILED);
  CHECK_EQUAL(mprotect(pages + page, page, PROT_NONE), 0);
  for (int k = 0; k < known; ++k) {
    const size_t length = strlen(operations[k].name);
    char* op = memcpy(pages + page - length, operations[k].name, length);
    reduce_by(op, k, &pair);
    select_by(op, k);
  }
  munmap(pages, 2 * page);
  ARMCI_Group_free(&pair);
}

const test_case operation_tests[] = {
    {"what follows a name is not looked at", what_follows_a_name_is_not_looked_at},
    {"a name may end where memory does", a_name_may_end_where_memory_does},
    {NULL, NULL},
};
