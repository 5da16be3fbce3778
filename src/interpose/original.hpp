#pragma once

#include <dlfcn.h>

#include <utility>

// Functions whose place libarmature-malloc.so takes, as the libraries behind it have them.

namespace armature::interpose {

template <class Function>
class Original;

/// The next library's function of that name. It is found before anything else runs (-z initfirst):
/// a search is a call that dlerror would speak of. Some are called still earlier, by what every
/// library begins with: then it is found by that call.
template <class Result, class... Parameters>
class Original<Result(Parameters...)> {
 public:
  constexpr explicit Original(const char* name) : name_(name) {}

  /// False where no library has it.
  bool find() {
    if (function_ == nullptr)
      function_ = reinterpret_cast<Result (*)(Parameters...)>(dlsym(RTLD_NEXT, name_));
    return function_ != nullptr;
  }
  /// Finds it in a library that has not been loaded for all to see, as a module's are not.
  bool find_in(const char* library) {
    void* const loaded = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (loaded == nullptr) return false;
    function_ = reinterpret_cast<Result (*)(Parameters...)>(dlsym(loaded, name_));
    dlclose(loaded);
    return function_ != nullptr;
  }
  Result operator()(Parameters... arguments) {
    if (function_ == nullptr) [[unlikely]]
      (void)find();
    return function_(arguments...);
  }

 private:
  const char* const name_;
  Result (*function_)(Parameters...) = nullptr;
};

}  // namespace armature::interpose

#define ARMATURE_ORIGINAL(Result, name, parameters)                                  \
  namespace {                                                                        \
  constinit armature::interpose::Original<Result parameters> original_##name{#name}; \
  [[gnu::constructor]] void find_##name() { (void)original_##name.find(); }          \
  }                                                                                  \
  static_assert(true)

#define ARMATURE_EXPORT extern "C" [[gnu::visibility("default")]]

/// Another name of a function. Clang has no attribute that copies the others, and does not miss
/// them.
#if defined(__clang__)
#define ARMATURE_ALIAS(name) [[gnu::alias(#name)]]
#else
#define ARMATURE_ALIAS(name) [[gnu::alias(#name), gnu::copy(name)]]
#endif
