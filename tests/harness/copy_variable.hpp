#pragma once

#include <cstdlib>
#include <optional>
#include <string>

#include "copies/choice.hpp"

namespace armature::harness {

/// The environment variable ARMATURE_COPY has that text while this lives; nullptr: it is not set.
class CopyVariable {
 public:
  explicit CopyVariable(const char* text) {
    if (const char* const before = std::getenv(copies::copy_variable)) before_ = before;
    set(text);
  }
  CopyVariable(const CopyVariable&) = delete;
  CopyVariable& operator=(const CopyVariable&) = delete;
  ~CopyVariable() { set(before_ ? before_->c_str() : nullptr); }

 private:
  static void set(const char* text) {
    if (text != nullptr)
      setenv(copies::copy_variable, text, 1);
    else
      unsetenv(copies::copy_variable);
  }
  std::optional<std::string> before_;
};

}  // namespace armature::harness
