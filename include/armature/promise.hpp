#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "armature/detail/export.hpp"
#include "armature/detail/reply.hpp"
#include "armature/detail/reply_state.hpp"
#include "armature/error.hpp"
#include "armature/future.hpp"
#include "armature/marshal.hpp"
#include "armature/shared.hpp"

// A two-way call's answer comes from the rank that was asked, when its method returns. Where who
// answers, or when, is found out later, the place for the answer is itself passed around.

namespace armature {

namespace detail {
/// The asker's slot, on whatever node, and the promise's number there.
struct PromisedSlot {
  Rank asker = Rank::none();
  std::uint32_t number = 0;
  Reply* slot = nullptr;
};
/// Writes the answer there, unless nobody waits for it any more.
ARMATURE_API void give_answer(const PromisedSlot& to, const std::byte* bytes, std::size_t count);
/// Called once the answer is there: a long one is fetched from the rank that gave it.
ARMATURE_API void fetch_given(Reply* slot);

/// The message that travels instead of a value, when there is none.
struct Refusal {
  Errc code = Errc::remote;
  int rank = -1;  // who refuses
  std::string text;
  void serialize(Archive& archive) { archive(code, rank, text); }
};

template <class T>
void pack_answer(const PromisedSlot& asked, bool is_value, const T& value) {
  std::size_t bytes = 1;
  measure(bytes, value);
  std::vector<std::byte> packed(bytes + view_alignment);
  Writer to(packed.data());
  to.byte(is_value ? 1 : 0);
  pack(to, value);
  give_answer(asked, packed.data(), to.written());
}

inline Reader open_given(Reply* slot, Rank /*likely*/) {
  fetch_given(slot);
  Reader from = read_reply(slot);
  if (from.byte() == 0) {
    const auto refusal = unpack<Refusal>(from);
    throw RemoteError(refusal.code, refusal.rank, refusal.text);
  }
  return from;
}
/// The state of a promised result.
template <class T>
using PromisedState = ReplyState<T, open_given>;
}  // namespace detail

/// The place for an answer that some rank waits for: a value that may be passed around, also to
/// other ranks. Whoever has it calls set or fail, at most once, on one of its copies. Answering
/// twice is a mistake, Error(misuse) on the asker's node as long as that rank has not promised
/// anew. An answer is dropped if its future was dropped. The state of a promise goes with its
/// future, whether it is ever answered or not.
template <class T>
class remote_promise {
 public:
  remote_promise() = default;
  explicit remote_promise(const detail::PromisedSlot& asked) : asked_(asked) {}

  [[nodiscard]] Rank asker() const { return asked_.asker; }
  template <class V = T>
  requires(!std::is_void_v<T> &&
           std::is_convertible_v<const V&, T>) void set(const V& value) const {
    detail::pack_answer<T>(asked_, true, value);
  }
  void set() const requires std::is_void_v<T> { detail::pack_answer(asked_, true, std::tuple<>()); }
  /// The future throws RemoteError with that code, this rank and the text.
  void fail(Errc code, std::string_view text) const {
    detail::pack_answer(
        asked_, false,
        detail::Refusal{code, detail::my_rank("remote_promise::fail"), std::string(text)});
  }

 private:
  detail::PromisedSlot asked_;
};

/// A future of this rank's and what settles it, from anywhere. `likely` is who will probably
/// answer: should that rank die, the future throws Error(rank_lost). Throws Error(bad_rank), and
/// Error(nesting) as two-way calls do. T is no view, nor holds one: the answer's message does not
/// stay.
template <class T>
requires(Marshallable<T> && !detail::looks_into_message<T, false>())
    [[nodiscard]] std::pair<future<T>, remote_promise<T>> make_promise(Rank likely) {
  detail::PromisedSlot asked{detail::my_rank("make_promise")};
  asked.slot = detail::new_promised_reply(likely, asked.number);
  return {future<T>(std::make_shared<detail::PromisedState<T>>(asked.slot, likely)),
          remote_promise<T>(asked)};
}

}  // namespace armature
