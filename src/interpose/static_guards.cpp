// The C++ library lets one thread at a time initialise a function's static, and the others sleep.
// Of virtual ranks many are one thread: where one waits in an initialiser the next would sleep in
// its place, for ever. So a rank asks libarmature, which lets others run meanwhile.
#include <cxxabi.h>
#include <dlfcn.h>

#include "interpose/interface.hpp"
#include "interpose/original.hpp"

using armature::interpose::Original;
using armature::interpose::StaticGuards;
using Guard = __cxxabiv1::__guard;

namespace {

constinit Original<int(Guard*)> original_acquire{"__cxa_guard_acquire"};
constinit Original<void(Guard*)> original_release{"__cxa_guard_release"};
constinit Original<void(Guard*)> original_abort{"__cxa_guard_abort"};

constinit StaticGuards ranks;  // of libarmature, once there are any

/// Callers of these have the C++ library loaded.
template <class Function>
Original<Function>& of_library(Original<Function>& original) {
  if (!original.find()) (void)original.find_in("libstdc++.so.6");
  return original;
}

}  // namespace

ARMATURE_EXPORT int __cxa_guard_acquire(Guard* guard) {
  if (ranks.acquire != nullptr) return ranks.acquire(guard);
  return of_library(original_acquire)(guard);
}

ARMATURE_EXPORT void __cxa_guard_release(Guard* guard) noexcept {
  if (ranks.release != nullptr) return ranks.release(guard);
  of_library(original_release)(guard);
}

ARMATURE_EXPORT void __cxa_guard_abort(Guard* guard) noexcept {
  if (ranks.abort != nullptr) return ranks.abort(guard);
  of_library(original_abort)(guard);
}

StaticGuards armature::interpose::exchange_static_guards(const StaticGuards& of_ranks) {
  ranks = of_ranks;
  return {[](Guard* guard) { return of_library(original_acquire)(guard); },
          [](Guard* guard) { of_library(original_release)(guard); },
          [](Guard* guard) { of_library(original_abort)(guard); }};
}
