#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace armature::checkpoints {

/// The number that the linker gives to each program and library; zeros where it gave none.
using BuildId = std::array<std::uint8_t, 20>;

/// Of this process's program, and of what this function lies in.
struct Builds {
  BuildId program{}, library{};

  static Builds of_process();
};

/// Of both together; the same for the same builds.
std::uint64_t number_of(const Builds& builds);
std::string text(const BuildId& id);
/// False when the text is not one.
bool parse(const std::string& text, BuildId& id);

}  // namespace armature::checkpoints
