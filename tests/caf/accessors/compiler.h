/* The interface for coarrays of gfortran 15 (GFORTRAN=15) and 16 (GFORTRAN=16), for callers that do
   by hand what such a compiler's output does. Names and arguments are the compiler's. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  STATIC_COARRAY = 0,
  ALLOCATABLE_COARRAY = 1,
  STATIC_LOCK = 2,
  STATIC_EVENT = 5,
  COMPONENT_ANNOUNCED = 7,
  COMPONENT = 8,
  ASSOCIATED = 9
};
enum { ATOMIC_ADD = 1, FAILED_IMAGE = 6001 };
enum { INTEGER = 1, DERIVED = 5, CHARACTER = 6 };

typedef struct {
  ptrdiff_t stride, lower, upper;
} Dimension;

typedef struct {
  void* base;
  size_t offset;
  size_t element_bytes;
  int version;
  signed char rank, type;
  int16_t attribute;
  ptrdiff_t span;
  Dimension dimensions[2];
} Array;

typedef void* Token;
typedef void* Team;

void _gfortran_caf_init(int* argc, char*** argv);
void _gfortran_caf_finalize(void);
void _gfortran_caf_register(size_t size, int kind, Token* token, Array* of, int* stat,
                            char* message, size_t message_bytes);
void _gfortran_caf_deregister(Token* token, int kind, int* stat, char* message,
                              size_t message_bytes);
void _gfortran_caf_register_accessor(int hash, void (*accessor)(void));
void _gfortran_caf_register_accessors_finish(void);
int _gfortran_caf_get_remote_function_index(int hash);
void _gfortran_caf_get_from_remote(Token token, const Array* from, const size_t* from_length,
                                   int image, size_t to_bytes, void** to_data, size_t* to_length,
                                   Array* to, bool may_reallocate, int accessor, void* data,
                                   size_t data_bytes, int* stat, Team* team, int* team_number);
void _gfortran_caf_send_to_remote(Token token, Array* to, const size_t* to_length, int image,
                                  size_t from_bytes, const void* from_data,
                                  const size_t* from_length, const Array* from, int accessor,
                                  void* data, size_t data_bytes, int* stat, Team* team,
                                  int* team_number);
void _gfortran_caf_transfer_between_remotes(
    Token to_token, Array* to, size_t* to_length, int to_image, int to_accessor, void* to_data,
    size_t to_data_bytes, Token from_token, const Array* from, const size_t* from_length,
    int from_image, int from_accessor, void* from_data, size_t from_data_bytes, size_t from_bytes,
    bool is_scalar, int* to_stat, int* from_stat, Team* to_team, int* to_team_number,
    Team* from_team, int* from_team_number);
int32_t _gfortran_caf_is_present_on_remote(Token token, int image, int accessor, void* data,
                                           size_t data_bytes);

_Noreturn void _gfortran_caf_stop_numeric(int code, bool is_quiet);
_Noreturn void _gfortran_caf_stop_str(const char* text, size_t length, bool is_quiet);
_Noreturn void _gfortran_caf_error_stop(int code, bool is_quiet);
_Noreturn void _gfortran_caf_error_stop_str(const char* text, size_t length, bool is_quiet);
_Noreturn void _gfortran_caf_fail_image(void);

void _gfortran_caf_co_broadcast(const Array* a, int source_image, int* stat, char* message,
                                size_t message_bytes);
void _gfortran_caf_co_sum(const Array* a, int result_image, int* stat, char* message,
                          size_t message_bytes);
void _gfortran_caf_co_min(const Array* a, int result_image, int* stat, char* message, int length,
                          size_t message_bytes);
void _gfortran_caf_co_max(const Array* a, int result_image, int* stat, char* message, int length,
                          size_t message_bytes);
void _gfortran_caf_co_reduce(const Array* a, void (*operation)(void), int flags, int result_image,
                             int* stat, char* message, int length, size_t message_bytes);
void _gfortran_caf_atomic_define(Token token, size_t offset, int image, void* value, int* stat,
                                 int type, int kind);
void _gfortran_caf_atomic_ref(Token token, size_t offset, int image, void* value, int* stat,
                              int type, int kind);
void _gfortran_caf_atomic_cas(Token token, size_t offset, int image, void* old, void* compare,
                              void* desired, int* stat, int type, int kind);
void _gfortran_caf_atomic_op(int operation, Token token, size_t offset, int image, void* value,
                             void* old, int* stat, int type, int kind);
void _gfortran_caf_lock(Token token, size_t index, int image, int* is_acquired, int* stat,
                        char* message, size_t message_bytes);
void _gfortran_caf_unlock(Token token, size_t index, int image, int* stat, char* message,
                          size_t message_bytes);
void _gfortran_caf_event_post(Token token, size_t index, int image, int* stat, char* message,
                              size_t message_bytes);
void _gfortran_caf_event_wait(Token token, size_t index, int until, int* stat, char* message,
                              size_t message_bytes);
void _gfortran_caf_event_query(Token token, size_t index, int image, int* count, int* stat);
void _gfortran_caf_random_init(bool is_repeatable, bool is_image_distinct);

/* Versions differ in whether the team is a team or a variable, which is null here. */
int _gfortran_caf_image_status(int image, Team* team);
void _gfortran_caf_failed_images(Array* result, Team* team, int* kind);
void _gfortran_caf_stopped_images(Array* result, Team* team, int* kind);
#define image_status(image) _gfortran_caf_image_status(image, NULL)

#if GFORTRAN == 15
int _gfortran_caf_this_image(int distance);
int _gfortran_caf_num_images(int distance, int failed);
void _gfortran_caf_sync_all(int* stat, char** message, size_t message_bytes);
void _gfortran_caf_form_team(int number, Team* team, int unused);
void _gfortran_caf_change_team(Team* team, int unused);
void _gfortran_caf_end_team(Team* team);
void _gfortran_caf_sync_team(Team* team, int unused);
void _gfortran_caf_sync_memory(int* stat, char** message, size_t message_bytes);
void _gfortran_caf_sync_images(int count, int* images, int* stat, char** message,
                               size_t message_bytes);
Team _gfortran_caf_get_team(int* level);
int _gfortran_caf_team_number(Team team);
#define this_image() _gfortran_caf_this_image(0)
#define num_images() _gfortran_caf_num_images(0, -1)
#else
int _gfortran_caf_this_image(Team team);
int _gfortran_caf_num_images(Team team, int* team_number);
void _gfortran_caf_sync_all(int* stat, char* message, size_t message_bytes);
void _gfortran_caf_sync_memory(int* stat, char* message, size_t message_bytes);
void _gfortran_caf_sync_images(int count, int* images, int* stat, char* message,
                               size_t message_bytes);
void _gfortran_caf_form_team(int number, Team* team, int* new_index, int* stat, char* message,
                             size_t message_bytes);
void _gfortran_caf_change_team(Team team, int* stat, char* message, size_t message_bytes);
void _gfortran_caf_end_team(int* stat, char* message, size_t message_bytes);
void _gfortran_caf_sync_team(Team team, int* stat, char* message, size_t message_bytes);
Team _gfortran_caf_get_team(int* level);
int _gfortran_caf_team_number(Team team);
#define this_image() _gfortran_caf_this_image(NULL)
#define num_images() _gfortran_caf_num_images(NULL, NULL)
#endif
#define sync_all() _gfortran_caf_sync_all(NULL, NULL, 0)
