#pragma once

#include <string>

#include "armature/error.hpp"

// What becomes of a call of an element that fails.

namespace armature::detail {

/// Thrown by what is done to an element when it cannot be done, for its caller.
struct Refused {
  Errc code;
  std::string text;
};

/// On the rank that is to hear of it.
struct ThrowReported {
  void operator()(Errc code, const std::string& text) const { throw Error(code, text); }
};

}  // namespace armature::detail
