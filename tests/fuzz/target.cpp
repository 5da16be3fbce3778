// The target in the form that libFuzzer wants. With clang it is linked with -fsanitize=fuzzer and
// without driver.cpp.
#include <cstdint>

#include "fuzz/input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  static const auto corpus = armature::fuzz::begin_job();
  armature::fuzz::play(std::as_bytes(std::span(data, bytes)));
  return 0;
}
