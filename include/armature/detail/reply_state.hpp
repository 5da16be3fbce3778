#pragma once

#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

#include "armature/detail/future_state.hpp"
#include "armature/detail/reply.hpp"
#include "armature/marshal.hpp"

// Results that come from remote calls.

namespace armature::detail {

struct DropReply {
  void operator()(Reply* reply) const noexcept { drop_reply(reply); }
};

/// A result that comes into a reply slot. `open` says where in it, and throws where there is none.
template <class T, Reader (*open)(Reply*, Rank)>
class ReplyState final : public FutureState<T> {
 public:
  ReplyState(Reply* reply, Rank from) : reply_(reply), from_(from) {}

  bool poll() override {
    if (this->settled()) return true;
    if (!reply_is_there(reply_.get())) return false;
    const auto reply = std::move(reply_);
    try {
      Reader from = open(reply.get(), from_);
      if constexpr (std::is_void_v<T>)
        this->set({});
      else
        this->set(unpack<T>(from));
    } catch (...) {
      this->fail(std::current_exception());
    }
    return true;
  }
  [[nodiscard]] bool comes_from_outside() const override { return true; }
  [[nodiscard]] Rank awaited() const override { return from_; }

 private:
  std::unique_ptr<Reply, DropReply> reply_;
  Rank from_;
};

inline Reader open_answer(Reply* reply, Rank from) {
  check_reply(reply, from);
  return read_reply(reply);
}
/// The answer to one two-way call.
template <class T>
using AnswerState = ReplyState<T, open_answer>;

}  // namespace armature::detail
