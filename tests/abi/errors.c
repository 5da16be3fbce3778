/* Transfers to memory that nobody shares, each kind from one place that is passed three times: it
   says so once, and returns -6 three times. `errors KIND` makes one of them alone. */
#include <armci.h>
#include <message.h>
#include <stdio.h>
#include <string.h>

static double private_memory[8], local[8], scale = 1;
static int stride[1] = {16}, count[2] = {8, 2};
static void *here[1] = {local}, *elsewhere[1] = {private_memory};
static armci_giov_t there = {here, elsewhere, 8, 1}, back = {elsewhere, here, 8, 1};

#define S stride, private_memory, stride, count, 1
#define B stride, local, stride, count, 1
#define KINDS(X)                                                                     \
  X(Put, ARMCI_Put(local, private_memory, 8, to))                                    \
  X(Get, ARMCI_Get(private_memory, local, 8, to))                                    \
  X(Acc, ARMCI_Acc(ARMCI_ACC_DBL, &scale, local, private_memory, 8, to))             \
  X(NbPut, ARMCI_NbPut(local, private_memory, 8, to, NULL))                          \
  X(NbGet, ARMCI_NbGet(private_memory, local, 8, to, NULL))                          \
  X(NbAcc, ARMCI_NbAcc(ARMCI_ACC_DBL, &scale, local, private_memory, 8, to, NULL))   \
  X(Put_flag, ARMCI_Put_flag(local, private_memory, 8, (int*)private_memory, 1, to)) \
  X(PutS, ARMCI_PutS(local, S, to))                                                  \
  X(GetS, ARMCI_GetS(private_memory, B, to))                                         \
  X(AccS, ARMCI_AccS(ARMCI_ACC_DBL, &scale, local, S, to))                           \
  X(NbPutS, ARMCI_NbPutS(local, S, to, NULL))                                        \
  X(NbGetS, ARMCI_NbGetS(private_memory, B, to, NULL))                               \
  X(NbAccS, ARMCI_NbAccS(ARMCI_ACC_DBL, &scale, local, S, to, NULL))                 \
  X(PutS_flag, ARMCI_PutS_flag(local, S, (int*)private_memory, 1, to))               \
  X(PutS_flag_dir, ARMCI_PutS_flag_dir(local, S, (int*)private_memory, 1, to))       \
  X(PutV, ARMCI_PutV(&there, 1, to))                                                 \
  X(GetV, ARMCI_GetV(&back, 1, to))                                                  \
  X(AccV, ARMCI_AccV(ARMCI_ACC_DBL, &scale, &there, 1, to))                          \
  X(NbPutV, ARMCI_NbPutV(&there, 1, to, NULL))                                       \
  X(NbGetV, ARMCI_NbGetV(&back, 1, to, NULL))                                        \
  X(NbAccV, ARMCI_NbAccV(ARMCI_ACC_DBL, &scale, &there, 1, to, NULL))                \
  X(PutValueInt, ARMCI_PutValueInt(1, private_memory, to))                           \
  X(PutValueLong, ARMCI_PutValueLong(1, private_memory, to))                         \
  X(PutValueFloat, ARMCI_PutValueFloat(1, private_memory, to))                       \
  X(PutValueDouble, ARMCI_PutValueDouble(1, private_memory, to))                     \
  X(NbPutValueInt, ARMCI_NbPutValueInt(1, private_memory, to, NULL))                 \
  X(NbPutValueLong, ARMCI_NbPutValueLong(1, private_memory, to, NULL))               \
  X(NbPutValueFloat, ARMCI_NbPutValueFloat(1, private_memory, to, NULL))             \
  X(NbPutValueDouble, ARMCI_NbPutValueDouble(1, private_memory, to, NULL))           \
  X(Rmw, ARMCI_Rmw(ARMCI_FETCH_AND_ADD, local, private_memory, 1, to))

#define DEFINE(kind, transfer)                             \
  static void make_##kind(int to, int* codes, int times) { \
    for (int i = 0; i < times; ++i) codes[i] = transfer;   \
  }
KINDS(DEFINE)

#define LIST(kind, transfer) {"ARMCI_" #kind, make_##kind},
static const struct {
  const char* name;
  void (*make)(int to, int* codes, int times);
} kinds[] = {KINDS(LIST)};

int main(int argc, char** argv) {
  if (ARMCI_Init_args(&argc, &argv) != 0) return 2;
  const int to = (armci_msg_me() + 1) % armci_msg_nproc();
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
    int codes[3] = {0, 0, 0};
    if (argc > 1 && strcmp(argv[1], kinds[k].name) != 0) continue;
    kinds[k].make(to, codes, 3);
    if (armci_msg_me() == 0) printf("%s %d %d %d\n", kinds[k].name, codes[0], codes[1], codes[2]);
  }
  ARMCI_Finalize();
  return 0;
}
