#pragma once

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <type_traits>

#include "armature/detail/export.hpp"
#include "armature/detail/transfer.hpp"
#include "armature/global_ptr.hpp"
#include "armature/handle.hpp"
#include "armature/wait_until.hpp"

// Signals: words of 8 bytes that other ranks set or add to, and whose owner sleeps until they are
// what it wants. A put with a signal says of itself when its data are there. The meaning is that of
// OpenSHMEM 1.6's signaling operations (shmem_put_signal and its kin).

namespace armature {

/// The change that a signal makes to its word.
enum class SignalOperation : std::uint8_t { set, add };

/// A word of the rank that the data go to, and its change: adding 1, unless said. The word is
/// naturally aligned, and does not lie in the data.
struct Signal {
  global_ptr<std::uint64_t> word;
  std::uint64_t value = 1;
  SignalOperation operation = SignalOperation::add;
};

namespace detail {
ARMATURE_API void signal_now(const Signal& signal, const char* call);
ARMATURE_API void put_and_signal(global_ptr<void> to, const void* from, std::size_t bytes,
                                 const Signal& signal, const char* call);
/// nullptr: the source may be reused.
[[nodiscard]] ARMATURE_API Request* put_and_signal_later(global_ptr<void> to, const void* from,
                                                         std::size_t bytes, const Signal& signal,
                                                         const char* call);
}  // namespace detail

/// Puts with a signal behind them. Whoever sees the signal's value finds the data there. Both
/// are seen by the target without its doing anything, and a rank that waits for the word is woken.
/// Between nodes the two travel together, without a round trip between them.
///
/// Blocking: returns on local completion, as put does, and is in order with the blocking puts and
/// signals of this rank to that rank. Signals are atomic with respect to each other, to atomics and
/// to puts of a value; a fence covers data and word. Any thread of a rank may call.
///
/// Throws what put throws; Error(bad_rank) for a word of another rank than the data's, and
/// Error(bad_address) for one that is not aligned. Nothing has been put then.
template <Transferable T>
inline void put_signal(global_ptr<T> to, const std::type_identity_t<T>* from, std::size_t count,
                       const Signal& signal) {
  detail::put_and_signal(to, from, detail::bytes_of<T>(count), signal, "put_signal");
}
template <Transferable T, detail::Buffer<T> Range>
inline void put_signal(global_ptr<T> to, const Range& from, const Signal& signal) {
  put_signal(to, std::ranges::data(from), static_cast<std::size_t>(std::ranges::size(from)),
             signal);
}

/// Non-blocking: the source must stay unchanged until the handle is complete. The signal comes when
/// the data have come, whether anybody waits for the handle or not. Not in order with other
/// operations.
template <Transferable T>
[[nodiscard]] inline Handle put_signal_async(global_ptr<T> to, const std::type_identity_t<T>* from,
                                             std::size_t count, const Signal& signal) {
  return Handle(detail::put_and_signal_later(to, from, detail::bytes_of<T>(count), signal,
                                             "put_signal_async"));
}
template <Transferable T, detail::Buffer<T> Range>
[[nodiscard]] inline Handle put_signal_async(global_ptr<T> to, const Range& from,
                                             const Signal& signal) {
  return put_signal_async(to, std::ranges::data(from),
                          static_cast<std::size_t>(std::ranges::size(from)), signal);
}

/// A signal alone, in order behind the blocking puts and signals of this rank to that rank, and
/// without an answer. Errors as for put_signal.
inline void signal_set(global_ptr<std::uint64_t> word, std::uint64_t value) {
  detail::signal_now({.word = word, .value = value, .operation = SignalOperation::set},
                     "signal_set");
}
inline void signal_add(global_ptr<std::uint64_t> word, std::uint64_t value) {
  detail::signal_now({.word = word, .value = value, .operation = SignalOperation::add},
                     "signal_add");
}

/// The value of a signal word of the calling rank. Acquire: the data of the signals that it counts
/// are there.
[[nodiscard]] inline std::uint64_t signal_fetch(const std::uint64_t* word) {
  return detail::load_word(word);
}

/// Waits until a signal word of the calling rank compares so with the value, and returns what it is
/// then. As wait_until (wait_until.hpp), but only signals may change the word: the rank sleeps
/// until one of them wakes it, and does not look in between. A word that something else changes may
/// be seen a tenth of a second late.
inline std::uint64_t signal_wait_until(const std::uint64_t* word, Comparison comparison,
                                       std::uint64_t value) {
  detail::AwaitedWords what = detail::awaited_word("signal_wait_until", word, comparison, value);
  what.is_signal = true;
  return detail::wait_for_word(what);
}

}  // namespace armature
