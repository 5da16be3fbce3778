#include "harness.h"

enum { rounds = 3000 };

static void fetch_and_add_gives_every_number_once(void) {
  pieces p = make_pieces((size_t)(1 + rounds * nproc) * sizeof(int));
  int* counter = p.at[0];
  char* seen = calloc((size_t)(rounds * nproc), 1);
  int last = -1, backwards = 0;
  for (int i = 0; i < rounds; ++i) {
    int found = -1;
    CHECK_EQUAL(ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &found, counter, 1, 0), 0);
    backwards += found <= last;
    last = found;
    if (found >= 0 && found < rounds * nproc) seen[found] = 1;
  }
  CHECK_EQUAL(backwards, 0);
  int* tickets = malloc((size_t)(rounds * nproc) * sizeof(int));
  for (int i = 0; i < rounds * nproc; ++i) tickets[i] = seen[i];
  armci_msg_igop(tickets, rounds * nproc, "+");
  int wrong = 0;
  for (int i = 0; i < rounds * nproc; ++i) wrong += tickets[i] != 1;
  CHECK_EQUAL(wrong, 0);
  CHECK_EQUAL(ARMCI_GetValueInt(counter, 0), rounds * nproc);
  free(tickets);
  free(seen);
  drop(p);
}

static void fetch_and_add_of_longs_goes_beyond_32_bits(void) {
  pieces p = make_pieces(sizeof(long));
  long* counter = p.at[nproc - 1];
  if (me == nproc - 1) *counter = 1L << 32;
  ARMCI_Barrier();
  for (int i = 0; i < rounds; ++i) {
    long found = 0;
    CHECK_EQUAL(ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &found, counter, -2, nproc - 1), 0);
    CHECK(found > (1L << 31));
  }
  ARMCI_Barrier();
  CHECK_EQUAL(ARMCI_GetValueLong(counter, nproc - 1), (1L << 32) - 2L * rounds * nproc);
  drop(p);
}

/* Tokens 1 .. nproc are swapped through one place; none is lost and none appears twice. */
static void swap_loses_no_token(void) {
  pieces p = make_pieces(sizeof(long));
  long token = me + 1;
  int small = me + 1;
  for (int i = 0; i < rounds; ++i)
    CHECK_EQUAL(ARMCI_Rmw(ARMCI_SWAP_LONG, &token, p.at[0], 0, 0), 0);
  ARMCI_Barrier();
  long sum = token + (me == 0 ? *(long*)p.at[0] : 0);
  armci_msg_lgop(&sum, 1, "+");
  CHECK_EQUAL(sum, nproc * (nproc + 1) / 2);
  ARMCI_Barrier();
  ARMCI_PutValueInt(0, mine(p), me);
  ARMCI_Barrier();
  for (int i = 0; i < rounds; ++i) CHECK_EQUAL(ARMCI_Rmw(ARMCI_SWAP, &small, p.at[0], 0, 0), 0);
  ARMCI_Barrier();
  int total = small + (me == 0 ? *(int*)p.at[0] : 0);
  armci_msg_igop(&total, 1, "+");
  CHECK_EQUAL(total, nproc * (nproc + 1) / 2);
  drop(p);
}

static void what_is_beside_an_integer_is_left_alone(void) {
  pieces p = make_pieces(3 * sizeof(int));
  int found = 0;
  CHECK_EQUAL(
      ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &found, (int*)p.at[right_of(me)] + 1, -1, right_of(me)), 0);
  ARMCI_Barrier();
  const int* own = mine(p);
  CHECK(own[0] == 0 && own[1] == -1 && own[2] == 0);
  drop(p);
}

const test_case atomic_tests[] = {
    {"fetch and add gives every number once", fetch_and_add_gives_every_number_once},
    {"fetch and add of longs goes beyond 32 bits", fetch_and_add_of_longs_goes_beyond_32_bits},
    {"swap loses no token", swap_loses_no_token},
    {"what is beside an integer is left alone", what_is_beside_an_integer_is_left_alone},
    {NULL, NULL},
};
