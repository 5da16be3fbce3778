#include "harness.h"

/* Process p contributes this at i, of both signs; few and small factors, that a product of 64
   fits an int. */
static int given(const char* op, int p, int i) {
  const int sign = i % 2 ? -1 : 1;
  if (strcmp(op, "*") == 0) return sign * (p % 8 == 3 ? 3 : p % 4 == 0 ? 2 : 1);
  return (p + 1) * sign + i;
}

static char* const ops[] = {"+", "*", "max", "min", "absmax", "absmin"};

/* x and the next number; the first one of all has none before it. */
static double with(const char* op, int has_x, double x, double y) {
  if (strncmp(op, "abs", 3) == 0 && y < 0) y = -y;
  if (!has_x) return y;
  if (strcmp(op, "+") == 0) return x + y;
  if (strcmp(op, "*") == 0) return x * y;
  return (strstr(op, "max") != NULL) == (y > x) ? y : x;
}

/* Over all processes, or over those of this node. */
static double expected(const char* op, int i, int scope) {
  const int first = scope == SCOPE_ALL ? 0 : armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, -1, 0);
  double x = with(op, 0, 0, given(op, first, i));
  for (int p = first + 1; p < nproc; ++p)
    if (scope != SCOPE_NODE || ARMCI_Same_node(p)) x = with(op, 1, x, given(op, p, i));
  return x;
}

enum { count = 10 };

#define CHECK_TYPE(c_type, gop, op, scope)                                     \
  do {                                                                         \
    c_type x[count];                                                           \
    for (int i = 0; i < count; ++i) x[i] = (c_type)given(op, me, i);           \
    gop(x, count, op);                                                         \
    for (int i = 0; i < count; ++i) CHECK_EQUAL(x[i], expected(op, i, scope)); \
  } while (0)

static void sums_and_extremes_of_every_type(void) {
  for (size_t k = 0; k < sizeof ops / sizeof *ops; ++k) {
    CHECK_TYPE(int, armci_msg_igop, ops[k], SCOPE_ALL);
    CHECK_TYPE(long, armci_msg_lgop, ops[k], SCOPE_ALL);
    CHECK_TYPE(long long, armci_msg_llgop, ops[k], SCOPE_ALL);
    CHECK_TYPE(float, armci_msg_fgop, ops[k], SCOPE_ALL);
    CHECK_TYPE(double, armci_msg_dgop, ops[k], SCOPE_ALL);
    CHECK_TYPE(int, armci_msg_clus_igop, ops[k], SCOPE_NODE);
    CHECK_TYPE(long, armci_msg_clus_lgop, ops[k], SCOPE_NODE);
    CHECK_TYPE(long long, armci_msg_clus_llgop, ops[k], SCOPE_NODE);
    CHECK_TYPE(float, armci_msg_clus_fgop, ops[k], SCOPE_NODE);
    CHECK_TYPE(double, armci_msg_clus_dgop, ops[k], SCOPE_NODE);
  }
}

/* Over those of a group that are on this node, or over all of it. */
static double expected_of_group(const char* op, int i, ARMCI_Group* group, int scope) {
  int size, first = 1;
  double x = 0;
  ARMCI_Group_size(group, &size);
  for (int member = 0; member < size; ++member) {
    const int p = ARMCI_Absolute_id(group, member);
    if (scope == SCOPE_NODE && !ARMCI_Same_node(p)) continue;
    x = first ? with(op, 0, 0, given(op, p, i)) : with(op, 1, x, given(op, p, i));
    first = 0;
  }
  return x;
}

#define CHECK_GROUP(c_type, type, gop, op, group)                           \
  do {                                                                      \
    c_type x[count], y[count];                                              \
    for (int i = 0; i < count; ++i) x[i] = y[i] = (c_type)given(op, me, i); \
    gop(x, count, op, group);                                               \
    armci_msg_group_gop_scope(SCOPE_NODE, y, count, op, type, group);       \
    for (int i = 0; i < count; ++i) {                                       \
      CHECK_EQUAL(x[i], expected_of_group(op, i, group, SCOPE_ALL));        \
      CHECK_EQUAL(y[i], expected_of_group(op, i, group, SCOPE_NODE));       \
    }                                                                       \
  } while (0)

