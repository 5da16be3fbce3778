#include "shaped.hpp"

template <>
std::unique_ptr<armature_array> compat_arrays::make_array<double>(
    const armature_arrays_request& request) {
  return make_shaped<double>(request);
}
