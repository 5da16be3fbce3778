#include "bootstrap/mpi_state.hpp"

#include <dlfcn.h>

#include <initializer_list>

namespace armature::bootstrap {
namespace {

bool says_yes(const char* question) {
  const auto ask = reinterpret_cast<int (*)(int*)>(mpi_symbol(question));
  int answer = 0;
  return ask != nullptr && ask(&answer) == 0 && answer != 0;
}

}  // namespace

void* mpi_symbol(const char* name) {
  if (void* found = dlsym(RTLD_DEFAULT, name)) return found;
  // Open MPI 4 and 5; MPICH 3 to 5 as Debian names it, and as its own build does.
  for (const char* library : {"libmpi.so.40", "libmpich.so.12", "libmpi.so.12"}) {
    void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) continue;
    void* found = dlsym(handle, name);
    dlclose(handle);
    if (found != nullptr) return found;
  }
  return nullptr;
}

MpiState mpi_state() {
  if (!says_yes("MPI_Initialized")) return MpiState::not_initialised;
  return says_yes("MPI_Finalized") ? MpiState::finalised : MpiState::initialised;
}

}  // namespace armature::bootstrap
