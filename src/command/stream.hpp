#pragma once

#include <cstdio>
#include <memory>

namespace armature::command {

struct CloseStream {
  void operator()(std::FILE* stream) const { (void)std::fclose(stream); }
};
/// A stream of the C library, which is closed at the end.
using Stream = std::unique_ptr<std::FILE, CloseStream>;

}  // namespace armature::command
