/* The entries of the interface that have nothing to do with accessors, called as the compiler calls
   them: `sync`, collectives, atomics, locks, events, teams, and images that stop or fail. */
#include <stdlib.h>
#include <string.h>

#include "compiler.h"
#include "parts.h"
#include "require.h"

static Token word_token, lock_token, event_token;
static int* word;

static Array number(int* base) {
  Array array = {base, 0, 4, 0, 0, INTEGER, 0, 4, {{0, 0, 0}}};
  return array;
}

/* integer function operation(a, b) */
static int greater(const int* a, const int* b) { return *a > *b ? *a : *b; }

static void collectives(int me, int images) {
  int value = me;
  const Array of_value = number(&value);
  int stat = 5;
  _gfortran_caf_co_sum(&of_value, 0, &stat, NULL, 0);
  REQUIRE(stat == 0 && value == images * (images + 1) / 2);
  value = me;
  _gfortran_caf_co_max(&of_value, 0, NULL, NULL, 0, 0);
  REQUIRE(value == images);
  value = me;
  _gfortran_caf_co_min(&of_value, 0, NULL, NULL, 0, 0);
  REQUIRE(value == 1);
  value = 10 * me;
  _gfortran_caf_co_broadcast(&of_value, images, NULL, NULL, 0);
  REQUIRE(value == 10 * images);
  value = -me;
  _gfortran_caf_co_reduce(&of_value, (void (*)(void))greater, 0, 1, NULL, NULL, 0, 0);
  REQUIRE(me != 1 || value == -1);
}

static void atomics(int me, int images) {
  int value = 3, old = -1, compare = 3, desired = 40;
  if (me == 1) _gfortran_caf_atomic_define(word_token, 0, images, &value, NULL, INTEGER, 4);
  sync_all();
  _gfortran_caf_atomic_ref(word_token, 0, images, &old, NULL, INTEGER, 4);
  REQUIRE(old == 3);
  sync_all();
  if (me == 1) {
    _gfortran_caf_atomic_cas(word_token, 0, images, &old, &compare, &desired, NULL, INTEGER, 4);
    REQUIRE(old == 3);
  }
  sync_all();
  value = me;
  _gfortran_caf_atomic_op(ATOMIC_ADD, word_token, 0, images, &value, &old, NULL, INTEGER, 4);
  REQUIRE(old >= 40);
  sync_all();
  _gfortran_caf_atomic_ref(word_token, 0, images, &old, NULL, INTEGER, 4);
  REQUIRE(old == 40 + images * (images + 1) / 2);
  sync_all();
}

static void locks_and_events(int me, int images) {
  const int right = me % images + 1;
  const int left = (me + images - 2) % images + 1;
  for (int i = 0; i < 20; ++i) {
    _gfortran_caf_lock(lock_token, 0, 1, NULL, NULL, NULL, 0);
    int old = 0, next = 0;
    _gfortran_caf_atomic_ref(word_token, 4, 1, &old, NULL, INTEGER, 4);
    next = old + 1;
    _gfortran_caf_atomic_define(word_token, 4, 1, &next, NULL, INTEGER, 4);
    _gfortran_caf_unlock(lock_token, 0, 1, NULL, NULL, 0);
  }
  sync_all();
  int sum = 0;
  _gfortran_caf_atomic_ref(word_token, 4, 1, &sum, NULL, INTEGER, 4);
  REQUIRE(sum == 20 * images);
  _gfortran_caf_event_post(event_token, 0, right, NULL, NULL, 0);
  _gfortran_caf_event_post(event_token, 0, right, NULL, NULL, 0);
  _gfortran_caf_event_wait(event_token, 0, 2, NULL, NULL, 0);
  int count = 5;
  _gfortran_caf_event_query(event_token, 0, 0, &count, NULL);
  REQUIRE(count == 0);
  int neighbours[2] = {left, right};
  _gfortran_caf_sync_images(left == right ? 1 : 2, neighbours, NULL, NULL, 0);
  _gfortran_caf_sync_images(-1, NULL, NULL, NULL, 0);
  _gfortran_caf_sync_memory(NULL, NULL, 0);
}

