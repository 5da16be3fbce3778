/* `integer :: a(10)[*]` with a vector subscript that is an allocatable array: `b = a(v)[k]`,
   `a(v)[k] = b` and `a(v)[k] = a(w)[l]`. The compiler puts v into the accessor's data, and the
   accessor reads it from there as from a coarray, by a reference to the image that refers. */
#include <stdlib.h>
#include <string.h>

#include "compiler.h"
#include "parts.h"
#include "require.h"

static int* a;
static Token a_token;

enum { GET_AT = 1001, SET_AT, HAS_AT, GET_ADDED };

/* type :: data; integer, allocatable :: v(:); end type */
typedef struct {
  Array v;
} Data;

static Array integers(int* base, ptrdiff_t count) {
  Array array = {base, (size_t)-1, 4, 0, 1, INTEGER, 0, 4, {{1, 1, count}}};
  return array;
}
static ptrdiff_t count_of(const Array* array) {
  return array->dimensions[0].upper - array->dimensions[0].lower + 1;
}

/* buffer = data%v */
static void get_added(void* nothing, const int* caller, Array* buffer, int32_t* must_free,
                      const Data* data) {
  (void)nothing;
  (void)caller;
  const ptrdiff_t count = count_of(&data->v);
  *buffer = integers(realloc(buffer->base, (size_t)count * 4 + 1), count);
  memcpy(buffer->base, data->v.base, (size_t)count * 4);
  *must_free = 1;
}

/* v = data[caller]%v, which stands at the begin of the accessor. */
static Array added(Token token, int caller) {
  Array v = {0};
  v.rank = 1;
  char nothing = 0;
  _gfortran_caf_get_from_remote(token, NULL, NULL, caller, 4, NULL, NULL, &v, true,
                                _gfortran_caf_get_remote_function_index(GET_ADDED), &nothing, 0,
                                NULL, NULL, NULL);
  return v;
}

static void get_at(const Data* data, const int* caller, Array* buffer, int32_t* must_free,
                   const int* base, Token token) {
  (void)data;
  Array v = added(token, *caller);
  const ptrdiff_t count = count_of(&v);
  *buffer = integers(realloc(buffer->base, (size_t)count * 4 + 1), count);
  for (ptrdiff_t i = 0; i < count; ++i) ((int*)buffer->base)[i] = base[((int*)v.base)[i] - 1];
  *must_free = 1;
  free(v.base);
}

static void set_at(const Data* data, const int* caller, int* base, const Array* from, Token token) {
  (void)data;
  Array v = added(token, *caller);
  for (ptrdiff_t i = 0; i < count_of(&v); ++i)
    base[((int*)v.base)[i] - 1] = ((int*)from->base)[i * from->dimensions[0].stride];
  free(v.base);
}

/* Whether a(v(1)) is positive: an accessor of the third kind with such data. */
static void has_at(const Data* data, const int* caller, int32_t* result, int* base, Token token) {
  (void)data;
  Array v = added(token, *caller);
  const int* const values = GFORTRAN == 15 ? base : *(int**)base;
  *result = values[((int*)v.base)[0] - 1] > 0;
  free(v.base);
}

static int at(int hash) { return _gfortran_caf_get_remote_function_index(hash); }

static void read_and_write(int me, int images) {
  const int right = me % images + 1;
  const int left = (me + images - 2) % images + 1;
  int numbers[4] = {9, 2, 2, 5};
  Data data = {integers(numbers, me % 2 == 0 ? 4 : 3)};
  Array made = {0};
  made.rank = 1;
  _gfortran_caf_get_from_remote(a_token, NULL, NULL, right, 4, NULL, NULL, &made, true, at(GET_AT),
                                &data, sizeof data, NULL, NULL, NULL);
  const int* const found = made.base;
  REQUIRE(count_of(&made) == count_of(&data.v) && found[0] == 100 * right + 9);
  REQUIRE(found[1] == 100 * right + 2 && found[2] == found[1]);
  REQUIRE(me % 2 != 0 || found[3] == 100 * right + 5);
  sync_all();
  numbers[2] = 3;
  int values[4] = {me, -me, 10 * me, 0};
  Array from = integers(values, 3);
  data.v = integers(numbers, 3);
  _gfortran_caf_send_to_remote(a_token, NULL, NULL, right, 4, NULL, NULL, &from, at(SET_AT), &data,
                               sizeof data, NULL, NULL, NULL);
  sync_all();
  REQUIRE(a[8] == left && a[1] == -left && a[2] == 10 * left && a[3] == 100 * me + 4);
  free(made.base);
}

/* a(v)[right] = a(w)[left], each with its own subscripts. */
static void transfer(int me, int images) {
  const int right = me % images + 1;
  const int left = (me + images - 2) % images + 1;
  const int second_left = (left + images - 2) % images + 1;
  int to[2] = {10, 1}, of[2] = {4, 7};
  Data to_data = {integers(to, 2)}, of_data = {integers(of, 2)};
  sync_all();
  _gfortran_caf_transfer_between_remotes(
      a_token, NULL, NULL, right, at(SET_AT), &to_data, sizeof to_data, a_token, NULL, NULL, left,
      at(GET_AT), &of_data, sizeof of_data, 4, false, NULL, NULL, NULL, NULL, NULL, NULL);
  sync_all();
  REQUIRE(a[9] == 100 * second_left + 4 && a[0] == 100 * second_left + 7);
}

void arrays_in_data(int me, int images) {
  for (int i = 0; i < 10; ++i) a[i] = 100 * me + i + 1;
  sync_all();
  read_and_write(me, images);
  int second = 2;
  Data data = {integers(&second, 1)};
  for (int image = 1; image <= images; ++image)
    REQUIRE(!_gfortran_caf_is_present_on_remote(a_token, image, at(HAS_AT), &data, sizeof data));
  second = 3;
  for (int image = 1; image <= images; ++image)
    REQUIRE(_gfortran_caf_is_present_on_remote(a_token, image, at(HAS_AT), &data, sizeof data));
  transfer(me, images);
  sync_all();
}

__attribute__((constructor)) static void begin_unit(void) {
  Array of_a = integers(NULL, 10);
  _gfortran_caf_register(40, STATIC_COARRAY, &a_token, &of_a, NULL, NULL, 0);
  a = of_a.base;
  void (*const accessors[])(void) = {(void (*)(void))get_at, (void (*)(void))set_at,
                                     (void (*)(void))has_at, (void (*)(void))get_added};
  for (int i = 0; i < 4; ++i) _gfortran_caf_register_accessor(GET_AT + i, accessors[i]);
}