/* Two groups at the same time: numbers backwards, of every second process. */
static void groups_reduce_every_type(void) {
  ARMCI_Group world, half;
  int rank, first;
  ARMCI_Group_get_world(&world);
  CHECK_EQUAL(ARMCIX_Group_split(&world, me % 2, -me, &half), 0);
  for (size_t k = 0; k < sizeof ops / sizeof *ops; ++k) {
    CHECK_GROUP(int, ARMCI_INT, armci_msg_group_igop, ops[k], &half);
    CHECK_GROUP(long, ARMCI_LONG, armci_msg_group_lgop, ops[k], &half);
    CHECK_GROUP(long long, ARMCI_LONG_LONG, armci_msg_group_llgop, ops[k], &half);
    CHECK_GROUP(float, ARMCI_FLOAT, armci_msg_group_fgop, ops[k], &half);
    CHECK_GROUP(double, ARMCI_DOUBLE, armci_msg_group_dgop, ops[k], &half);
  }
  ARMCI_Group_rank(&half, &rank);
  first = ARMCI_Absolute_id(&half, 0);
  rank += 100 * (me == first);
  armci_msg_group_bcast_scope(SCOPE_MASTERS, &rank, sizeof rank, first,
                              &half); /* to each node's first */
  armci_msg_group_igop(&rank, 1, "max", &half);
  CHECK_EQUAL(rank, 100);
  ARMCI_Group_free(&half);
}

static void members_exchange_addresses(void) {
  ARMCI_Group world, half;
  void* at[64];
  int rank, size;
  ARMCI_Group_get_world(&world);
  ARMCIX_Group_split(&world, me % 2, -me, &half);
  ARMCI_Group_rank(&half, &rank);
  ARMCI_Group_size(&half, &size);
  memset(at, 0, sizeof at);
  at[rank] = (void*)(size_t)(1000 + me);
  armci_exchange_address_grp(at, size, &half);
  for (int member = 0; member < size; ++member)
    CHECK(at[member] == (void*)(size_t)(1000 + ARMCI_Absolute_id(&half, member)));
  ARMCI_Group_free(&half);
}

static void bits_and_truth_of_integers(void) {
  const int mine = 1 << me % 16, every = (1 << (nproc < 16 ? nproc : 16)) - 1;
  int bits = mine, common = ~mine, all = 1, any = me == 0, not_all = me != 0;
  long wide = (long)mine << 40;
  long long widest = (long long)mine << 45;
  armci_msg_igop(&bits, 1, "or");
  CHECK_EQUAL(bits, every);
  bits = mine;
  armci_msg_igop(&bits, 1, "|");
  CHECK_EQUAL(bits, every);
  armci_msg_igop(&common, 1, "&");
  CHECK_EQUAL(common, ~every);
  armci_msg_igop(&all, 1, "&&");
  armci_msg_igop(&not_all, 1, "&&");
  armci_msg_igop(&any, 1, "||");
  CHECK(all == 1 && not_all == 0 && any == 1);
  armci_msg_lgop(&wide, 1, "or");
  CHECK_EQUAL(wide, (long)every << 40);
  armci_msg_llgop(&widest, 1, "|");
  CHECK_EQUAL(widest, (long long)every << 45);
}

static void long_arrays_are_reduced(void) {
  enum { many = 100000 };
  double* x = malloc(many * sizeof *x);
  for (int i = 0; i < many; ++i) x[i] = me + i;
  armci_msg_dgop(x, many, "+");
  int wrong = 0;
  for (int i = 0; i < many; ++i) wrong += x[i] != nproc * (nproc - 1) / 2 + (double)nproc * i;
  CHECK_EQUAL(wrong, 0);
  free(x);
}

static void everybody_gets_the_same_bits(void) {
  double x = 0.1 * (me + 1), low, high;
  armci_msg_dgop(&x, 1, "+");
  low = high = x;
  armci_msg_dgop(&low, 1, "min");
  armci_msg_dgop(&high, 1, "max");
  CHECK(low == high);
}

static void a_reduction_ends_at_the_first(void) {
  int x = me + 1;
  armci_msg_reduce(&x, 1, "+", ARMCI_INT);
  if (me == 0) CHECK_EQUAL(x, nproc * (nproc + 1) / 2);
  double y = me;
  armci_msg_reduce_scope(SCOPE_NODE, &y, 1, "max", ARMCI_DOUBLE);
  const int here = armci_domain_nprocs(ARMCI_DOMAIN_SMP, -1);
  if (me == 0) CHECK_EQUAL(y, armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, -1, here - 1));
}

