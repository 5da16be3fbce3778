#include <cstdint>

#include <armature/atomic.hpp>
#include <armature/get.hpp>
#include <armature/layer/wait.hpp>
#include <armature/put.hpp>

#include "handle.hpp"
#include "outcome.hpp"

// Atomic variables: integers and logical values of 8 bytes.

namespace caf::prif {
namespace {

using Word = armature::global_ptr<std::int64_t>;

Word word_in(const Handle* handle, const std::size_t* offset, const int* image_number) {
  return place_of(*handle, *offset, sizeof(std::int64_t), *image_number).as<std::int64_t>();
}
Word word_at(const std::intptr_t* address, const int* image_number) {
  return place_of(*address, *image_number).as<std::int64_t>();
}

void define(Word word, std::int64_t value) {
  armature::put(word, value);
  armature::layer::wake(word.rank());
}

/// A loop that looks until another image has written lets that one run.
std::int64_t look(Word word) {
  const std::int64_t found = armature::get(word);
  armature::layer::progress();
  return found;
}

std::int64_t exchange(Word word, std::int64_t expected, std::int64_t desired) {
  const std::int64_t found = armature::compare_swap(word, expected, desired);
  if (found != expected) armature::layer::progress();
  return found;
}

}  // namespace
}  // namespace caf::prif

