#include "../synchronization.hpp"

#include "../calls.hpp"
#include "libcaf15.hpp"

namespace {

caf::Outcome outcome_of(int* stat, char* const* message, std::size_t message_bytes) {
  return {stat, message == nullptr ? nullptr : *message, message_bytes};
}

}  // namespace

extern "C" {

void _gfortran_caf_sync_all(int* stat, char* const* message, std::size_t message_bytes) {
  caf::perform("sync all", outcome_of(stat, message, message_bytes),
               [] { caf::synchronize_all(caf::image()); });
}

void _gfortran_caf_sync_memory(int* stat, char* const* message, std::size_t message_bytes) {
  caf::perform("sync memory", outcome_of(stat, message, message_bytes),
               [] { caf::synchronize_memory(); });
}

void _gfortran_caf_sync_images(int count, const int* images, int* stat, char* const* message,
                               std::size_t message_bytes) {
  caf::perform("sync images", outcome_of(stat, message, message_bytes),
               [=] { caf::synchronize_with(caf::image(), count, images); });
}

}  // extern "C"
