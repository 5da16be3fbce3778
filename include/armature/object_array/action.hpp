#pragma once

#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "armature/object_array/coroutines.hpp"
#include "armature/object_array/part.hpp"
#include "armature/object_array/refused.hpp"
#include "armature/promise.hpp"
#include "armature/rmi.hpp"

// An operation on an element, as it travels: an action, and the rank that is told the outcome.

namespace armature::detail {

/// Settles a promise with what is being handled.
template <class R>
void fail_with_exception(const remote_promise<R>& promise) {
  tell_exception([&](Errc code, const std::string& text) { promise.fail(code, text); });
}

/// Tells a member's rank that a one-way call of its failed.
template <class Part>
void complain(const Part& part, int member, Errc code, const std::string& text) {
  report_failure(part.directory().rank_of(member), code, text);
}

/// A one-way call: nobody waits. Refused, its caller's rank hears of it as of an async call that
/// failed; what a method throws, the rank where it ran.
template <class Action>
struct Tell {
  static constexpr bool is_question = false;
  Action action;

  template <class Part, class... A>
  void operator()(Part& part, typename Part::Record& record, const typename Part::Index& index,
                  int caller, A&&... args) {
    using Result =
        std::remove_cvref_t<decltype(action(part, record, index, std::forward<A>(args)...))>;
    try {
      if constexpr (is_future<Result>)
        tell_failure(action(part, record, index, std::forward<A>(args)...),
                     part.directory().rank_of(part.directory().me()), of_whom(part, index, caller));
      else
        (void)action(part, record, index, std::forward<A>(args)...);
    } catch (const Refused& refused) {
      complain(part, caller, refused.code, refused.text);
    } catch (...) {
      tell_exception([&](Errc, const std::string& text) {
        complain(part, part.directory().me(), Errc::remote, of_whom(part, index, caller) + text);
      });
    }
  }

 private:
  template <class Part>
  static std::string of_whom(const Part& part, const typename Part::Index& index, int caller) {
    return "element " + text_of_index(index) + ", called by rank " +
           std::to_string(static_cast<int>(part.directory().rank_of(caller))) + ": ";
  }
};

/// The exception of a method, for a caller on another rank.
template <class Part>
std::string with_place(const Part& part, const typename Part::Index& index,
                       const std::string& text) {
  return "rank " +
         std::to_string(static_cast<int>(part.directory().rank_of(part.directory().me()))) +
         ": element " + text_of_index(index) + ": " + text;
}

/// A two-way call: its result, or why there is none, goes to the asker.
template <class R, class Action>
struct Ask {
  static constexpr bool is_question = true;
  Action action;
  remote_promise<R> promise;

  template <class Part, class... A>
  void operator()(Part& part, typename Part::Record& record, const typename Part::Index& index, int,
                  A&&... args) {
    try {
      if constexpr (std::is_void_v<R>) {
        (void)action(part, record, index, std::forward<A>(args)...);
        promise.set();
      } else {
        promise.set(action(part, record, index, std::forward<A>(args)...));
      }
    } catch (const Refused& refused) {
      promise.fail(refused.code, refused.text);
    } catch (...) {
      tell_exception([&](Errc code, const std::string& text) {
        promise.fail(code, with_place(part, index, text));
      });
    }
  }
};

template <class Index>
[[noreturn]] void refuse_missing(const Index& index) {
  throw Refused{Errc::object_gone, "object_array: there is no element " + text_of_index(index) +
                                       ": it was not created, or was destroyed"};
}

/// f(element, args...), or f(index, element, args...) where it takes that.
template <class F>
struct CallIt {
  F f;
  template <class Part, class... A>
  decltype(auto) operator()(Part&, typename Part::Record& record, const typename Part::Index& index,
                            A&&... args) {
    if (!record.object) refuse_missing(index);
    const auto object = record.object;  // it stays to the end, though it be destroyed meanwhile
    return call_element(f, index, *object, std::forward<A>(args)...);
  }
};

/// A method, by what its code is called in every process.
template <class T, class Member>
struct MethodOfElement {
  CodePointer code;
  explicit MethodOfElement(Member member) : code(encode(member)) {}

  template <class... A>
  decltype(auto) operator()(T& object, A&&... args) const {
    const Member member = to_member<Member>(decode(code), code.adjust());
    return (object.*member)(std::forward<A>(args)...);
  }
};

/// How an argument for a parameter of that type travels and waits: a view's elements go along.
template <class P>
struct Kept {
  using type = std::remove_cvref_t<P>;
};
template <>
struct Kept<std::string_view> {
  using type = std::string;
};
template <class E>
struct Kept<std::span<const E>> {
  using type = std::vector<E>;
};
template <class P>
using KeptArgument = typename Kept<std::remove_cvref_t<P>>::type;
template <class P, class Arg>
KeptArgument<P> keep(Arg&& argument) {
  if constexpr (is_view<std::remove_cvref_t<P>>) {
    const std::remove_cvref_t<P> elements(argument);
    return {elements.begin(), elements.end()};
  } else {
    return static_cast<std::remove_cvref_t<P>>(std::forward<Arg>(argument));
  }
}
/// An argument where there is no parameter to go by: itself, unless it is a view.
template <class Arg>
decltype(auto) kept(const Arg& argument) {
  if constexpr (is_view<Arg>)
    return keep<Arg>(argument);
  else
    return (argument);
}

template <class T>
struct Create {
  int member;  // where it goes; -1: stays here, at home
  template <class Part, class... A>
  void operator()(Part& part, typename Part::Record& record, const typename Part::Index& index,
                  A&&... args) {
    const auto refuse_second = [&] {
      if (record.object)
        throw Refused{Errc::misuse,
                      "object_array: there is an element " + text_of_index(index) + " already"};
    };
    refuse_second();
    auto object = std::make_shared<T>(std::forward<A>(args)...);
    refuse_second();  // its constructor may wait, and another one be created meanwhile
    record.object = std::move(object);
    record.busy_ns = 0;
    record.calls.clear();
    record.goes_to = member >= 0 ? member : part.directory().home(index);
    (void)part.directory().note_created(index);
  }
};

/// Destroys the element; the rest of its record goes home.
struct Destroy {
  template <class Part>
  void operator()(Part& part, typename Part::Record& record, const typename Part::Index& index) {
    if (!record.object) refuse_missing(index);
    record.object = nullptr;
    record.goes_to = part.directory().home(index);
    if (record.goes_to == part.directory().me()) part.directory().note_destroyed(index);
  }
};

struct MoveTo {
  int member;
  template <class Part>
  void operator()(Part&, typename Part::Record& record, const typename Part::Index& index) {
    if (!record.object) refuse_missing(index);
    record.goes_to = member;
  }
};

struct IsThere {
  template <class Part>
  bool operator()(Part&, typename Part::Record& record, const typename Part::Index&) {
    return record.object != nullptr;
  }
};

struct Where {
  template <class Part>
  int operator()(Part& part, typename Part::Record& record, const typename Part::Index& index) {
    if (!record.object) refuse_missing(index);
    return record.goes_to >= 0 ? record.goes_to : part.directory().me();
  }
};

}  // namespace armature::detail
