#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace armature::bootstrap {

/// The choice of `armature run --private-globals` and ARMATURE_PRIVATE_GLOBALS: on, off, or a list
/// that names the program and libraries: program,libfoo.so.
struct PrivateGlobals {
  bool are_on = false;
  std::vector<std::string> libraries = {};  // copied with the program, as the list names them

  /// Nothing where the text is none of these.
  static std::optional<PrivateGlobals> parse(std::string_view text);
  /// The choice that the environment says; off where that is nothing, or makes no sense.
  static PrivateGlobals of_environment();
};

inline constexpr const char* private_globals_forms =
    "on, off, or a list that begins with the program: program,libfoo.so";

}  // namespace armature::bootstrap
