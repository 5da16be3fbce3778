#include "bootstrap/mpi_state.hpp"

#include <dlfcn.h>
#include <link.h>

#include <initializer_list>
#include <string_view>

namespace armature::bootstrap {
namespace {

/// Tells whether an MPI is loaded: if none is, dlopen would search the file system each time.
bool some_mpi_is_loaded() {
  return dl_iterate_phdr(
             [](dl_phdr_info* loaded, std::size_t /*bytes*/, void* /*none*/) -> int {
               const std::string_view path = loaded->dlpi_name;
               return path.substr(path.rfind('/') + 1).starts_with("libmpi");
             },
             nullptr) != 0;
}

bool says_yes(const char* question) {
  const auto ask = reinterpret_cast<int (*)(int*)>(mpi_symbol(question));
  int answer = 0;
  return ask != nullptr && ask(&answer) == 0 && answer != 0;
}

}  // namespace

void* mpi_symbol(const char* name) {
  if (void* found = dlsym(RTLD_DEFAULT, name)) return found;
  if (!some_mpi_is_loaded()) return nullptr;
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
