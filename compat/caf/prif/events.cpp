#include "../events.hpp"

#include "../locks.hpp"
#include "handle.hpp"
#include "outcome.hpp"

// Locks, critical constructs, events and notifications: words of 8 bytes.

namespace caf::prif {
namespace {

using Word = armature::global_ptr<std::uint64_t>;

Word word_in(const Handle* handle, std::size_t offset, int image_number) {
  return place_of(*handle, offset, sizeof(std::uint64_t), image_number).as<std::uint64_t>();
}
Word word_at(std::intptr_t address, int image_number) {
  return place_of(address, image_number).as<std::uint64_t>();
}
Word word_of_mine(void* address) {
  return Word(image().rank, static_cast<std::uint64_t*>(address));
}

void lock(Word word, bool* is_acquired) {
  const bool is_mine = enter(image(), word, is_acquired == nullptr);
  if (is_acquired != nullptr) *is_acquired = is_mine;
}

void wait(void* const* event, const std::int64_t* until) {
  wait_for(word_of_mine(*event),
           until == nullptr || *until < 1 ? 1 : static_cast<std::uint64_t>(*until));
}

/// The lock of a critical construct lies at the first image.
Word word_of_critical(const Handle* critical) { return word_in(critical, 0, 1); }

}  // namespace
}  // namespace caf::prif

extern "C" {

using caf::prif::Array;
using caf::prif::Handle;
using caf::prif::perform;
using caf::prif::Statement;

void _QMprifPprif_lock(const int* image, const Handle* handle, const std::size_t* offset,
                       bool* is_acquired, int* stat, const Array* message, Array* own_message) {
  perform(
      "lock", {stat, message, own_message},
      [=] { caf::prif::lock(caf::prif::word_in(handle, *offset, *image), is_acquired); },
      Statement::lock);
}

void _QMprifPprif_lock_indirect(const int* image, const std::intptr_t* lock, bool* is_acquired,
                                int* stat, const Array* message, Array* own_message) {
  perform(
      "lock", {stat, message, own_message},
      [=] { caf::prif::lock(caf::prif::word_at(*lock, *image), is_acquired); }, Statement::lock);
}

void _QMprifPprif_unlock(const int* image, const Handle* handle, const std::size_t* offset,
                         int* stat, const Array* message, Array* own_message) {
  perform(
      "unlock", {stat, message, own_message},
      [=] { caf::leave(caf::image(), caf::prif::word_in(handle, *offset, *image)); },
      Statement::unlock);
}

void _QMprifPprif_unlock_indirect(const int* image, const std::intptr_t* lock, int* stat,
                                  const Array* message, Array* own_message) {
  perform(
      "unlock", {stat, message, own_message},
      [=] { caf::leave(caf::image(), caf::prif::word_at(*lock, *image)); }, Statement::unlock);
}

void _QMprifPprif_critical(const Handle* critical, int* stat, const Array* message,
                           Array* own_message) {
  perform(
      "critical", {stat, message, own_message},
      [=] { caf::prif::lock(caf::prif::word_of_critical(critical), nullptr); }, Statement::lock);
}

void _QMprifPprif_end_critical(const Handle* critical) {
  perform("end critical", {},
          [=] { caf::leave(caf::image(), caf::prif::word_of_critical(critical)); });
}

void _QMprifPprif_event_post(const int* image, const Handle* handle, const std::size_t* offset,
                             int* stat, const Array* message, Array* own_message) {
  perform("event post", {stat, message, own_message},
          [=] { caf::post(caf::prif::word_in(handle, *offset, *image)); });
}

void _QMprifPprif_event_post_indirect(const int* image, const std::intptr_t* event, int* stat,
                                      const Array* message, Array* own_message) {
  perform("event post", {stat, message, own_message},
          [=] { caf::post(caf::prif::word_at(*event, *image)); });
}

void _QMprifPprif_event_wait(void* const* event, const std::int64_t* until, int* stat,
                             const Array* message, Array* own_message) {
  perform("event wait", {stat, message, own_message}, [=] { caf::prif::wait(event, until); });
}

void _QMprifPprif_notify_wait(void* const* notified, const std::int64_t* until, int* stat,
                              const Array* message, Array* own_message) {
  perform("notify wait", {stat, message, own_message}, [=] { caf::prif::wait(notified, until); });
}

void _QMprifPprif_event_query(void* const* event, std::int64_t* count, int* stat) {
  perform("event_query", {stat, nullptr, nullptr}, [=] {
    *count = static_cast<std::int64_t>(caf::posts_of(caf::prif::word_of_mine(*event)));
  });
}

}  // extern "C"
