/* A program for ARMCI as there are many. Compiled against the package's headers (each MPI's
   flavour) and linked with our library; also against ours. It calls nothing of MPI. */
#include <armci.h>
#include <armcix.h>
#include <message.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, nproc, wrong;

#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      ++wrong;                                                        \
      fprintf(stderr, "%d: line %d: %s\n", me, __LINE__, #condition); \
    }                                                                 \
  } while (0)

/* The library must not write more than this flavour's group has room for. */
struct guarded {
  long before;
  ARMCI_Group group;
  long after;
};

static void transfers(double** at, int to) {
  double data[12], got[12], scale = 2;
  for (int i = 0; i < 12; ++i) data[i] = me * 100 + i;
  CHECK(ARMCI_Put(data, at[to], sizeof data, to) == 0);
  CHECK(ARMCI_Acc(ARMCI_ACC_DBL, &scale, data, at[to], sizeof data, to) == 0);
  ARMCI_Fence(to);
  CHECK(ARMCI_Get(at[to], got, sizeof got, to) == 0);
  for (int i = 0; i < 12; ++i) CHECK(got[i] == 3 * data[i]);

  int stride[1] = {4 * sizeof(double)}, count[2] = {sizeof(double), 3};
  armci_hdl_t handle;
  ARMCI_INIT_HANDLE(&handle);
  CHECK(ARMCI_NbPutS(data + 1, stride, at[to] + 1, stride, count, 1, to, &handle) == 0);
  CHECK(ARMCI_Wait(&handle) == 0);

  void *from[2] = {&data[0], &data[2]}, *into[2] = {at[to], at[to] + 2};
  armci_giov_t iov;
  iov.src_ptr_array = from;
  iov.dst_ptr_array = into;
  iov.bytes = sizeof(double);
  iov.ptr_array_len = 2;
  CHECK(ARMCI_PutV(&iov, 1, to) == 0);
  ARMCI_Fence(to);
  CHECK(ARMCI_Get(at[to], got, sizeof got, to) == 0);
  for (int i = 0; i < 12; ++i) CHECK(got[i] == (i % 4 == 1 || i == 0 || i == 2 ? 1 : 3) * data[i]);
}

static void groups(void) {
  struct guarded world = {.before = 11, .after = 12}, half = {.before = 13, .after = 14};
  int rank = -1, size = -1, sum = 1;
  ARMCI_Group_get_world(&world.group);
  CHECK(ARMCIX_Group_split(&world.group, me % 2, me, &half.group) == 0);
  ARMCI_Group_size(&half.group, &size);
  CHECK(ARMCI_Group_rank(&half.group, &rank) == 0 && rank == me / 2);
  CHECK(ARMCI_Absolute_id(&half.group, rank) == me);
  armci_msg_group_igop(&sum, 1, "+", &half.group);
  CHECK(sum == size);
  void* at[64];
  CHECK(ARMCI_Malloc_group(at, 64, &half.group) == 0);
  CHECK(ARMCI_Free_group(at[rank], &half.group) == 0);
  ARMCI_Group_free(&half.group);
  CHECK(world.before == 11 && world.after == 12 && half.before == 13 && half.after == 14);
}

static void counters(long** at) {
  long found = -1;
  CHECK(ARMCI_Create_mutexes(1) == 0);
  for (int i = 0; i < 100; ++i) {
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &found, at[0], 1, 0);
    ARMCI_Lock(0, 0);
    const long value = ARMCI_GetValueLong(at[0] + 1, 0);
    ARMCI_PutValueLong(value + 1, at[0] + 1, 0);
    ARMCI_Unlock(0, 0);
  }
  ARMCI_Barrier();
  if (me == 0) CHECK(at[0][0] == 100 * nproc && at[0][1] == 100 * nproc);
  CHECK(ARMCI_Destroy_mutexes() == 0);
}

static void collectives(void) {
  struct {
    double value;
    int owner;
  } record = {me == 1 ? 5 : -me, me};
  double sum = me;
  armci_msg_dgop(&sum, 1, "+");
  CHECK(sum == nproc * (nproc - 1) / 2);
  armci_msg_gop_scope(SCOPE_ALL, &sum, 1, "max", ARMCI_DOUBLE);
  armci_msg_sel_scope(SCOPE_ALL, &record, sizeof record, "max", ARMCI_DOUBLE, 1);
  CHECK(record.owner == (nproc > 1 ? 1 : 0));
  armci_msg_brdcst(&sum, sizeof sum, nproc - 1);
}

int main(int argc, char** argv) {
  void *doubles[64], *longs[64];
  if (ARMCI_Init_args(&argc, &argv) != 0) return 2;
  me = armci_msg_me();
  nproc = armci_msg_nproc();
  CHECK(ARMCI_Malloc(doubles, 12 * sizeof(double)) == 0);
  CHECK(ARMCI_Malloc(longs, 2 * sizeof(long)) == 0);
  memset(doubles[me], 0, 12 * sizeof(double));
  memset(longs[me], 0, 2 * sizeof(long));
  ARMCI_Barrier();
  transfers((double**)doubles, (me + 1) % nproc);
  groups();
  counters((long**)longs);
  collectives();
  CHECK(ARMCI_Free(doubles[me]) == 0);
  CHECK(ARMCI_Free(longs[me]) == 0);
  armci_msg_igop(&wrong, 1, "+");
  if (me == 0) printf(wrong ? "%d checks failed\n" : "all right\n", wrong);
  ARMCI_Finalize();
  return wrong != 0;
}
