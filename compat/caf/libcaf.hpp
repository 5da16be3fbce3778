#pragma once

#include <cstddef>

#include "descriptor.hpp"

// The interface that gfortran 12 calls with -fcoarray=lib. Names, arguments and their order are the
// compiler's. `stat`, `message` and `offset` are null or 0 where the program has none; image
// numbers count from 1.

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
};
}  // namespace caf

// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {

void _gfortran_caf_init(int* argc, char*** argv);
void _gfortran_caf_finalize();
int _gfortran_caf_this_image(int distance);
int _gfortran_caf_num_images(int distance, int failed);

void _gfortran_caf_register(std::size_t size, caf::Kind kind, void** token, caf::Descriptor* of,
                            int* stat, char* message, std::size_t message_bytes);
void _gfortran_caf_deregister(void** token, int only_memory, int* stat, char* message,
                              std::size_t message_bytes);

// These three get the address of the message's address, unlike all others.
void _gfortran_caf_sync_all(int* stat, char* const* message, std::size_t message_bytes);
void _gfortran_caf_sync_memory(int* stat, char* const* message, std::size_t message_bytes);
void _gfortran_caf_sync_images(int count, const int* images, int* stat, char* const* message,
                               std::size_t message_bytes);

[[noreturn]] void _gfortran_caf_stop_numeric(int code, bool is_quiet);
[[noreturn]] void _gfortran_caf_stop_str(const char* text, std::size_t length, bool is_quiet);
[[noreturn]] void _gfortran_caf_error_stop(int code, bool is_quiet);
[[noreturn]] void _gfortran_caf_error_stop_str(const char* text, std::size_t length, bool is_quiet);
[[noreturn]] void _gfortran_caf_fail_image();

void _gfortran_caf_get(caf::Coarray* token, std::size_t offset, int image,
                       const caf::Descriptor* from, const caf::Subscripts* subscripts,
                       const caf::Descriptor* to, int from_kind, int to_kind, bool may_overlap,
                       int* stat);
void _gfortran_caf_send(caf::Coarray* token, std::size_t offset, int image,
                        const caf::Descriptor* to, const caf::Subscripts* subscripts,
                        const caf::Descriptor* from, int to_kind, int from_kind, bool may_overlap,
                        int* stat, caf::TeamOfImages* const* team);
void _gfortran_caf_sendget(caf::Coarray* to_token, std::size_t to_offset, int to_image,
                           const caf::Descriptor* to, const caf::Subscripts* to_subscripts,
                           caf::Coarray* from_token, std::size_t from_offset, int from_image,
                           const caf::Descriptor* from, const caf::Subscripts* from_subscripts,
                           int to_kind, int from_kind, bool may_overlap, int* stat);

void _gfortran_caf_get_by_ref(caf::Coarray* token, int image, caf::Descriptor* to,
                              const caf::Reference* references, int to_kind, int from_kind,
                              bool may_overlap, bool may_reallocate, int* stat, int from_type);
void _gfortran_caf_send_by_ref(caf::Coarray* token, int image, const caf::Descriptor* from,
                               const caf::Reference* references, int to_kind, int from_kind,
                               bool may_overlap, bool may_reallocate, int* stat, int to_type);
void _gfortran_caf_sendget_by_ref(caf::Coarray* to_token, int to_image,
                                  const caf::Reference* to_references, caf::Coarray* from_token,
                                  int from_image, const caf::Reference* from_references,
                                  int to_kind, int from_kind, bool may_overlap, int* to_stat,
                                  int* from_stat, int to_type, int from_type);
int _gfortran_caf_is_present(caf::Coarray* token, int image, const caf::Reference* references);

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

void _gfortran_caf_form_team(int number, caf::TeamOfImages** team, int unused);
void _gfortran_caf_change_team(caf::TeamOfImages** team, int unused);
void _gfortran_caf_end_team(caf::TeamOfImages** unused);
void _gfortran_caf_sync_team(caf::TeamOfImages** team, int unused);
caf::TeamOfImages* _gfortran_caf_get_team(const int* level);
int _gfortran_caf_team_number(caf::TeamOfImages* team);

int _gfortran_caf_image_status(int image, const void* team);
void _gfortran_caf_failed_images(caf::Descriptor* result, const void* team, const int* kind);
void _gfortran_caf_stopped_images(caf::Descriptor* result, const void* team, const int* kind);

void _gfortran_caf_random_init(int is_repeatable, int is_image_distinct);

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
