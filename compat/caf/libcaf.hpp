#pragma once

#include <cstddef>

#include "descriptor.hpp"

// The interface that gfortran calls with -fcoarray=lib, from version 12 on: what all versions have
// in common. Names, arguments and their order are the compiler's. `stat`, `message` and `offset`
// are null or 0 where the program has none; image numbers count from 1.

namespace caf {
struct Coarray;
struct TeamOfImages;

/// The memory that `register` is to make.
enum class Kind : int {
  static_coarray = 0,
  allocatable_coarray = 1,
  static_lock = 2,
  allocatable_lock = 3,
  critical = 4,
  static_event = 5,
  allocatable_event = 6,
  component_announced = 7,  // of a coarray of a derived type: a component that is not allocated yet
  component = 8,            // its allocation, by one image for itself
  associated = 9,  // gfortran 16: `change team (t, b[*] => a)`, where the token is that of a
};
}  // namespace caf

// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {

void _gfortran_caf_init(int* argc, char*** argv);
void _gfortran_caf_finalize();

void _gfortran_caf_register(std::size_t size, caf::Kind kind, void** token, caf::Descriptor* of,
                            int* stat, char* message, std::size_t message_bytes);
void _gfortran_caf_deregister(void** token, int only_memory, int* stat, char* message,
                              std::size_t message_bytes);

[[noreturn]] void _gfortran_caf_stop_numeric(int code, bool is_quiet);
[[noreturn]] void _gfortran_caf_stop_str(const char* text, std::size_t length, bool is_quiet);
[[noreturn]] void _gfortran_caf_error_stop(int code, bool is_quiet);
[[noreturn]] void _gfortran_caf_error_stop_str(const char* text, std::size_t length, bool is_quiet);
[[noreturn]] void _gfortran_caf_fail_image();

void _gfortran_caf_lock(caf::Coarray* token, std::size_t index, int image, int* is_acquired,
                        int* stat, char* message, std::size_t message_bytes);
void _gfortran_caf_unlock(caf::Coarray* token, std::size_t index, int image, int* stat,
                          char* message, std::size_t message_bytes);
void _gfortran_caf_event_post(caf::Coarray* token, std::size_t index, int image, int* stat,
                              char* message, std::size_t message_bytes);
void _gfortran_caf_event_wait(caf::Coarray* token, std::size_t index, int until, int* stat,
                              char* message, std::size_t message_bytes);
void _gfortran_caf_event_query(caf::Coarray* token, std::size_t index, int image, int* count,
                               int* stat);

void _gfortran_caf_atomic_define(caf::Coarray* token, std::size_t offset, int image,
                                 const void* value, int* stat, int type, int kind);
void _gfortran_caf_atomic_ref(caf::Coarray* token, std::size_t offset, int image, void* value,
                              int* stat, int type, int kind);
void _gfortran_caf_atomic_cas(caf::Coarray* token, std::size_t offset, int image, void* old,
                              const void* compare, const void* desired, int* stat, int type,
                              int kind);
void _gfortran_caf_atomic_op(int operation, caf::Coarray* token, std::size_t offset, int image,
                             const void* value, void* old, int* stat, int type, int kind);

void _gfortran_caf_co_broadcast(const caf::Descriptor* a, int source_image, int* stat,
                                char* message, std::size_t message_bytes);
void _gfortran_caf_co_sum(const caf::Descriptor* a, int result_image, int* stat, char* message,
                          std::size_t message_bytes);
void _gfortran_caf_co_min(const caf::Descriptor* a, int result_image, int* stat, char* message,
                          int length, std::size_t message_bytes);
void _gfortran_caf_co_max(const caf::Descriptor* a, int result_image, int* stat, char* message,
                          int length, std::size_t message_bytes);
void _gfortran_caf_co_reduce(const caf::Descriptor* a, void (*operation)(), int flags,
                             int result_image, int* stat, char* message, int length,
                             std::size_t message_bytes);

void _gfortran_caf_random_init(int is_repeatable, int is_image_distinct);

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
