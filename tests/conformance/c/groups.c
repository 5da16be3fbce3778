#include "harness.h"

static int rank_in(ARMCI_Group* group) {
  int rank = -2;
  const int code = ARMCI_Group_rank(group, &rank);
  CHECK_EQUAL(code != 0, rank < 0);
  return rank;
}

static int size_of(ARMCI_Group* group) {
  int size = -2;
  ARMCI_Group_size(group, &size);
  return size;
}

/* The processes with even numbers, largest first; created by its members only. */
static ARMCI_Group make_evens(void) {
  ARMCI_Group evens;
  int ids[64], size = 0;
  for (int proc = nproc - 1; proc >= 0; --proc)
    if (proc % 2 == 0) ids[size++] = proc;
  if (me % 2 == 0) ARMCI_Group_create(size, ids, &evens);
  return evens;
}

static void the_world_has_everybody(void) {
  ARMCI_Group world;
  ARMCI_Group_get_world(&world);
  CHECK_EQUAL(rank_in(&world), me);
  CHECK_EQUAL(size_of(&world), nproc);
  for (int proc = 0; proc < nproc; ++proc) CHECK_EQUAL(ARMCI_Absolute_id(&world, proc), proc);
  ARMCI_Group_free(&world);
  CHECK_EQUAL(size_of(&world), nproc); /* it cannot be freed */
}

static void a_group_is_created_by_its_members_only(void) {
  if (me % 2 == 0) {
    ARMCI_Group evens = make_evens();
    const int size = (nproc + 1) / 2;
    CHECK_EQUAL(size_of(&evens), size);
    CHECK_EQUAL(rank_in(&evens), size - 1 - me / 2);
    for (int i = 0; i < size; ++i) CHECK_EQUAL(ARMCI_Absolute_id(&evens, i), 2 * (size - 1 - i));
    ARMCI_Group_free(&evens);
  }
  ARMCI_Barrier();
}

static void who_is_not_in_the_list_may_call_too(void) {
  ARMCI_Group group;
  int ids[1] = {nproc - 1};
  ARMCI_Group_create(1, ids, &group);
  CHECK_EQUAL(rank_in(&group), me == nproc - 1 ? 0 : -1);
  CHECK_EQUAL(size_of(&group), me == nproc - 1 ? 1 : 0);
  ARMCI_Group_free(&group);
}

static void a_childs_ids_are_those_of_the_parent(void) {
  if (me % 2 == 0) {
    ARMCI_Group evens = make_evens(), first;
    int ids[1] = {0}; /* the largest even process */
    ARMCI_Group_create_child(1, ids, &first, &evens);
    const int largest = (nproc - 1) / 2 * 2;
    CHECK_EQUAL(rank_in(&first), me == largest ? 0 : -1);
    if (me == largest) CHECK_EQUAL(ARMCI_Absolute_id(&first, 0), largest);
    ARMCI_Group_free(&first);
    ARMCI_Group_free(&evens);
  }
  ARMCI_Barrier();
}

static void the_default_group_is_the_parent_of_those_created(void) {
  ARMCI_Group fallback, world;
  ARMCI_Group_get_world(&world);
  if (me % 2 == 0) {
    ARMCI_Group evens = make_evens(), group;
    ARMCI_Group_set_default(&evens);
    ARMCI_Group_get_default(&fallback);
    CHECK_EQUAL(size_of(&fallback), (nproc + 1) / 2);
    int ids[1] = {0};
    ARMCI_Group_create(1, ids, &group);
    CHECK_EQUAL(size_of(&group), rank_in(&evens) == 0);
    if (me % 4 == 0) ARMCI_Group_set_default(&world);
    ARMCI_Group_free(&group);
    ARMCI_Group_free(&evens); /* where it is the default group still, the world takes its place */
  }
  ARMCI_Group_get_default(&fallback);
  CHECK_EQUAL(size_of(&fallback), nproc);
  ARMCI_Barrier();
}

static void split_makes_one_group_for_each_color(void) {
  ARMCI_Group world, half, none;
  ARMCI_Group_get_world(&world);
  CHECK_EQUAL(ARMCIX_Group_split(&world, me % 2, -me, &half), 0);
  const int size = (nproc + 1 - me % 2) / 2;
  CHECK_EQUAL(size_of(&half), size);
  CHECK_EQUAL(rank_in(&half), size - 1 - me / 2);
  CHECK_EQUAL(ARMCI_Absolute_id(&half, rank_in(&half)), me);
  CHECK_EQUAL(ARMCIX_Group_split(&world, -1, 0, &none), 0);
  CHECK_EQUAL(rank_in(&none), -1);
  ARMCI_Group_free(&half);
  ARMCI_Group_free(&none);
}

