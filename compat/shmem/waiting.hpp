#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <armature/layer/races.hpp>
#include <armature/layer/wait.hpp>
#include <armature/run.hpp>
#include <armature/wait_until.hpp>

#include "calls.hpp"
#include "shmem.h"
#include "state.hpp"

// Waiting for words and testing them, as wait_until.hpp has it. A status that is null leaves no
// word out. A result of SIZE_MAX is "none" here, and the number of words there.

namespace shmem {

/// Throws Error(bad_argument) for what is no SHMEM_CMP_ constant.
[[nodiscard]] armature::Comparison comparison_of(int comparison);

/// Lets others run where the word of the caller is still as it was seen: for calls that programs
/// make again and again, which would keep a virtual PE's thread. Any thread may call; one that runs
/// no rank just goes on.
template <class T>
void let_others_run(const T* word, T seen) {
  if (armature::initialized()) (void)armature::test(word, armature::Comparison::ne, seen);
}

/// The deprecated types of 2 bytes, of which armature::wait_until knows nothing: `seen` compares so
/// with the value.
[[nodiscard]] bool compares(int seen, armature::Comparison comparison, int value);

/// As layer::wait_until, on any thread of the PE.
template <class Holds>
void wait_on_any_thread(const armature::layer::Waiting& waiting, Holds&& holds) {
  if (state().is_on_own_thread()) return armature::layer::wait_until(waiting, holds);
  constexpr int nothing = 0;
  while (!holds()) {
    let_others_run(&nothing, 0);
    std::this_thread::yield();
  }
}

template <class T>
void wait_until(const char* call, const T* word, int comparison, std::type_identity_t<T> value) {
  if constexpr (armature::WaitableInteger<T>) {
    (void)armature::wait_until(word, comparison_of(comparison), value);
  } else {
    const armature::Comparison wanted = comparison_of(comparison);
    wait_on_any_thread({.call = call, .until = "a word changes"}, [&] {
      return compares(__atomic_load_n(word, __ATOMIC_ACQUIRE), wanted, value);
    });
    armature::layer::has_seen(word, sizeof *word);
  }
}
template <class T>
[[nodiscard]] int test(const T* word, int comparison, std::type_identity_t<T> value) {
  const armature::Comparison wanted = comparison_of(comparison);
  if constexpr (armature::WaitableInteger<T>) {
    return armature::test(word, wanted, value) ? 1 : 0;
  } else {
    // The look at a copy lets others run where it does not hold.
    const int seen = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    armature::layer::has_seen(word, sizeof *word);
    return armature::test(&seen, wanted, value) ? 1 : 0;
  }
}

/// Words and what they are to be: one value, or a span of one for each.
template <class T, class Value>
class Words {
 public:
  Words(const T* words, std::size_t count, const int* status, int comparison, Value value)
      : words_(words, count),
        left_out_(status, status == nullptr ? 0 : count),
        comparison_(comparison_of(comparison)),
        value_(value) {}

  void wait_all() const { armature::wait_until_all(words_, comparison_, value_, left_out_); }
  [[nodiscard]] std::size_t wait_any() const {
    return index(armature::wait_until_any(words_, comparison_, value_, left_out_));
  }
  [[nodiscard]] std::size_t wait_some(std::size_t* indices) const {
    return armature::wait_until_some(words_, std::span(indices, words_.size()), comparison_, value_,
                                     left_out_);
  }
  [[nodiscard]] int test_all() const {
    return armature::test_all(words_, comparison_, value_, left_out_) ? 1 : 0;
  }
  [[nodiscard]] std::size_t test_any() const {
    return index(armature::test_any(words_, comparison_, value_, left_out_));
  }
  [[nodiscard]] std::size_t test_some(std::size_t* indices) const {
    return armature::test_some(words_, std::span(indices, words_.size()), comparison_, value_,
                               left_out_);
  }

 private:
  [[nodiscard]] std::size_t index(std::size_t found) const {
    return found == words_.size() ? SIZE_MAX : found;
  }

  std::span<const T> words_;
  std::span<const int> left_out_;
  armature::Comparison comparison_;
  Value value_;
};

template <class T>
[[nodiscard]] Words<T, T> words(const T* words, std::size_t count, const int* status,
                                int comparison, std::type_identity_t<T> value) {
  return {words, count, status, comparison, value};
}
template <class T>
[[nodiscard]] Words<T, std::span<const T>> words(const T* words, std::size_t count,
                                                 const int* status, int comparison,
                                                 const std::type_identity_t<T>* values) {
  return {words, count, status, comparison, std::span<const T>(values, count)};
}

}  // namespace shmem
