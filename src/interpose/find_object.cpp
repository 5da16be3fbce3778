// An exception that leaves a function of a rank's copy of the program is unwound by the tables that
// the copy has, as the program has them. The unwinder asks the loader, which knows no copies. To
// register each copy with the unwinder was rejected: it would sort its functions first, for each
// rank and process, in memory of whichever rank throws first.
#include <dlfcn.h>

#include "interpose/current.hpp"
#include "interpose/original.hpp"

#ifdef DLFO_STRUCT_HAS_EH_DBASE

ARMATURE_ORIGINAL(int, _dl_find_object, (void* address, dl_find_object* result));

ARMATURE_EXPORT int _dl_find_object(void* address, dl_find_object* result) noexcept {
  const auto [begin, bytes, unwind_table] = armature::interpose::copy_at(address);
  if (bytes == 0) return original__dl_find_object(address, result);
  auto* const image = reinterpret_cast<char*>(begin);
  *result = {};
  result->dlfo_map_start = image;
  result->dlfo_map_end = image + bytes;
  result->dlfo_eh_frame = image + unwind_table;
  return 0;
}

#endif
