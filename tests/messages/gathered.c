/* Many small requests to another node that are waited for together. Prints a line for each kind:
   name, requests, and when it began and ended, in ns: gathered.py looks at what travelled
   meanwhile. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "armci.h"
#include "message.h"

enum { requests = 1000, rows = 4, row_bytes = 8, stride = 64 };

static void** pieces;
static char* local;

static long long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void sections_of_an_aggregate(void) {
  armci_hdl_t handle;
  ARMCI_INIT_HANDLE(&handle);
  ARMCI_SET_AGGREGATE_HANDLE(&handle);
  for (int i = 0; i < requests; ++i) {
    int strides[1] = {stride}, count[2] = {row_bytes, rows};
    const int at = i * stride * rows;
    ARMCI_NbGetS((char*)pieces[1] + at, strides, local + at, strides, count, 1, 1, &handle);
  }
  ARMCI_Wait(&handle);
}

static void lists_of_an_aggregate(void) {
  armci_hdl_t handle;
  ARMCI_INIT_HANDLE(&handle);
  ARMCI_SET_AGGREGATE_HANDLE(&handle);
  for (int i = 0; i < requests; ++i) {
    void* from[rows];
    void* to[rows];
    for (int row = 0; row < rows; ++row) {
      from[row] = (char*)pieces[1] + (i * rows + row) * stride;
      to[row] = local + (i * rows + row) * stride;
    }
    armci_giov_t list = {
        .src_ptr_array = from, .dst_ptr_array = to, .ptr_array_len = rows, .bytes = row_bytes};
    ARMCI_NbGetV(&list, 1, 1, &handle);
  }
  ARMCI_Wait(&handle);
}

static void words_of_an_aggregate(void) {
  armci_hdl_t handle;
  ARMCI_INIT_HANDLE(&handle);
  ARMCI_SET_AGGREGATE_HANDLE(&handle);
  for (int i = 0; i < requests; ++i)
    ARMCI_NbGet((char*)pieces[1] + i * stride, local + i * stride, row_bytes, 1, &handle);
  ARMCI_Wait(&handle);
}

static void explicit_gets(void) {
  static armci_hdl_t handles[requests];
  for (int i = 0; i < requests; ++i) {
    ARMCI_INIT_HANDLE(&handles[i]);
    ARMCI_NbGet((char*)pieces[1] + i * stride, local + i * stride, row_bytes, 1, &handles[i]);
  }
  for (int i = 0; i < requests; ++i) ARMCI_Wait(&handles[i]);
}

static int missing(int words) {
  int wrong = 0;
  for (int i = 0; i < words; ++i) wrong += *(long long*)(local + i * stride) != i;
  return wrong;
}

static void run(const char* name, int words, void (*perform)(void)) {
  for (int i = 0; i < requests * rows; ++i) *(long long*)(local + i * stride) = -1;
  const long long begun = now_ns();
  perform();
  printf("%s %d %lld %lld %d\n", name, requests, begun, now_ns(), missing(words));
}

int main(int argc, char** argv) {
  armci_msg_init(&argc, &argv);
  ARMCI_Init();
  const int me = armci_msg_me(), bytes = requests * rows * stride;
  pieces = calloc((size_t)armci_msg_nproc(), sizeof(void*));
  local = calloc(1, (size_t)bytes);
  if (pieces == NULL || local == NULL || ARMCI_Malloc(pieces, (armci_size_t)bytes) != 0)
    ARMCI_Error("there is no memory", 1);
  for (int i = 0; i < requests * rows; ++i) *(long long*)((char*)pieces[me] + i * stride) = i;
  ARMCI_Barrier();
  if (me == 0) {
    explicit_gets(); /* what is asked once, before the first transfer, is asked now */
    run("sections", requests * rows, sections_of_an_aggregate);
    run("lists", requests * rows, lists_of_an_aggregate);
    run("words", requests, words_of_an_aggregate);
    run("explicit", requests, explicit_gets);
  }
  ARMCI_Barrier();
  ARMCI_Free(pieces[me]);
  free(pieces);
  free(local);
  ARMCI_Finalize();
  armci_msg_finalize();
  return 0;
}
