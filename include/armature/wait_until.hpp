#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <type_traits>

#include "armature/detail/export.hpp"

// Waiting for values: a rank sleeps until words of its own memory are what it wants, which other
// ranks make them by puts, atomics and signals. The meaning is that of OpenSHMEM 1.6's
// point-to-point synchronization (shmem_wait_until, shmem_test and their kin).

namespace armature {

/// A relation of a word to a value: `word >= value` is ge.
enum class Comparison : std::uint8_t { eq, ne, gt, ge, lt, le };

/// Integers of 4 and 8 bytes, signed and unsigned.
template <class T>
concept WaitableInteger =
    std::integral<T> && !std::same_as<T, bool> && (sizeof(T) == 4 || sizeof(T) == 8);

template <class W>
concept WaitableWords = std::ranges::contiguous_range<W> && std::ranges::sized_range<W> &&
    WaitableInteger<std::remove_cv_t<std::ranges::range_value_t<W>>>;

/// One value for all words, or a contiguous range that has one for each.
template <class V, class W>
concept ValuesFor = std::convertible_to<V, std::ranges::range_value_t<W>> ||
    (std::ranges::contiguous_range<V>&& std::ranges::sized_range<V>&&
         std::same_as<std::remove_cv_t<std::ranges::range_value_t<V>>,
                      std::remove_cv_t<std::ranges::range_value_t<W>>>);

namespace detail {

enum class WordKind : std::uint8_t { int32, uint32, int64, uint64 };
template <WaitableInteger T>
inline constexpr WordKind word_kind = sizeof(T) == 4 ? (std::signed_integral<T> ? WordKind::int32
                                                                                : WordKind::uint32)
                                                     : (std::signed_integral<T> ? WordKind::int64
                                                                                : WordKind::uint64);

/// Words, and what they are to be.
struct AwaitedWords {
  const char* call = "wait_until";
  const void* words = nullptr;
  std::size_t count = 1;
  WordKind kind = WordKind::int64;
  Comparison comparison = Comparison::eq;
  bool is_signal = false;              // all that changes them notifies this rank
  std::uint64_t value = 0;             // of all, sign-extended where the words have a sign
  const void* values = nullptr;        // or of each
  std::size_t values_count = 0;        // of these
  std::span<const int> left_out = {};  // where it is not empty: not 0 leaves the word out
};

/// Returns the word that has compared so, sign-extended where it has a sign.
ARMATURE_API std::uint64_t wait_for_word(const AwaitedWords& what);
ARMATURE_API std::size_t wait_for_any(const AwaitedWords& what);
ARMATURE_API std::size_t wait_for_some(const AwaitedWords& what, std::span<std::size_t> indices);
ARMATURE_API void wait_for_all(const AwaitedWords& what);
[[nodiscard]] ARMATURE_API bool test_word(const AwaitedWords& what);
[[nodiscard]] ARMATURE_API std::size_t test_any_word(const AwaitedWords& what);
[[nodiscard]] ARMATURE_API std::size_t test_some_words(const AwaitedWords& what,
                                                       std::span<std::size_t> indices);
[[nodiscard]] ARMATURE_API bool test_all_words(const AwaitedWords& what);

template <WaitableInteger T>
[[nodiscard]] AwaitedWords awaited_word(const char* call, const T* word, Comparison comparison,
                                        T value) {
  return {.call = call,
          .words = word,
          .kind = word_kind<T>,
          .comparison = comparison,
          .value = static_cast<std::uint64_t>(value)};
}

template <WaitableWords W, ValuesFor<W> V>
[[nodiscard]] AwaitedWords awaited_words(const char* call, const W& words, Comparison comparison,
                                         const V& values, std::span<const int> left_out) {
  using T = std::remove_cv_t<std::ranges::range_value_t<W>>;
  AwaitedWords what{.call = call,
                    .words = std::ranges::data(words),
                    .count = static_cast<std::size_t>(std::ranges::size(words)),
                    .kind = word_kind<T>,
                    .comparison = comparison,
                    .left_out = left_out};
  if constexpr (std::convertible_to<V, T>) {
    what.value = static_cast<std::uint64_t>(static_cast<T>(values));
  } else {
    what.values = std::ranges::data(values);
    what.values_count = static_cast<std::size_t>(std::ranges::size(values));
  }
  return what;
}

/// Reads a word as one. Acquire: what its writer has put before is there.
template <WaitableInteger T>
[[nodiscard]] T load_word(const T* word) {
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

}  // namespace detail

/// Waits until the word at `word` compares so with the value, and returns what it is then. All is
/// there then that the writer of the word has put before it in order: by blocking puts before a put
/// of the word, as the data of a put_signal (signal.hpp).
///
/// A look at the word is an acquire load. A put of a single value is a release store, and so are
/// atomics and signals. Non-blocking puts are in no order with the word: a fence, or the signal of
/// put_signal, has to come between (OpenSHMEM 1.5, shmem_fence and shmem_put_signal).
///
/// The word lies in the caller's own memory where others can put, naturally aligned. It is changed
/// by puts of a single value, by atomics, and by signals. Not as a part of an array that is put:
/// its elements come in any order, and C++ calls a look meanwhile a data race. Meanwhile the rank
/// executes calls, and takes in what comes for it.
///
/// The rank sleeps. Signals and everything from other nodes wake it. A put or an atomic from a rank
/// of its node is a plain store that tells nobody: the rank looks by itself, at least once in a
/// millisecond. Nobody knows who will change the word, so no death of a rank ends the wait;
/// `armature inspect` shows what it waits for.
///
/// Any thread of a process of one rank may wait; where a process has several, the rank's own.
/// Throws Error(bad_address) for no address, or one that is not aligned, and Error(misuse) outside
/// run().
template <WaitableInteger T>
T wait_until(const T* word, Comparison comparison, std::type_identity_t<T> value) {
  return static_cast<T>(
      detail::wait_for_word(detail::awaited_word("wait_until", word, comparison, value)));
}
/// Whether the word compares so; never blocks. If not, the rank takes in what has come for it,
/// executes calls, and lets others run. Errors as for wait_until.
template <WaitableInteger T>
[[nodiscard]] bool test(const T* word, Comparison comparison, std::type_identity_t<T> value) {
  return detail::test_word(detail::awaited_word("test", word, comparison, value));
}

/// Sets of words. `values` is one value for all words, or a range that has one for each. `left_out`
/// is empty, or as long as the words: those whose entry is not 0 are not looked at.
///
/// Waits until one of the words compares so. Returns its index; where several do, each has its turn
/// in a row of calls. Returns the number of words, at once, where no word is left to wait for.
/// Throws as wait_until does, and Error(bad_argument) for values or `left_out` of another length.
template <WaitableWords W, ValuesFor<W> V>
std::size_t wait_until_any(const W& words, Comparison comparison, const V& values,
                           std::span<const int> left_out = {}) {
  return detail::wait_for_any(
      detail::awaited_words("wait_until_any", words, comparison, values, left_out));
}
/// Waits until at least one of the words compares so. Writes the indices of all that do, in
/// ascending order, and returns how many. Returns 0, at once, where no word is left to wait for.
/// `indices` has as many places as there are words; Error(bad_argument) where it has fewer.
template <WaitableWords W, ValuesFor<W> V>
std::size_t wait_until_some(const W& words, std::span<std::size_t> indices, Comparison comparison,
                            const V& values, std::span<const int> left_out = {}) {
  return detail::wait_for_some(
      detail::awaited_words("wait_until_some", words, comparison, values, left_out), indices);
}
/// Waits until each of the words has compared so at some time of the call. Returns at once where no
/// word is left to wait for.
template <WaitableWords W, ValuesFor<W> V>
void wait_until_all(const W& words, Comparison comparison, const V& values,
                    std::span<const int> left_out = {}) {
  detail::wait_for_all(
      detail::awaited_words("wait_until_all", words, comparison, values, left_out));
}

/// The index of a word that compares so, or the number of words where none does. These never block,
/// and let others run where they return nothing, as test() does.
template <WaitableWords W, ValuesFor<W> V>
[[nodiscard]] std::size_t test_any(const W& words, Comparison comparison, const V& values,
                                   std::span<const int> left_out = {}) {
  return detail::test_any_word(
      detail::awaited_words("test_any", words, comparison, values, left_out));
}
/// Writes the indices of all words that compare so, in ascending order, and returns how many.
template <WaitableWords W, ValuesFor<W> V>
[[nodiscard]] std::size_t test_some(const W& words, std::span<std::size_t> indices,
                                    Comparison comparison, const V& values,
                                    std::span<const int> left_out = {}) {
  return detail::test_some_words(
      detail::awaited_words("test_some", words, comparison, values, left_out), indices);
}
/// Whether all of the words compare so; true where no word is left to look at.
template <WaitableWords W, ValuesFor<W> V>
[[nodiscard]] bool test_all(const W& words, Comparison comparison, const V& values,
                            std::span<const int> left_out = {}) {
  return detail::test_all_words(
      detail::awaited_words("test_all", words, comparison, values, left_out));
}

}  // namespace armature
