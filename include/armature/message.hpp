#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

#include "armature/detail/export.hpp"
#include "armature/handle.hpp"
#include "armature/rank.hpp"

namespace armature {

// Two-sided messages, as MPI has them (MPI 4.1, 3): a message is matched by its sender and its tag.
// If several receives match a message, the message goes to the one that was posted first. Messages
// of one sender that match the same receive are received in the order they were sent. Between ranks
// of a node a long message is copied once, if the receiver can read the sender's memory. Otherwise
// it goes by the kernel or through a ring, whichever is faster. Between nodes its bytes go straight
// to where a receive wants them.

struct AnyTag {
  explicit AnyTag() = default;
};
/// Any tag, for a receive.
inline constexpr AnyTag any_tag{};

/// The tag, 0 or more, that a message must have to be received; or any_tag.
class TagPattern {
 public:
  TagPattern(int tag) : tag_(tag), is_any_(false) {}       // NOLINT(google-explicit-constructor)
  TagPattern(AnyTag /*any*/) : tag_(-1), is_any_(true) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] int tag() const { return tag_; }
  [[nodiscard]] bool is_any() const { return is_any_; }

 private:
  int tag_;
  bool is_any_;
};

/// The sender, length and tag of a message.
struct Received {
  Rank from;
  std::size_t bytes = 0;
  int tag = 0;
};

/// Returns when `data` may be reused. Then a short message is on its way. A long one (more than
/// about 10 KiB) has been received, or taken into the receiver's memory because the receiver waits
/// for something else. Throws Error(bad_rank), and Error(bad_argument) for a negative tag. Throws
/// Error(out_of_memory) if there is no memory for a mailbox of 64 KiB. Throws Error(rank_lost) if
/// `to` has died in a job that goes on after deaths.
ARMATURE_API void send(Rank to, int tag, std::span<const std::byte> data);
/// Waits for a message from `from` (Rank::none(): from anyone) with that tag, copies it to `into`.
/// Throws Error(bad_argument) when it is longer than `into`; the message is then kept.
ARMATURE_API Received receive(Rank from, TagPattern tag, std::span<std::byte> into);

/// Sends as send() does, and returns at once. `data` stays as it is until the handle is complete.
ARMATURE_API Handle send_async(Rank to, int tag, std::span<const std::byte> data);
/// Begins a receive, and returns at once. When the handle is complete, `into` may be used, and
/// `*got`, where that is not null, tells what came. Handle::wait throws where the message is
/// longer.
ARMATURE_API Handle receive_async(Rank from, TagPattern tag, std::span<std::byte> into,
                                  Received* got = nullptr);
/// Ends a receive that no message has matched: true, and the handle is empty. Else false. Throws
/// Error(bad_argument) for a handle of something else.
ARMATURE_API bool cancel(Handle& receive);

/// Waits until receive() with these arguments would find a message, and tells what that is.
ARMATURE_API Received probe(Rank from, TagPattern tag);
/// Tells what receive() would get now; nothing where there is no message. Never blocks.
[[nodiscard]] ARMATURE_API std::optional<Received> try_probe(Rank from, TagPattern tag);

namespace detail {
struct MatchedState;
struct DropMatched {
  ARMATURE_API void operator()(MatchedState* state) const noexcept;
};
}  // namespace detail

/// A message that has been matched (MPI 4.1, 3.8.2): no other receive gets it. One that is
/// destroyed without having been received waits again, before all others.
class [[nodiscard]] MatchedMessage {
 public:
  explicit MatchedMessage(std::unique_ptr<detail::MatchedState, detail::DropMatched> state)
      : state_(std::move(state)) {}

  [[nodiscard]] ARMATURE_API Received what() const;
  /// Copies it to `into`. Throws Error(bad_argument) when it is longer, and has it still; or where
  /// it was received before.
  ARMATURE_API void receive(std::span<std::byte> into);

 private:
  std::unique_ptr<detail::MatchedState, detail::DropMatched> state_;
};

/// Takes the message that receive() would get now, if there is one. Never blocks.
[[nodiscard]] ARMATURE_API std::optional<MatchedMessage> try_match(Rank from, TagPattern tag);

namespace detail {

template <class T>
concept Bytes = std::convertible_to<const T&, std::span<const std::byte>>;
/// Values one behind the other whose bytes may be copied.
template <class Range>
concept Values = std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range> &&
    std::is_trivially_copyable_v<std::ranges::range_value_t<Range>>;
template <class T>
concept Value = std::is_trivially_copyable_v<T> && !std::ranges::range<T> && !std::is_pointer_v<T>;

template <class T>
std::span<const std::byte> bytes_of_values(const T& values) {
  return std::as_bytes(std::span(std::ranges::data(values), std::ranges::size(values)));
}
template <class T>
std::span<std::byte> room_of_values(T& values) {
  return std::as_writable_bytes(std::span(std::ranges::data(values), std::ranges::size(values)));
}
/// Throws Error(bad_argument): the message has another length.
[[noreturn]] ARMATURE_API void not_one_value(const Received& got, std::size_t bytes);

}  // namespace detail

/// Typed forms: one value, or all of a contiguous range (vector, span, array...).
template <detail::Value T>
void send(Rank to, int tag, const T& value) {
  send(to, tag, std::as_bytes(std::span(&value, 1)));
}
template <detail::Values T>
requires(!detail::Bytes<T>) void send(Rank to, int tag, const T& values) {
  send(to, tag, detail::bytes_of_values(values));
}
template <detail::Values T>
requires(!detail::Bytes<T>) Handle send_async(Rank to, int tag, const T& values) {
  return send_async(to, tag, detail::bytes_of_values(values));
}
template <detail::Values T>
requires(!std::convertible_to<T&, std::span<std::byte>>) Received
    receive(Rank from, TagPattern tag, T&& into) {
  return receive(from, tag, detail::room_of_values(into));
}
template <detail::Values T>
requires(!std::convertible_to<T&, std::span<std::byte>>) Handle
    receive_async(Rank from, TagPattern tag, T&& into, Received* got = nullptr) {
  return receive_async(from, tag, detail::room_of_values(into), got);
}
/// Receives one value. Throws Error(bad_argument) where the message has another length; a longer
/// one is kept.
template <detail::Value T>
T receive(Rank from, TagPattern tag) {
  T value;
  const Received got = receive(from, tag, std::as_writable_bytes(std::span(&value, 1)));
  if (got.bytes != sizeof(T)) detail::not_one_value(got, sizeof(T));
  return value;
}

}  // namespace armature
