/* A coarray program as gfortran 15 or 16 would compile it: `integer :: a(10)[*]`, an allocatable
   one, one of characters and one of a derived type with an allocatable component. Each accessor is
   what the compiler makes of one reference. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"
#include "parts.h"
#include "require.h"

static int* a;
static Token a_token;
static char* text;
static Token text_token;
typedef struct {
  int number;
  Array values; /* integer, allocatable :: values(:) */
  Token values_token;
} Record;
static Record* record;
static Token record_token;

enum {
  GET_ONE = 11,
  GET_RANGE,
  SET_ONE,
  SET_RANGE,
  GET_ROW,
  SET_ROW,
  GET_TEXT,
  SET_TEXT,
  GET_VALUE,
  HAS_VALUES
};

typedef struct {
  int64_t first, last, step;
} Range;

static Array integers(int* base, ptrdiff_t count) {
  Array array = {base, (size_t)-1, 4, 0, 1, INTEGER, 0, 4, {{1, 1, count}}};
  return array;
}

/* An assignment to an allocatable array: `buffer = from(first:last:step)`. */
static void assign(Array* buffer, const int* from, const Range* range) {
  const ptrdiff_t count = (range->last - range->first + range->step) / range->step;
  void* const memory = buffer->base;
  const ptrdiff_t old = buffer->dimensions[0].upper - buffer->dimensions[0].lower + 1;
  *buffer =
      integers(memory == NULL || old != count ? realloc(memory, (size_t)count * 4) : memory, count);
  for (ptrdiff_t i = 0; i < count; ++i)
    ((int*)buffer->base)[i] = from[range->first - 1 + i * range->step];
}

static void get_one(Range* data, const int* caller, int** buffer, int32_t* must_free, int* base) {
  REQUIRE(*caller >= 1);
  *buffer = &base[data->first - 1];
  *must_free = 0;
}
static void get_range(Range* data, const int* caller, Array* buffer, int32_t* must_free,
                      int* base) {
  (void)caller;
  const void* const before = buffer->base;
  assign(buffer, base, data);
  *must_free = before != buffer->base;
}
static void set_one(Range* data, const int* caller, int* base, const int* from) {
  (void)caller;
  base[data->first - 1] = *from;
}
static void set_range(Range* data, const int* caller, int* base, const Array* from) {
  (void)caller;
  const int* const values = from->base;
  for (int64_t i = data->first, k = 0; i <= data->last; i += data->step, ++k)
    base[i - 1] = values[k * from->dimensions[0].stride];
}
/* An allocatable coarray comes as its descriptor. */
static void get_row(Range* data, const int* caller, Array* buffer, int32_t* must_free,
                    Array* base) {
  REQUIRE(base->dimensions[0].upper >= data->last);
  get_range(data, caller, buffer, must_free, base->base);
}
static void set_row(Range* data, const int* caller, Array* base, const Array* from) {
  set_range(data, caller, base->base, from);
}
static void get_text(Range* data, const int* caller, char** buffer, int32_t* must_free, char* base,
                     Token token, size_t offset, size_t* to_length, const size_t* from_length) {
  (void)data, (void)caller, (void)token, (void)offset;
  REQUIRE(*to_length <= *from_length);
  *buffer = base;
  *must_free = 0;
}
static void set_text(Range* data, const int* caller, char* base, const char* from, Token token,
                     size_t offset, const size_t* to_length, const size_t* from_length) {
  (void)data, (void)caller, (void)token, (void)offset;
  for (size_t i = 0; i < *to_length; ++i) base[i] = i < *from_length ? from[i] : ' ';
}
static void get_value(Range* data, const int* caller, int** buffer, int32_t* must_free,
                      Record* base) {
  (void)caller;
  *buffer = &((int*)base->values.base)[data->first - 1];
  *must_free = 0;
}
static void has_values(Range* data, const int* caller, int32_t* result, void* base) {
  (void)data, (void)caller;
  const Record* const one = GFORTRAN == 15 ? base : *(Record**)base;
  *result = one->values.base != NULL;
}

static int at(int hash) { return _gfortran_caf_get_remote_function_index(hash); }

static int one_of(int index, int image) {
  Range range = {index, index, 1};
  int* found = NULL;
  _gfortran_caf_get_from_remote(a_token, NULL, NULL, image, 4, (void**)&found, NULL, NULL, false,
                                at(GET_ONE), &range, sizeof range, NULL, NULL, NULL);
  return *found;
}

static void set(int index, int image, int value, int* stat) {
  Range range = {index, index, 1};
  _gfortran_caf_send_to_remote(a_token, NULL, NULL, image, 4, &value, NULL, NULL, at(SET_ONE),
                               &range, sizeof range, stat, NULL, NULL);
}

