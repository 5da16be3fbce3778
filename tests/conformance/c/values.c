#include "harness.h"

static void values_of_every_type_are_put_and_got(void) {
  struct all {
    int i;
    long l;
    float f;
    double d;
  };
  pieces p = make_pieces(sizeof(struct all));
  struct all* to = p.at[right_of(me)];
  CHECK_EQUAL(ARMCI_PutValueInt(-1 - me, &to->i, right_of(me)), 0);
  CHECK_EQUAL(ARMCI_PutValueLong(1L << 40 | me, &to->l, right_of(me)), 0);
  CHECK_EQUAL(ARMCI_PutValueFloat(0.5f + (float)me, &to->f, right_of(me)), 0);
  CHECK_EQUAL(ARMCI_PutValueDouble(0.25 + me, &to->d, right_of(me)), 0);
  ARMCI_Barrier();
  const struct all* own = mine(p);
  const int left = left_of(me);
  CHECK_EQUAL(own->i, -1 - left);
  CHECK_EQUAL(own->l, 1L << 40 | left);
  CHECK_EQUAL(own->f, 0.5 + left);
  CHECK_EQUAL(own->d, 0.25 + left);
  CHECK_EQUAL(ARMCI_GetValueInt(&to->i, right_of(me)), -1 - me);
  CHECK_EQUAL(ARMCI_GetValueLong(&to->l, right_of(me)), 1L << 40 | me);
  CHECK_EQUAL(ARMCI_GetValueFloat(&to->f, right_of(me)), 0.5 + me);
  CHECK_EQUAL(ARMCI_GetValueDouble(&to->d, right_of(me)), 0.25 + me);
  drop(p);
}

static void values_are_put_without_blocking(void) {
  pieces p = make_pieces(4 * sizeof(double));
  char* to = p.at[right_of(me)];
  armci_hdl_t handle;
  ARMCI_INIT_HANDLE(&handle);
  CHECK_EQUAL(ARMCI_NbPutValueInt(3, to, right_of(me), &handle), 0);
  CHECK_EQUAL(ARMCI_NbPutValueLong(4, to + 8, right_of(me), &handle), 0);
  CHECK_EQUAL(ARMCI_NbPutValueFloat(5, to + 16, right_of(me), NULL), 0);
  CHECK_EQUAL(ARMCI_NbPutValueDouble(6, to + 24, right_of(me), NULL), 0);
  CHECK_EQUAL(ARMCI_Wait(&handle), 0);
  CHECK_EQUAL(ARMCI_WaitAll(), 0);
  ARMCI_Barrier();
  const char* own = mine(p);
  CHECK_EQUAL(*(const int*)own, 3);
  CHECK_EQUAL(*(const long*)(own + 8), 4);
  CHECK_EQUAL(*(const float*)(own + 16), 5);
  CHECK_EQUAL(*(const double*)(own + 24), 6);
  drop(p);
}

static void values_may_lie_at_any_address(void) {
  pieces p = make_pieces(16);
  char* to = (char*)p.at[right_of(me)] + 3;
  CHECK_EQUAL(ARMCI_PutValueLong(me + 11, to, right_of(me)), 0);
  CHECK_EQUAL(ARMCI_GetValueLong(to, right_of(me)), me + 11);
  drop(p);
}

static void a_value_may_be_private_memory_of_mine(void) {
  double d = 1;
  CHECK_EQUAL(ARMCI_PutValueDouble(2, &d, me), 0);
  CHECK_EQUAL(d, 2);
  CHECK_EQUAL(ARMCI_GetValueDouble(&d, me), 2);
}

const test_case value_tests[] = {
    {"values of every type are put and got", values_of_every_type_are_put_and_got},
    {"values are put without blocking", values_are_put_without_blocking},
    {"values may lie at any address", values_may_lie_at_any_address},
    {"a value may be private memory of mine", a_value_may_be_private_memory_of_mine},
    {NULL, NULL},
};