static void a_duplicate_outlives_the_original(void) {
  ARMCI_Group world, half, copy;
  ARMCI_Group_get_world(&world);
  ARMCIX_Group_split(&world, me % 2, me, &half);
  CHECK_EQUAL(ARMCIX_Group_dup(&half, &copy), 0);
  ARMCI_Group_free(&half);
  int sum = 1;
  armci_msg_group_igop(&sum, 1, "+", &copy);
  CHECK_EQUAL(sum, size_of(&copy));
  ARMCI_Group_free(&copy);
}

static void a_group_has_memory_of_its_own(void) {
  if (me % 2 == 0) {
    ARMCI_Group evens = make_evens();
    const int size = size_of(&evens), rank = rank_in(&evens);
    void* at[64];
    CHECK_EQUAL(ARMCI_Malloc_group(at, sizeof(int), &evens), 0);
    const int next = (rank + 1) % size, value = me + 1;
    CHECK_EQUAL(ARMCI_Put((void*)&value, at[next], sizeof value, ARMCI_Absolute_id(&evens, next)),
                0);
    ARMCI_AllFence();
    armci_msg_group_barrier(&evens);
    CHECK_EQUAL(*(int*)at[rank], ARMCI_Absolute_id(&evens, (rank + size - 1) % size) + 1);
    CHECK_EQUAL(ARMCI_Free_group(at[rank], &evens), 0);
    ARMCI_Group_free(&evens);
  }
  ARMCI_Barrier();
}

static void collectives_stay_within_the_group(void) {
  if (me % 2 == 0) {
    ARMCI_Group evens = make_evens();
    const int size = size_of(&evens);
    int sum = me, data = me;
    long product = 2;
    double largest = me;
    armci_msg_group_igop(&sum, 1, "+", &evens);
    armci_msg_group_lgop(&product, 1, "*", &evens);
    armci_msg_group_dgop(&largest, 1, "max", &evens);
    CHECK_EQUAL(sum, size * (size - 1));
    CHECK_EQUAL(product, 1L << size);
    CHECK_EQUAL(largest, (nproc - 1) / 2 * 2);
    armci_msg_group_bcast_scope(SCOPE_ALL, &data, sizeof data, 0, &evens); /* job-wide root */
    CHECK_EQUAL(data, 0);
    armci_msg_group_barrier(&evens);
    ARMCI_Group_free(&evens);
  }
  ARMCI_Barrier();
}

static void groups_may_be_copied_like_any_struct(void) {
  ARMCI_Group world, half, copy;
  ARMCI_Group_get_world(&world);
  ARMCIX_Group_split(&world, me % 2, me, &half);
  copy = half;
  memset(&half, 0, sizeof half);
  CHECK_EQUAL(size_of(&copy), (nproc + 1 - me % 2) / 2);
  ARMCI_Group_free(&copy);
}

static void no_byte_beyond_the_smallest_flavour_is_written(void) {
  union {
    ARMCI_Group group;
    unsigned char bytes[sizeof(ARMCI_Group)];
  } u;
  memset(&u, 0xa5, sizeof u);
  ARMCI_Group_get_world(&u.group);
  for (size_t i = 32; i < sizeof u; ++i) CHECK_EQUAL(u.bytes[i], 0xa5);
}

static void a_program_may_create_many_groups(void) {
  ARMCI_Group world;
  ARMCI_Group_get_world(&world);
  for (int i = 0; i < 200; ++i) {
    ARMCI_Group group;
    ARMCIX_Group_split(&world, (me + i) % 2, me, &group);
    armci_msg_group_barrier(&group);
    ARMCI_Group_free(&group);
  }
}

const test_case group_tests[] = {
    {"the world has everybody", the_world_has_everybody},
    {"a group is created by its members only", a_group_is_created_by_its_members_only},
    {"who is not in the list may call too", who_is_not_in_the_list_may_call_too},
    {"a child's ids are those of the parent", a_childs_ids_are_those_of_the_parent},
    {"the default group is the parent of those created",
     the_default_group_is_the_parent_of_those_created},
    {"split makes one group for each color", split_makes_one_group_for_each_color},
    {"a duplicate outlives the original", a_duplicate_outlives_the_original},
    {"a group has memory of its own", a_group_has_memory_of_its_own},
    {"collectives stay within the group", collectives_stay_within_the_group},
    {"groups may be copied like any struct", groups_may_be_copied_like_any_struct},
    {"no byte beyond the smallest flavour is written",
     no_byte_beyond_the_smallest_flavour_is_written},
    {"a program may create many groups", a_program_may_create_many_groups},
    {NULL, NULL},
};