static void scalars_and_sections(int me, int images) {
  const int right = me % images + 1;
  const int left = (me + images - 2) % images + 1;
  for (int i = 0; i < 10; ++i) a[i] = 100 * me + i + 1;
  sync_all();
  REQUIRE(one_of(3, right) + one_of(4, left) == 100 * (right + left) + 7);
  Range odd = {1, 9, 2};
  Array made = {0};
  made.rank = 1;
  _gfortran_caf_get_from_remote(a_token, NULL, NULL, right, 4, NULL, NULL, &made, true,
                                at(GET_RANGE), &odd, sizeof odd, NULL, NULL, NULL);
  REQUIRE(made.dimensions[0].upper == 5 && ((int*)made.base)[4] == 100 * right + 9);
  free(made.base);
  int room[10] = {0};
  Array every_second = integers(room, 5); /* an array that is there, with gaps */
  every_second.dimensions[0].stride = 2;
  _gfortran_caf_get_from_remote(a_token, NULL, NULL, left, 4, NULL, NULL, &every_second, false,
                                at(GET_RANGE), &odd, sizeof odd, NULL, NULL, NULL);
  REQUIRE(room[0] == 100 * left + 1 && room[8] == 100 * left + 9 && room[1] == 0 &&
          every_second.base == room);
  sync_all();
  set(10, right, -me, NULL);
  int values[4] = {7, 0, 8, 0};
  Array from = integers(values, 2);
  from.dimensions[0].stride = 2;
  Range begin = {1, 2, 1};
  _gfortran_caf_send_to_remote(a_token, NULL, NULL, right, 4, NULL, NULL, &from, at(SET_RANGE),
                               &begin, sizeof begin, NULL, NULL, NULL);
  sync_all();
  REQUIRE(a[9] == -left && a[0] == 7 && a[1] == 8);
  sync_all();
  /* a(5:6)[right] = a(3:4)[left] */
  Range to = {5, 6, 1};
  Range of = {3, 4, 1};
  int to_stat = 5, from_stat = 5;
  _gfortran_caf_transfer_between_remotes(a_token, NULL, NULL, right, at(SET_RANGE), &to, sizeof to,
                                         a_token, NULL, NULL, left, at(GET_RANGE), &of, sizeof of,
                                         4, false, &to_stat, &from_stat, NULL, NULL, NULL, NULL);
  Range tenth = {9, 9, 1};
  Range third = {3, 3, 1};
  _gfortran_caf_transfer_between_remotes(a_token, NULL, NULL, right, at(SET_ONE), &tenth,
                                         sizeof tenth, a_token, NULL, NULL, me, at(GET_ONE), &third,
                                         sizeof third, 4, true, NULL, NULL, NULL, NULL, NULL, NULL);
  sync_all();
  const int second_left = (left + images - 2) % images + 1;
  REQUIRE(to_stat == 0 && from_stat == 0 && a[4] == 100 * second_left + 3 &&
          a[5] == 100 * second_left + 4);
  REQUIRE(a[8] == 100 * left + 3);
}

static void allocatable_and_text(int me, int images) {
  const int right = me % images + 1;
  Token token = NULL;
  Array row = integers(NULL, 20);
  _gfortran_caf_register(80, ALLOCATABLE_COARRAY, &token, &row, NULL, NULL, 0);
  sync_all();
  for (int i = 0; i < 20; ++i) ((int*)row.base)[i] = 1000 * me + i;
  sync_all();
  Range part = {2, 20, 6};
  Array made = {0};
  made.rank = 1;
  _gfortran_caf_get_from_remote(token, &row, NULL, right, 4, NULL, NULL, &made, true, at(GET_ROW),
                                &part, sizeof part, NULL, NULL, NULL);
  REQUIRE(made.dimensions[0].upper == 4 && ((int*)made.base)[3] == 1000 * right + 19);
  sync_all();
  _gfortran_caf_send_to_remote(token, &row, NULL, right, 4, NULL, NULL, &made, at(SET_ROW), &part,
                               sizeof part, NULL, NULL, NULL);
  free(made.base);
  sync_all();
  REQUIRE(((int*)row.base)[19] == 1000 * me + 19 && row.base != NULL);
  _gfortran_caf_deregister(&token, 0, NULL, NULL, 0);
  REQUIRE(token == NULL);

  char mine[24];
  snprintf(mine, sizeof mine, "image %02d", me);
  size_t length = 8, short_length = 3, to_length = 5;
  Range none = {0, 0, 0};
  _gfortran_caf_send_to_remote(text_token, NULL, &length, right, 1, mine, &length, NULL,
                               at(SET_TEXT), &none, sizeof none, NULL, NULL, NULL);
  sync_all();
  char* found = NULL;
  _gfortran_caf_get_from_remote(text_token, NULL, &length, right, 1, (void**)&found, &to_length,
                                NULL, false, at(GET_TEXT), &none, sizeof none, NULL, NULL, NULL);
  REQUIRE(to_length == 5 && memcmp(found, "image", 5) == 0);
  snprintf(mine, sizeof mine, "image %02d", (me + images - 2) % images + 1);
  REQUIRE(memcmp(text, mine, 8) == 0);
  sync_all();
  _gfortran_caf_send_to_remote(text_token, NULL, &length, right, 1, "abc", &short_length, NULL,
                               at(SET_TEXT), &none, sizeof none, NULL, NULL, NULL);
  sync_all();
  REQUIRE(memcmp(text, "abc     ", 8) == 0);
}

