/* Packing and walking sections: no communication. */
#include "harness.h"

static void write_packs_a_section_and_read_unpacks_it(void) {
  int matrix[5][7], copy[5][7];
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 7; ++j) matrix[i][j] = 10 * i + j;
  memset(copy, 0, sizeof copy);
  int stride[1] = {sizeof matrix[0]}, count[2] = {3 * sizeof(int), 4};
  int dense[12];
  armci_write_strided(&matrix[1][2], 1, stride, count, (char*)dense);
  for (int k = 0; k < 12; ++k) CHECK_EQUAL(dense[k], 10 * (1 + k / 3) + 2 + k % 3);
  armci_read_strided(&copy[1][2], 1, stride, count, (char*)dense);
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 7; ++j)
      CHECK_EQUAL(copy[i][j], i >= 1 && j >= 2 && j < 5 ? matrix[i][j] : 0);
}

static void a_contiguous_section_has_one_segment(void) {
  char from[4] = "abc", to[4] = "";
  int count[1] = {4};
  armci_write_strided(from, 0, NULL, count, to);
  CHECK(strcmp(to, "abc") == 0);
}

static void the_walk_visits_every_segment_in_order(void) {
  char base[1000];
  const int stride[2] = {10, 200}, count[3] = {4, 3, 2};
  stride_info_t info;
  armci_stride_info_init(&info, base, 2, stride, count);
  CHECK_EQUAL(armci_stride_info_size(&info), 6);
  CHECK_EQUAL(armci_stride_info_count(&info), 6);
  CHECK_EQUAL(armci_stride_info_seg_size(&info), 4);
  int visited = 0;
  for (; armci_stride_info_has_more(&info); armci_stride_info_next(&info)) {
    const int offset = visited % 3 * 10 + visited / 3 * 200;
    CHECK_EQUAL(armci_stride_info_pos(&info), visited);
    CHECK_EQUAL(armci_stride_info_seg_off(&info), offset);
    CHECK(armci_stride_info_seg_ptr(&info) == base + offset);
    ++visited;
  }
  CHECK_EQUAL(visited, 6);
  armci_stride_info_destroy(&info);
}

static void an_empty_section_has_no_segments(void) {
  char base[1];
  const int stride[1] = {8}, count[2] = {8, 0};
  stride_info_t info;
  armci_stride_info_init(&info, base, 1, stride, count);
  CHECK(!armci_stride_info_has_more(&info));
}

const test_case section_tests[] = {
    {"write packs a section and read unpacks it", write_packs_a_section_and_read_unpacks_it},
    {"a contiguous section has one segment", a_contiguous_section_has_one_segment},
    {"the walk visits every segment in order", the_walk_visits_every_segment_in_order},
    {"an empty section has no segments", an_empty_section_has_no_segments},
    {NULL, NULL},
};
