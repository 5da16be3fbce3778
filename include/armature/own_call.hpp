#pragma once

#include <type_traits>

#include "armature/detail/export.hpp"
#include "armature/detail/request.hpp"

// A call of a rank to itself that is executed at once, without a message: a visit of an entry, or a
// call of an element, that lies here. It is a method like those that come in a message: its own
// one-way calls let nobody in, and while it waits others run on top of it. What its one-way calls
// would have let in is let in behind it. What one-way and two-way calls throw (tell_here, ask_here)
// is told in the same way, too. Not with service threads.

namespace armature::detail {

/// Executes what methods have put off, when no method is under way.
[[gnu::cold]] ARMATURE_API void catch_up(Sender& sender);
/// Called in the handler of an exception that leaves such a one-way call: tells it to
/// on_async_error.
ARMATURE_API void own_statement_threw();
/// Called in the handler of an exception that leaves a two-way call: throws it as RemoteError.
[[noreturn]] ARMATURE_API void own_question_threw();

/// Throws Error(misuse): the calling thread runs no rank.
[[noreturn]] [[gnu::cold]] ARMATURE_API void no_own_call();

/// Marks a method as under way while it lives.
class OwnCall {
 public:
  /// Throws Error(misuse) outside a job.
  OwnCall() : me_(*sender) {
    if (me_.ranks == 0) [[unlikely]]
      no_own_call();
    ++me_.level;
  }
  OwnCall(const OwnCall&) = delete;
  OwnCall& operator=(const OwnCall&) = delete;
  ~OwnCall() { --me_.level; }

 private:
  Sender& me_;
};

/// Called behind each own call, when it is over.
inline void after_own_call() {
  if (sender->is_late && sender->level == 0) [[unlikely]]
    catch_up(*sender);
}

template <class F>
void tell_here(F f) {
  {
    const OwnCall call;
    try {
      f();
    } catch (...) {
      own_statement_threw();
    }
  }
  after_own_call();
}

template <class F>
auto ask_here(F f) {
  const auto ask = [&f] {
    const OwnCall call;
    try {
      return f();
    } catch (...) {
      own_question_threw();
    }
  };
  if constexpr (std::is_void_v<decltype(f())>) {
    ask();
    after_own_call();
  } else {
    auto answer = ask();
    after_own_call();
    return answer;
  }
}

}  // namespace armature::detail
