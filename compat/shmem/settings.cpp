#include "settings.hpp"

#include <cstdlib>
#include <string>

const char* shmem::setting(const char* name) {
  for (const char* const prefix : {"SHMEM_", "SMA_"})
    if (const char* const value = std::getenv((prefix + std::string(name)).c_str());
        value != nullptr)
      return value;
  return nullptr;
}
