#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "armature/detail/export.hpp"
#include "armature/detail/reply.hpp"
#include "armature/error.hpp"
#include "armature/future.hpp"
#include "armature/marshal.hpp"
#include "armature/shared.hpp"

// A question's answer comes from the rank that was asked, when its method returns. Where who
// answers, or when, is found out later, the place for the answer is itself passed around.

namespace armature {

namespace detail {
/// Writes the answer into the asker's slot, on whatever node.
ARMATURE_API void give_answer(Rank asker, Reply* slot, const std::byte* bytes, std::size_t count);
/// Once the answer is there: what is long is fetched from whoever gave it.
ARMATURE_API void fetch_given(Reply* slot);

/// What travels in place of a value that there is none of.
struct Refusal {
  Errc code = Errc::remote;
  int rank = -1;  // who refuses
  std::string text;
  void serialize(Archive& archive) { archive(code, rank, text); }
};

template <class T>
void pack_answer(Rank asker, Reply* slot, bool is_value, const T& value) {
  std::size_t bytes = 1;
  measure(bytes, value);
  std::vector<std::byte> packed(bytes + view_alignment);
  Writer to(packed.data());
  to.byte(is_value ? 1 : 0);
  pack(to, value);
  give_answer(asker, slot, packed.data(), to.written());
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
/// What somebody has promised.
template <class T>
using PromisedState = ReplyState<T, open_given>;
}  // namespace detail

/// The place for an answer that some rank waits for: a value that may be passed around, also to
/// other ranks. Whoever has it calls set or fail, once, on one of its copies. Answering twice is a
/// mistake, Error(misuse) on the asker's node as long as that rank has not asked again; after that
/// it may answer another question.
template <class T>
class remote_promise {
 public:
  remote_promise() = default;
  remote_promise(Rank asker, detail::Reply* slot) : asker_(asker), slot_(slot) {}

  [[nodiscard]] Rank asker() const { return asker_; }
  template <class V = T>
  requires(!std::is_void_v<T> &&
           std::is_convertible_v<const V&, T>) void set(const V& value) const {
    detail::pack_answer<T>(asker_, slot_, true, value);
  }
  void set() const requires std::is_void_v<T> {
    detail::pack_answer(asker_, slot_, true, std::tuple<>());
  }
  /// The future throws RemoteError with that code, this rank and the text.
  void fail(Errc code, std::string_view text) const {
    detail::pack_answer(
        asker_, slot_, false,
        detail::Refusal{code, detail::my_rank("remote_promise::fail"), std::string(text)});
  }

 private:
  Rank asker_ = Rank::none();
  detail::Reply* slot_ = nullptr;
};

/// A future of this rank's and what settles it, from anywhere. `likely` is who will probably
/// answer: should that rank die, the future throws Error(rank_lost). Throws Error(bad_rank), and
/// Error(nesting) as questions do. T is no view, nor holds one: the answer's message does not stay.
template <class T>
requires(Marshallable<T> && !detail::looks_into_message<T, false>())
    [[nodiscard]] std::pair<future<T>, remote_promise<T>> make_promise(Rank likely) {
  const Rank me = detail::my_rank("make_promise");
  detail::Reply* const slot = detail::new_reply(likely);
  return {future<T>(std::make_shared<detail::PromisedState<T>>(slot, likely)),
          remote_promise<T>(me, slot)};
}

}  // namespace armature
