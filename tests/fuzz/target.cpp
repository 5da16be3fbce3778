// The target in the form that libFuzzer wants. With clang it is linked with -fsanitize=fuzzer and
// without driver.cpp.
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "fuzz/input.hpp"
#include "fuzz/mutate.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t bytes,
                                        std::size_t bytes_max);

namespace armature::fuzz {
namespace {

/// How many inputs there will be, where -runs says so.
std::uint64_t runs_of(int argc, char** argv) {
  constexpr std::string_view option = "-runs=";
  std::uint64_t runs = 0;
  for (const std::string_view word : std::span(argv, static_cast<std::size_t>(argc)))
    if (word.starts_with(option))
      (void)std::from_chars(word.data() + option.size(), word.data() + word.size(), runs);
  return runs;
}

Mutator& mutator(std::uint64_t inputs_before_leaving) {
  static auto* const made = new Mutator(mutator_of(1, begin_job(inputs_before_leaving)));
  return *made;
}

}  // namespace
}  // namespace armature::fuzz

// The job goes on for ever, so it is not to be taken apart at the end.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  on_exit([](int status, void*) { _exit(status); }, nullptr);
  const std::uint64_t runs = armature::fuzz::runs_of(*argc, *argv);
  (void)armature::fuzz::mutator(runs - runs / 10);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  armature::fuzz::play(std::as_bytes(std::span(data, bytes)));
  return 0;
}

// Half of the changes are libFuzzer's own. The others know what packets are made of.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t bytes,
                                               std::size_t bytes_max, unsigned seed) {
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, bytes, bytes_max);
  armature::fuzz::Mutator& mutator = armature::fuzz::mutator(0);
  mutator.begin_again(seed);
  armature::fuzz::Bytes input;
  if (seed % 16 == 1) {
    input = mutator.next();
  } else {
    const auto now = std::as_bytes(std::span(data, bytes));
    input.assign(now.begin(), now.end());
    mutator.change_some(input);
  }
  const std::size_t length = std::min(input.size(), bytes_max);
  if (length != 0) std::memcpy(data, input.data(), length);
  return length;
}