extern "C" {

using caf::prif::Handle;
using caf::prif::perform;

void _QMprifPprif_atomic_add(const int* image, const Handle* handle, const std::size_t* offset,
                             const std::int64_t* value, int* stat) {
  perform("atomic_add", {stat, nullptr, nullptr},
          [=] { (void)armature::fetch_add(caf::prif::word_in(handle, offset, image), *value); });
}

void _QMprifPprif_atomic_add_indirect(const int* image, const std::intptr_t* atom,
                                      const std::int64_t* value, int* stat) {
  perform("atomic_add", {stat, nullptr, nullptr},
          [=] { (void)armature::fetch_add(caf::prif::word_at(atom, image), *value); });
}

void _QMprifPprif_atomic_and(const int* image, const Handle* handle, const std::size_t* offset,
                             const std::int64_t* value, int* stat) {
  perform("atomic_and", {stat, nullptr, nullptr},
          [=] { (void)armature::fetch_and(caf::prif::word_in(handle, offset, image), *value); });
}

void _QMprifPprif_atomic_and_indirect(const int* image, const std::intptr_t* atom,
                                      const std::int64_t* value, int* stat) {
  perform("atomic_and", {stat, nullptr, nullptr},
          [=] { (void)armature::fetch_and(caf::prif::word_at(atom, image), *value); });
}

void _QMprifPprif_atomic_or(const int* image, const Handle* handle, const std::size_t* offset,
                            const std::int64_t* value, int* stat) {
  perform("atomic_or", {stat, nullptr, nullptr},
          [=] { (void)armature::fetch_or(caf::prif::word_in(handle, offset, image), *value); });
}

void _QMprifPprif_atomic_or_indirect(const int* image, const std::intptr_t* atom,
                                     const std::int64_t* value, int* stat) {
  perform("atomic_or", {stat, nullptr, nullptr},
          [=] { (void)armature::fetch_or(caf::prif::word_at(atom, image), *value); });
}

void _QMprifPprif_atomic_xor(const int* image, const Handle* handle, const std::size_t* offset,
                             const std::int64_t* value, int* stat) {
  perform("atomic_xor", {stat, nullptr, nullptr},
          [=] { (void)armature::fetch_xor(caf::prif::word_in(handle, offset, image), *value); });
}

void _QMprifPprif_atomic_xor_indirect(const int* image, const std::intptr_t* atom,
                                      const std::int64_t* value, int* stat) {
  perform("atomic_xor", {stat, nullptr, nullptr},
          [=] { (void)armature::fetch_xor(caf::prif::word_at(atom, image), *value); });
}

void _QMprifPprif_atomic_fetch_add(const int* image, const Handle* handle,
                                   const std::size_t* offset, const std::int64_t* value,
                                   std::int64_t* old, int* stat) {
  perform("atomic_fetch_add", {stat, nullptr, nullptr},
          [=] { *old = armature::fetch_add(caf::prif::word_in(handle, offset, image), *value); });
}

void _QMprifPprif_atomic_fetch_add_indirect(const int* image, const std::intptr_t* atom,
                                            const std::int64_t* value, std::int64_t* old,
                                            int* stat) {
  perform("atomic_fetch_add", {stat, nullptr, nullptr},
          [=] { *old = armature::fetch_add(caf::prif::word_at(atom, image), *value); });
}

void _QMprifPprif_atomic_fetch_and(const int* image, const Handle* handle,
                                   const std::size_t* offset, const std::int64_t* value,
                                   std::int64_t* old, int* stat) {
  perform("atomic_fetch_and", {stat, nullptr, nullptr},
          [=] { *old = armature::fetch_and(caf::prif::word_in(handle, offset, image), *value); });
}

void _QMprifPprif_atomic_fetch_and_indirect(const int* image, const std::intptr_t* atom,
                                            const std::int64_t* value, std::int64_t* old,
                                            int* stat) {
  perform("atomic_fetch_and", {stat, nullptr, nullptr},
          [=] { *old = armature::fetch_and(caf::prif::word_at(atom, image), *value); });
}

void _QMprifPprif_atomic_fetch_or(const int* image, const Handle* handle, const std::size_t* offset,
                                  const std::int64_t* value, std::int64_t* old, int* stat) {
  perform("atomic_fetch_or", {stat, nullptr, nullptr},
          [=] { *old = armature::fetch_or(caf::prif::word_in(handle, offset, image), *value); });
}

void _QMprifPprif_atomic_fetch_or_indirect(const int* image, const std::intptr_t* atom,
                                           const std::int64_t* value, std::int64_t* old,
                                           int* stat) {
  perform("atomic_fetch_or", {stat, nullptr, nullptr},
          [=] { *old = armature::fetch_or(caf::prif::word_at(atom, image), *value); });
}

void _QMprifPprif_atomic_fetch_xor(const int* image, const Handle* handle,
                                   const std::size_t* offset, const std::int64_t* value,
                                   std::int64_t* old, int* stat) {
  perform("atomic_fetch_xor", {stat, nullptr, nullptr},
          [=] { *old = armature::fetch_xor(caf::prif::word_in(handle, offset, image), *value); });
}

void _QMprifPprif_atomic_fetch_xor_indirect(const int* image, const std::intptr_t* atom,
                                            const std::int64_t* value, std::int64_t* old,
                                            int* stat) {
  perform("atomic_fetch_xor", {stat, nullptr, nullptr},
          [=] { *old = armature::fetch_xor(caf::prif::word_at(atom, image), *value); });
}

void _QMprifPprif_atomic_define_int(const int* image, const Handle* handle,
                                    const std::size_t* offset, const std::int64_t* value,
                                    int* stat) {
  perform("atomic_define", {stat, nullptr, nullptr},
          [=] { caf::prif::define(caf::prif::word_in(handle, offset, image), *value); });
}

void _QMprifPprif_atomic_ref_int(const int* image, const Handle* handle, const std::size_t* offset,
                                 std::int64_t* value, int* stat) {
  perform("atomic_ref", {stat, nullptr, nullptr},
          [=] { *value = caf::prif::look(caf::prif::word_in(handle, offset, image)); });
}

void _QMprifPprif_atomic_cas_int(const int* image, const Handle* handle, const std::size_t* offset,
                                 std::int64_t* old, const std::int64_t* expected,
                                 const std::int64_t* desired, int* stat) {
  perform("atomic_cas", {stat, nullptr, nullptr}, [=] {
    *old = caf::prif::exchange(caf::prif::word_in(handle, offset, image), *expected, *desired);
  });
}

void _QMprifPprif_atomic_define_int_indirect(const int* image, const std::intptr_t* atom,
                                             const std::int64_t* value, int* stat) {
  perform("atomic_define", {stat, nullptr, nullptr},
          [=] { caf::prif::define(caf::prif::word_at(atom, image), *value); });
}

void _QMprifPprif_atomic_ref_int_indirect(const int* image, const std::intptr_t* atom,
                                          std::int64_t* value, int* stat) {
  perform("atomic_ref", {stat, nullptr, nullptr},
          [=] { *value = caf::prif::look(caf::prif::word_at(atom, image)); });
}

void _QMprifPprif_atomic_cas_int_indirect(const int* image, const std::intptr_t* atom,
                                          std::int64_t* old, const std::int64_t* expected,
                                          const std::int64_t* desired, int* stat) {
  perform("atomic_cas", {stat, nullptr, nullptr}, [=] {
    *old = caf::prif::exchange(caf::prif::word_at(atom, image), *expected, *desired);
  });
}

void _QMprifPprif_atomic_define_logical(const int* image, const Handle* handle,
                                        const std::size_t* offset, const std::int64_t* value,
                                        int* stat) {
  perform("atomic_define", {stat, nullptr, nullptr},
          [=] { caf::prif::define(caf::prif::word_in(handle, offset, image), *value); });
}

void _QMprifPprif_atomic_ref_logical(const int* image, const Handle* handle,
                                     const std::size_t* offset, std::int64_t* value, int* stat) {
  perform("atomic_ref", {stat, nullptr, nullptr},
          [=] { *value = caf::prif::look(caf::prif::word_in(handle, offset, image)); });
}

void _QMprifPprif_atomic_cas_logical(const int* image, const Handle* handle,
                                     const std::size_t* offset, std::int64_t* old,
                                     const std::int64_t* expected, const std::int64_t* desired,
                                     int* stat) {
  perform("atomic_cas", {stat, nullptr, nullptr}, [=] {
    *old = caf::prif::exchange(caf::prif::word_in(handle, offset, image), *expected, *desired);
  });
}

void _QMprifPprif_atomic_define_logical_indirect(const int* image, const std::intptr_t* atom,
                                                 const std::int64_t* value, int* stat) {
  perform("atomic_define", {stat, nullptr, nullptr},
          [=] { caf::prif::define(caf::prif::word_at(atom, image), *value); });
}

void _QMprifPprif_atomic_ref_logical_indirect(const int* image, const std::intptr_t* atom,
                                              std::int64_t* value, int* stat) {
  perform("atomic_ref", {stat, nullptr, nullptr},
          [=] { *value = caf::prif::look(caf::prif::word_at(atom, image)); });
}

void _QMprifPprif_atomic_cas_logical_indirect(const int* image, const std::intptr_t* atom,
                                              std::int64_t* old, const std::int64_t* expected,
                                              const std::int64_t* desired, int* stat) {
  perform("atomic_cas", {stat, nullptr, nullptr}, [=] {
    *old = caf::prif::exchange(caf::prif::word_at(atom, image), *expected, *desired);
  });
}

}  // extern "C"
