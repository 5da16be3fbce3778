#include "events.hpp"

#include <cstdint>
#include <string>

#include <armature/atomic.hpp>
#include <armature/fence.hpp>
#include <armature/get.hpp>
#include <armature/layer/wait.hpp>

#include "calls.hpp"
#include "coarray.hpp"
#include "libcaf.hpp"

namespace caf {
namespace {

Event event_at(const Coarray* coarray, std::size_t index, int image_number) {
  return place_of_variable(coarray, index * sizeof(std::uint64_t), sizeof(std::uint64_t),
                           image_number)
      .as<std::uint64_t>();
}

}  // namespace

void post(Event event) {
  armature::fence_all();
  armature::fetch_add(event, 1);
  armature::layer::wake(event.rank());
}

void wait_for(Event event, std::uint64_t posts) {
  const std::uint64_t* const word = event.address();
  armature::layer::wait_until({.call = "event wait", .until = "event is posted", .is_told = true},
                              [=] { return __atomic_load_n(word, __ATOMIC_ACQUIRE) >= posts; });
  armature::fetch_add(event, std::uint64_t{0} - posts);
}

std::uint64_t posts_of(Event event) {
  const std::uint64_t posts = armature::get(event);
  armature::layer::progress();
  return posts;
}

}  // namespace caf

extern "C" {

void _gfortran_caf_event_post(caf::Coarray* token, std::size_t index, int image, int* stat,
                              char* message, std::size_t message_bytes) {
  caf::perform("event post", {stat, message, message_bytes},
               [=] { caf::post(caf::event_at(token, index, image)); });
}

void _gfortran_caf_event_wait(caf::Coarray* token, std::size_t index, int until, int* stat,
                              char* message, std::size_t message_bytes) {
  caf::perform("event wait", {stat, message, message_bytes}, [=] {
    caf::wait_for(caf::event_at(token, index, 0),
                  until < 1 ? 1 : static_cast<std::uint64_t>(until));
  });
}

void _gfortran_caf_event_query(caf::Coarray* token, std::size_t index, int image, int* count,
                               int* stat) {
  caf::perform("event_query", {stat}, [=] {
    *count = static_cast<int>(caf::posts_of(caf::event_at(token, index, image)));
  });
}

}  // extern "C"
