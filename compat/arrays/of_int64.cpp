#include "shaped.hpp"

template <>
std::unique_ptr<armature_array> compat_arrays::make_array<std::int64_t>(
    const armature_arrays_request& request) {
  return make_shaped<std::int64_t>(request);
}
