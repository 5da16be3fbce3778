#pragma once

#include <cstdlib>
#include <optional>
#include <string>

#include "copies/choice.hpp"

namespace armature::copies {

/// Makes ARMATURE_COPY say that while it lives; nullptr: nothing. For unit tests.
class Says {
 public:
  explicit Says(const char* text) {
    if (const char* const before = std::getenv(copy_variable)) before_ = before;
    set(text);
  }
  Says(const Says&) = delete;
  Says& operator=(const Says&) = delete;
  ~Says() { set(before_ ? before_->c_str() : nullptr); }

 private:
  static void set(const char* text) {
    if (text != nullptr)
      setenv(copy_variable, text, 1);
    else
      unsetenv(copy_variable);
  }
  std::optional<std::string> before_;
};

}  // namespace armature::copies
