#pragma once

#include <link.h>

#include <array>
#include <cstdint>
#include <string>

namespace armature::migration {

/// The number that the linker gives to each program and library; where it gave none, one made of
/// the code.
using BuildId = std::array<std::uint8_t, 20>;

/// Finds the number of one that is loaded.
BuildId build_of(const dl_phdr_info& module);

/// The numbers of this process's program, and of the library that this function lies in.
struct Builds {
  BuildId program{}, library{};

  static Builds of_process();
};

/// Makes one number of both; the same for the same builds.
std::uint64_t number_of(const Builds& builds);
std::string text(const BuildId& id);
/// False when the text is not one.
bool parse(const std::string& text, BuildId& id);

}  // namespace armature::migration