static void components(int me, int images) {
  const int last = images;
  Range second = {2, 2, 1};
  memset(record, 0, sizeof *record);
  record->values = integers(NULL, 3);
  _gfortran_caf_register(0, COMPONENT_ANNOUNCED, &record->values_token, &record->values, NULL, NULL,
                         0);
  record->values.base = NULL;
  sync_all();
  REQUIRE(!_gfortran_caf_is_present_on_remote(record_token, last, at(HAS_VALUES), &second,
                                              sizeof second));
  sync_all();
  if (me == last) {
    _gfortran_caf_register(12, COMPONENT, &record->values_token, &record->values, NULL, NULL, 0);
    for (int i = 0; i < 3; ++i) ((int*)record->values.base)[i] = 70 + i;
  }
  sync_all();
  REQUIRE(_gfortran_caf_is_present_on_remote(record_token, last, at(HAS_VALUES), &second,
                                             sizeof second));
  int* found = NULL;
  _gfortran_caf_get_from_remote(record_token, NULL, NULL, last, 4, (void**)&found, NULL, NULL,
                                false, at(GET_VALUE), &second, sizeof second, NULL, NULL, NULL);
  REQUIRE(*found == 71);
  sync_all();
  if (me == last) _gfortran_caf_deregister(&record->values_token, 0, NULL, NULL, 0);
}

static void mistakes(int images) {
  int stat = 0;
  set(1, images + 1, 0, &stat);
  REQUIRE(stat != 0);
  Range first = {1, 1, 1};
  stat = 0;
  int* found = NULL;
  _gfortran_caf_get_from_remote(a_token, NULL, NULL, 1, 4, (void**)&found, NULL, NULL, false,
                                at(99), &first, sizeof first, &stat, NULL, NULL);
  REQUIRE(at(99) == -1 && stat != 0 && found == NULL);
  stat = 0;
  int team_number = 77;
  _gfortran_caf_get_from_remote(a_token, NULL, NULL, 1, 4, (void**)&found, NULL, NULL, false,
                                at(GET_ONE), &first, sizeof first, &stat, NULL, &team_number);
  REQUIRE(stat != 0);
  stat = 0;
  _gfortran_caf_get_from_remote(NULL, NULL, NULL, 1, 4, (void**)&found, NULL, NULL, false,
                                at(GET_ONE), &first, sizeof first, &stat, NULL, NULL);
  REQUIRE(stat != 0);
  sync_all();
}

/* move_alloc gives a coarray of a team to a variable that keeps it behind the team. */
static Token moved_coarray(void) {
  static Token given;
  Array of_given = {NULL, 0, sizeof(Record), 0, 0, DERIVED, 0, 0, {{0, 0, 0}}};
  _gfortran_caf_register(sizeof(Record), ALLOCATABLE_COARRAY, &given, &of_given, NULL, NULL, 0);
  Token kept = given;
  given = NULL;
  return kept;
}
static void end_moved(Token kept, int image) {
  Range none = {0, 0, 0};
  REQUIRE(!_gfortran_caf_is_present_on_remote(kept, image, at(HAS_VALUES), &none, sizeof none));
  _gfortran_caf_deregister(&kept, 0, NULL, NULL, 0);
  REQUIRE(kept == NULL);
}