static void scopes_choose_who_takes_part(void) {
  int all = 1, node = 1, masters = 1;
  armci_msg_gop_scope(SCOPE_ALL, &all, 1, "+", ARMCI_INT);
  armci_msg_gop_scope(SCOPE_NODE, &node, 1, "+", ARMCI_INT);
  armci_msg_gop_scope(SCOPE_MASTERS, &masters, 1, "+", ARMCI_INT);
  CHECK_EQUAL(all, nproc);
  CHECK_EQUAL(node, armci_domain_nprocs(ARMCI_DOMAIN_SMP, -1));
  const int first = armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, -1, 0);
  CHECK_EQUAL(masters, me == first ? armci_domain_count(ARMCI_DOMAIN_SMP) : 1);
}

static void a_broadcast_carries_any_bytes_from_any_root(void) {
  for (int root = 0; root < nproc; ++root) {
    char text[1000];
    memset(text, me == root ? 'a' + root % 26 : '-', sizeof text);
    if (root % 2)
      armci_msg_bcast(text, sizeof text, root);
    else
      armci_msg_brdcst(text, sizeof text, root);
    for (size_t i = 0; i < sizeof text; i += 333) CHECK_EQUAL(text[i], 'a' + root % 26);
    int number = me == root ? 77 : 0;
    armci_msg_bcast_scope(SCOPE_ALL, &number, sizeof number, root);
    CHECK_EQUAL(number, 77);
  }
  int first = me == armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, -1, 0) ? 5 : 0; /* of the node */
  armci_msg_clus_brdcst(&first, sizeof first);
  CHECK_EQUAL(first, 5);
}

static void the_tree_connects_everybody(void) {
  int root, up, left, right;
  armci_msg_bintree(SCOPE_ALL, &root, &up, &left, &right);
  CHECK_EQUAL(root, 0);
  CHECK_EQUAL(up < 0, me == root);
  /* Each child's parent is who thinks so. */
  int* parent = calloc((size_t)nproc, sizeof(int));
  if (left >= 0) parent[left] = me + 1;
  if (right >= 0) parent[right] = me + 1;
  armci_msg_igop(parent, nproc, "+");
  CHECK_EQUAL(parent[me], up + 1);
  free(parent);
}

static void addresses_are_exchanged(void) {
  void* at[64];
  int here = me;
  memset(at, 0, sizeof at);
  at[me] = (void*)(size_t)(1000 + here);
  armci_exchange_address(at, nproc);
  for (int proc = 0; proc < nproc; ++proc) CHECK(at[proc] == (void*)(size_t)(1000 + proc));
}

/* Nobody else is needed when a scope is first used: those who are not of it wait elsewhere. */
static void a_scope_is_used_by_its_members_alone(void) {
  const int first = armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, -1, 0);
  const int here = armci_domain_nprocs(ARMCI_DOMAIN_SMP, -1);
  const int nodes = armci_domain_count(ARMCI_DOMAIN_SMP);
  int root = -2, up, left, right, node = 1, masters = 1;
  if (me == nproc - 1) {
    armci_msg_bintree(SCOPE_NODE, &root, &up, &left, &right);
    CHECK_EQUAL(root, first);
    CHECK_EQUAL(up < 0, me == first);
  }
  ARMCI_Barrier();
  ARMCI_Group world, group;
  ARMCI_Group_get_world(&world);
  CHECK_EQUAL(ARMCIX_Group_dup(&world, &group), 0);
  if (armci_domain_my_id(ARMCI_DOMAIN_SMP) == nodes - 1) {
    armci_msg_group_gop_scope(SCOPE_NODE, &node, 1, "+", ARMCI_INT, &group);
    CHECK_EQUAL(node, here);
  }
  ARMCI_Barrier();
  if (me == first) {
    armci_msg_group_gop_scope(SCOPE_MASTERS, &masters, 1, "+", ARMCI_INT, &group);
    CHECK_EQUAL(masters, nodes);
  }
  ARMCI_Group_free(&group);
}

const test_case collective_tests[] = {
    {"a scope is used by its members alone", a_scope_is_used_by_its_members_alone},
    {"sums and extremes of every type", sums_and_extremes_of_every_type},
    {"groups reduce every type", groups_reduce_every_type},
    {"members exchange addresses", members_exchange_addresses},
    {"bits and truth of integers", bits_and_truth_of_integers},
    {"long arrays are reduced", long_arrays_are_reduced},
    {"everybody gets the same bits", everybody_gets_the_same_bits},
    {"a reduction ends at the first", a_reduction_ends_at_the_first},
    {"scopes choose who takes part", scopes_choose_who_takes_part},
    {"a broadcast carries any bytes from any root", a_broadcast_carries_any_bytes_from_any_root},
    {"the tree connects everybody", the_tree_connects_everybody},
    {"addresses are exchanged", addresses_are_exchanged},
    {NULL, NULL},
};
