#include "harness.h"

static void a_message_goes_round_the_ring(void) {
  int token = 1, length = 0;
  if (nproc == 1) return;
  if (me == 0) {
    armci_msg_snd(5, &token, sizeof token, 1);
    armci_msg_rcv(5, &token, sizeof token, &length, nproc - 1);
    CHECK_EQUAL(token, nproc);
  } else {
    armci_msg_rcv(5, &token, sizeof token, &length, me - 1);
    CHECK_EQUAL(token, me);
    ++token;
    armci_msg_snd(5, &token, sizeof token, right_of(me));
  }
  CHECK_EQUAL(length, sizeof token);
}

static void tags_are_told_apart_and_order_is_kept(void) {
  if (nproc == 1) return;
  int value;
  for (int i = 0; i < 10; ++i) {
    armci_msg_snd(1, &i, sizeof i, right_of(me));
    const int other = 100 + i;
    armci_msg_snd(2, (void*)&other, sizeof other, right_of(me));
  }
  for (int i = 0; i < 10; ++i) {
    armci_msg_rcv(2, &value, sizeof value, NULL, left_of(me));
    CHECK_EQUAL(value, 100 + i);
  }
  for (int i = 0; i < 10; ++i) {
    armci_msg_rcv(1, &value, sizeof value, NULL, left_of(me));
    CHECK_EQUAL(value, i);
  }
}

static void long_and_empty_messages_arrive(void) {
  enum { bytes = 3000000 };
  if (nproc == 1) return;
  char* data = malloc(bytes);
  int length = -1;
  if (me == 0) {
    for (int i = 0; i < bytes; ++i) data[i] = (char)(i % 251);
    armci_msg_snd(3, data, bytes, 1);
    armci_msg_snd(3, NULL, 0, 1);
  }
  if (me == 1) {
    armci_msg_rcv(3, data, bytes, &length, 0);
    CHECK_EQUAL(length, bytes);
    int wrong = 0;
    for (int i = 0; i < bytes; ++i) wrong += data[i] != (char)(i % 251);
    CHECK_EQUAL(wrong, 0);
    armci_msg_rcv(3, data, bytes, &length, 0);
    CHECK_EQUAL(length, 0);
  }
  free(data);
}

static void a_shorter_message_says_its_length(void) {
  char buffer[100];
  int length = 0;
  armci_msg_snd(9, "four", 4, me); /* to myself */
  armci_msg_rcv(9, buffer, sizeof buffer, &length, me);
  CHECK_EQUAL(length, 4);
  CHECK(memcmp(buffer, "four", 4) == 0);
}

static void receive_from_any_says_from_whom(void) {
  if (me != 0) {
    int value = 10 * me;
    armci_msg_snd(7, &value, sizeof value, 0);
    return;
  }
  int sum = 0;
  for (int i = 1; i < nproc; ++i) {
    int value = 0, length = 0;
    const int from = armci_msg_rcvany(7, &value, sizeof value, &length);
    CHECK_EQUAL(value, 10 * from);
    CHECK_EQUAL(length, sizeof value);
    sum += from;
  }
  CHECK_EQUAL(sum, nproc * (nproc - 1) / 2);
}

const test_case message_tests[] = {
    {"a message goes round the ring", a_message_goes_round_the_ring},
    {"tags are told apart and order is kept", tags_are_told_apart_and_order_is_kept},
    {"long and empty messages arrive", long_and_empty_messages_arrive},
    {"a shorter message says its length", a_shorter_message_says_its_length},
    {"receive from any says from whom", receive_from_any_says_from_whom},
    {NULL, NULL},
};