static void queries(int images) {
  _gfortran_caf_random_init(true, false);
  for (int image = 1; image <= images; ++image) REQUIRE(image_status(image) == 0);
  Array gone = {0};
  gone.rank = 1;
  _gfortran_caf_failed_images(&gone, NULL, NULL);
  REQUIRE(gone.dimensions[0].upper < gone.dimensions[0].lower);
  free(gone.base);
  gone.base = NULL;
  _gfortran_caf_stopped_images(&gone, NULL, NULL);
  REQUIRE(gone.dimensions[0].upper < gone.dimensions[0].lower);
  free(gone.base);
}

static void one_team(int me) {
  Team all = NULL;
#if GFORTRAN == 15
  _gfortran_caf_form_team(7, &all, 0);
  _gfortran_caf_change_team(&all, 0);
  _gfortran_caf_sync_team(&all, 0);
  REQUIRE(_gfortran_caf_team_number(_gfortran_caf_get_team(NULL)) == 7);
  REQUIRE(_gfortran_caf_team_number(NULL) == 7 && this_image() == me);
  _gfortran_caf_end_team(NULL);
#else
  _gfortran_caf_form_team(7, &all, NULL, NULL, NULL, 0);
  _gfortran_caf_change_team(all, NULL, NULL, 0);
  _gfortran_caf_sync_team(all, NULL, NULL, 0);
  REQUIRE(_gfortran_caf_team_number(_gfortran_caf_get_team(NULL)) == 7);
  REQUIRE(_gfortran_caf_team_number(NULL) == 7 && this_image() == me);
  _gfortran_caf_end_team(NULL, NULL, 0);
#endif
}

void entries(int me, int images) {
  collectives(me, images);
  atomics(me, images);
  locks_and_events(me, images);
  queries(images);
  one_team(me);
}

/* The last image fails, and the others see it; they end with the status 0. */
static void one_fails(int me, int images) {
  int stat = 0;
  sync_all();
  if (me == images) _gfortran_caf_fail_image();
  _gfortran_caf_sync_all(&stat, NULL, 0);
  REQUIRE(stat == FAILED_IMAGE && image_status(images) == FAILED_IMAGE);
  Array gone = {0};
  gone.rank = 1;
  _gfortran_caf_failed_images(&gone, NULL, NULL);
  REQUIRE(gone.dimensions[0].upper == gone.dimensions[0].lower);
  REQUIRE(((int*)gone.base)[0] == images);
  free(gone.base);
}

void end_by(const char* way, int me, int images) {
  if (strcmp(way, "stop_numeric") == 0) _gfortran_caf_stop_numeric(3, true);
  if (strcmp(way, "stop_str") == 0) _gfortran_caf_stop_str("all is done", 11, false);
  if (strcmp(way, "error_stop") == 0) _gfortran_caf_error_stop(4, false);
  if (strcmp(way, "fail_image") == 0) one_fails(me, images);
}

__attribute__((constructor)) static void begin_unit(void) {
  Array of_word = {NULL, 0, 4, 0, 1, INTEGER, 0, 4, {{1, 1, 2}}};
  _gfortran_caf_register(8, STATIC_COARRAY, &word_token, &of_word, NULL, NULL, 0);
  word = of_word.base;
  word[0] = word[1] = 0;
  Array of_lock = {NULL, 0, 8, 0, 0, DERIVED, 0, 0, {{0, 0, 0}}};
  _gfortran_caf_register(1, STATIC_LOCK, &lock_token, &of_lock, NULL, NULL, 0);
  Array of_event = {NULL, 0, 8, 0, 0, DERIVED, 0, 0, {{0, 0, 0}}};
  _gfortran_caf_register(1, STATIC_EVENT, &event_token, &of_event, NULL, NULL, 0);
}