/* Teams of odd and even images; a(1)[k, team=] and [k, team_number=]. */
static void teams(int me, int images) {
  Team half = NULL;
  const int number = 1 + me % 2;
  a[0] = me;
  sync_all();
#if GFORTRAN == 15
  _gfortran_caf_form_team(number, &half, 0);
  _gfortran_caf_change_team(&half, 0);
#else
  char message[60];
  const int members = (images + me % 2) / 2;
  int stat = 5, level = 0, index = members - (me - 1) / 2; /* backwards */
  _gfortran_caf_form_team(number, &half, &index, &stat, message, sizeof message);
  REQUIRE(stat == 0 && _gfortran_caf_team_number(half) == number);
  _gfortran_caf_change_team(half, &stat, message, sizeof message);
  REQUIRE(stat == 0 && this_image() == index && num_images() == members);
  int other = 3 - number, initial = -1;
  REQUIRE(_gfortran_caf_num_images(NULL, &other) == images - members);
  REQUIRE(_gfortran_caf_num_images(NULL, &initial) == images);
  REQUIRE(_gfortran_caf_this_image(_gfortran_caf_get_team(&level)) == me);
  REQUIRE(_gfortran_caf_image_status(1, &half) == 0);
  Array failed = {0};
  failed.rank = 1;
  _gfortran_caf_failed_images(&failed, &half, NULL);
  REQUIRE(failed.dimensions[0].upper < failed.dimensions[0].lower);
  free(failed.base);
  /* change team (half, b[*] => a(4:)): another name of a part of a coarray. */
  Token b_token = a_token;
  Array b = integers(a + 3, 7);
  a[4] = 50 + index;
  _gfortran_caf_register(28, ASSOCIATED, &b_token, &b, NULL, NULL, 0);
  REQUIRE(b.base == a + 3 && b_token != a_token);
  sync_all();
  Range second = {2, 2, 1};
  int* of_b = NULL;
  _gfortran_caf_get_from_remote(b_token, NULL, NULL, members, 4, (void**)&of_b, NULL, NULL, false,
                                at(GET_ONE), &second, sizeof second, NULL, NULL, NULL);
  REQUIRE(*of_b == 50 + members);
  _gfortran_caf_sync_team(half, &stat, message, sizeof message);
  REQUIRE(stat == 0);
#endif
  Token kept = moved_coarray();
  REQUIRE((one_of(1, 1) - me) % 2 == 0);
  Range first = {1, 1, 1};
  int* found = NULL;
  int sibling = 3 - number;
  _gfortran_caf_get_from_remote(a_token, NULL, NULL, 1, 4, (void**)&found, NULL, NULL, false,
                                at(GET_ONE), &first, sizeof first, NULL, NULL, &sibling);
  REQUIRE((*found - me) % 2 != 0);
  _gfortran_caf_get_from_remote(a_token, NULL, NULL, 1, 4, (void**)&found, NULL, NULL, false,
                                at(GET_ONE), &first, sizeof first, NULL, &half, NULL);
  REQUIRE((*found - me) % 2 == 0);
#if GFORTRAN == 15
  _gfortran_caf_end_team(NULL);
#else
  _gfortran_caf_end_team(&stat, message, sizeof message);
  REQUIRE(stat == 0);
#endif
  end_moved(kept, images);
}

/* The compiler's constructor of a unit: static coarrays, and accessors. */
__attribute__((constructor)) static void begin_unit(void) {
  Array of_a = integers(NULL, 10);
  _gfortran_caf_register(40, STATIC_COARRAY, &a_token, &of_a, NULL, NULL, 0);
  a = of_a.base;
  Array of_text = {NULL, 0, 8, 0, 0, CHARACTER, 0, 0, {{0, 0, 0}}};
  _gfortran_caf_register(8, STATIC_COARRAY, &text_token, &of_text, NULL, NULL, 0);
  text = of_text.base;
  Array of_record = {NULL, 0, sizeof(Record), 0, 0, DERIVED, 0, 0, {{0, 0, 0}}};
  _gfortran_caf_register(sizeof(Record), STATIC_COARRAY, &record_token, &of_record, NULL, NULL, 0);
  record = of_record.base;
  void (*const accessors[])(void) = {(void (*)(void))get_one,   (void (*)(void))get_range,
                                     (void (*)(void))set_one,   (void (*)(void))set_range,
                                     (void (*)(void))get_row,   (void (*)(void))set_row,
                                     (void (*)(void))get_text,  (void (*)(void))set_text,
                                     (void (*)(void))get_value, (void (*)(void))has_values};
  for (int i = 0; i < 10; ++i) _gfortran_caf_register_accessor(GET_ONE + i, accessors[i]);
}

int main(int argc, char** argv) {
  _gfortran_caf_init(&argc, &argv);
  _gfortran_caf_register_accessors_finish();
  const int me = this_image();
  const int images = num_images();
  if (argc > 1) {
    end_by(argv[1], me, images);
    _gfortran_caf_finalize();
    return 0;
  }
  scalars_and_sections(me, images);
  allocatable_and_text(me, images);
  components(me, images);
  mistakes(images);
  if (images > 1) teams(me, images);
  arrays_in_data(me, images);
  entries(me, images);
  REQUIRE(this_image() == me && num_images() == images);
  sync_all();
  if (me == 1) puts("accessors are well");
  _gfortran_caf_finalize();
  return 0;
}
