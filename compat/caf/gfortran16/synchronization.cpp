#include "../synchronization.hpp"

#include "../calls.hpp"
#include "libcaf16.hpp"

extern "C" {

void _gfortran_caf_sync_all(int* stat, char* message, std::size_t message_bytes) {
  caf::perform("sync all", {stat, message, message_bytes},
               [] { caf::synchronize_all(caf::image()); });
}

void _gfortran_caf_sync_memory(int* stat, char* message, std::size_t message_bytes) {
  caf::perform("sync memory", {stat, message, message_bytes}, [] { caf::synchronize_memory(); });
}

void _gfortran_caf_sync_images(int count, const int* images, int* stat, char* message,
                               std::size_t message_bytes) {
  caf::perform("sync images", {stat, message, message_bytes},
               [=] { caf::synchronize_with(caf::image(), count, images); });
}

}  // extern "C"
