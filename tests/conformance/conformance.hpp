#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "armature/armature.hpp"
#include "armature/virtual.hpp"

// Every test runs on every rank at the same time, as one collective call; see together.hpp. What a
// test allocates together it frees at its end only: a destructor that does it would wait for ranks
// that have failed. Ranks may be threads of one process: what a test keeps in a static is theirs
// together.

#if defined(__SANITIZE_THREAD__)
extern "C" void AnnotateIgnoreReadsBegin(const char* file, int line);
extern "C" void AnnotateIgnoreReadsEnd(const char* file, int line);
#endif

namespace conformance {

/// Called by one rank of each process, inside GoogleTest: runs `body` on all ranks of the process.
void on_all_ranks(void (*body)());

inline armature::World& world() { return armature::world(); }
inline int me() { return world().rank(); }
inline int ranks() { return world().size(); }
inline int right(int by = 1) { return (me() + by) % ranks(); }
inline int left(int by = 1) { return (me() + ranks() - by % ranks()) % ranks(); }

/// How often something is repeated: less often where it goes over a network each time.
inline int often(int times) { return armature::same_node(0, ranks() - 1) ? times : times / 5; }

/// Lets others run until `condition` holds; false after 20 s.
template <class Condition>
[[nodiscard]] bool eventually(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    armature::yield();
    std::this_thread::yield();
  }
  return true;
}

/// Lets `look` see transfers that may be on their way, deliberately. Their order is what the
/// machine and the library promise, not the language, so ThreadSanitizer must not judge it.
template <class Look>
auto watch(Look look) {
#if defined(__SANITIZE_THREAD__)
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  const auto seen = look();
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  return seen;
#else
  return look();
#endif
}

/// A value for each place, different for each rank and purpose.
inline std::uint8_t pattern(std::size_t place, std::size_t seed) {
  const std::uint64_t mixed =
      (place * 0x9e37'79b9'7f4a'7c15ULL) ^ (seed * 0xc2b2'ae3d'27d4'eb4fULL);
  return static_cast<std::uint8_t>(mixed >> 33);
}

inline std::vector<std::uint8_t> patterned(std::size_t bytes, std::size_t seed) {
  std::vector<std::uint8_t> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = pattern(i, seed);
  return data;
}

struct Caught {
  armature::Errc code;
  std::string message;
};

template <class Call>
std::optional<Caught> caught(Call&& call) {
  try {
    call();
  } catch (const armature::Error& error) {
    return Caught{error.code(), error.what()};
  }
  return std::nullopt;
}

/// `call` must throw an Error of that code whose message mentions all `words`.
template <class Call>
void expect_error(armature::Errc code, const std::vector<std::string>& words, Call&& call) {
  const auto error = caught(call);
  if (!error) {
    ADD_FAILURE() << "no Error was thrown";
    return;
  }
  EXPECT_EQ(static_cast<int>(error->code), static_cast<int>(code)) << error->message;
  for (const auto& word : words) {
    EXPECT_NE(error->message.find(word), std::string::npos)
        << "'" << word << "' is not mentioned in: " << error->message;
  }
}

/// True when the job checks every address against the list of allocations.
bool checks_in_full();

}  // namespace conformance

#undef TEST
#define TEST(suite, name)                                                       \
  static void suite##_##name##_body();                                          \
  GTEST_TEST(suite, name) { conformance::on_all_ranks(suite##_##name##_body); } \
  static void suite##_##name##_body()

/// TYPED_TEST; the type is TypeParam.
#define RANKS_TYPED_TEST(suite, name)                                                      \
  template <class TypeParam>                                                               \
  static void suite##_##name##_body();                                                     \
  TYPED_TEST(suite, name) { conformance::on_all_ranks(suite##_##name##_body<TypeParam>); } \
  template <class TypeParam>                                                               \
  static void suite##_##name##_body()

// The bodies of these would run on one rank of each process only.
#undef TEST_F
#undef TEST_P
#undef TYPED_TEST_P
