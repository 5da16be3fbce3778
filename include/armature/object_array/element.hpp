#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "armature/container/placed_part.hpp"
#include "armature/error.hpp"
#include "armature/future.hpp"
#include "armature/object_array/action.hpp"
#include "armature/object_array/mailbox.hpp"
#include "armature/object_array/many.hpp"
#include "armature/object_array/part.hpp"
#include "armature/rmi.hpp"
#include "armature/shared.hpp"

namespace armature {

namespace detail {

/// send(keep<P>(args)...), for a method's parameters.
template <class... P, class Send, class... Args>
auto with_kept(Types<P...>, Send send, Args&&... args) {
  return send(keep<P>(std::forward<Args>(args))...);
}
template <class Member>
using ParametersOfMember = typename Signature<Member>::Parameters;

}  // namespace detail

/// An element of an object_array, wherever it is and whether it exists or not: a value that may be
/// passed around.
///
/// Calls are remote calls (shared.hpp). Calls of one rank to one element are executed once each, in
/// the order they were made, wherever the element was at any time. Calls of different ranks, and to
/// different elements, are not ordered. This holds for creating, destroying and moving it too. A
/// call for an element that does not exist is Error(object_gone): thrown by two-way calls, told to
/// on_async_error on the caller's rank for one-way calls. A method that throws makes its two-way
/// call throw RemoteError with that rank and text.
template <class T, ArrayIndex Index>
class object_array_element {
 public:
  using Part = detail::ObjectPart<T, Index>;
  using element_type = T;

  object_array_element() = default;
  object_array_element(shared_ref<Part> parts, Index index)
      : parts_(parts), index_(std::move(index)) {}
  [[nodiscard]] const Index& index() const { return index_; }

  // -- methods of T
  template <class Member, class... Args>
  requires OneWayMethod<Member, T, Args...>
  void async(Member method, Args&&... args) const {
    detail::with_kept(
        detail::ParametersOfMember<Member>(),
        [&](const auto&... kept) { tell(detail::MethodOfElement<T, Member>(method), kept...); },
        std::forward<Args>(args)...);
  }
  template <class Member, class... Args>
  requires TwoWayMethod<Member, T, Args...>
  auto sync(Member method, Args&&... args) const {
    return ask(method, std::forward<Args>(args)...).get();
  }
  template <class Member, class... Args>
  requires TwoWayMethod<Member, T, Args...>
  [[nodiscard]] auto ask(Member method, Args&&... args) const {
    return detail::with_kept(
        detail::ParametersOfMember<Member>(),
        [&](const auto&... kept) {
          return ask_it(detail::MethodOfElement<T, Member>(method), kept...);
        },
        std::forward<Args>(args)...);
  }

  // -- functions: f(element, args...) or f(index, element, args...), as distributed_map visits;
  // a std::string_view or std::span among the arguments arrives as a std::string or std::vector
  template <detail::Visitor F, class... Args>
  void async_visit(F f, const Args&... args) const {
    tell(f, detail::kept(args)...);
  }
  template <detail::Visitor F, class... Args>
  auto visit(F f, const Args&... args) const {
    return ask_it(f, detail::kept(args)...).get();
  }

  /// Puts a message into a mailbox of the element: a one-way call.
  template <class Object, class M, class Tag>
  requires std::derived_from<T, Object>
  void put(mailbox<M, Tag> Object::*box, const std::type_identity_t<Tag>& tag,
           const std::type_identity_t<M>& message) const {
    tell(detail::PutMessage<Object, M, Tag>{box}, tag, message);
  }

  // -- itself
  /// Makes it, at `member` of the array's team; else at the index's home. Its value, made from
  /// copies of the arguments at home, travels from there. Error(misuse) when it exists.
  template <class... Args>
  requires std::constructible_from<T, Args...>
  void create(const Args&... args) const { create_on(-1, args...); }
  template <class... Args>
  requires std::constructible_from<T, Args...>
  void create_on(int member, const Args&... args) const {
    detail::ask_element(part(), index_, detail::Create<T>{checked(member, -1)},
                        detail::kept(args)...)
        .get();
  }
  template <class... Args>
  requires std::constructible_from<T, Args...>
  void async_create(const Args&... args) const { async_create_on(-1, args...); }
  template <class... Args>
  requires std::constructible_from<T, Args...>
  void async_create_on(int member, const Args&... args) const {
    part().send(index_, detail::Tell<detail::Create<T>>{{checked(member, -1)}},
                detail::kept(args)...);
  }
  void destroy() const { detail::ask_element(part(), index_, detail::Destroy()).get(); }
  void async_destroy() const { part().send(index_, detail::Tell<detail::Destroy>()); }
  /// Once no method of it is under way, nor a coroutine that one was, it goes to that member, by
  /// its define_type or serialize where it has one. A one-way call.
  void move_to(int member) const {
    part().send(index_, detail::Tell<detail::MoveTo>{{checked(member, 0)}});
  }
  [[nodiscard]] bool exists() const {
    return detail::ask_element(part(), index_, detail::IsThere()).get();
  }
  /// The member that has it, or where it is about to go.
  [[nodiscard]] int member() const {
    return detail::ask_element(part(), index_, detail::Where()).get();
  }

 private:
  [[nodiscard]] Part& part() const { return parts_.local(); }
  template <class F, class... A>
  void tell(const F& f, const A&... args) const {
    part().send(index_, detail::Tell<detail::CallIt<F>>{{f}}, args...);
  }
  template <class F, class... A>
  [[nodiscard]] auto ask_it(const F& f, const A&... args) const {
    return detail::ask_element(part(), index_, detail::CallIt<F>{f}, args...);
  }
  [[nodiscard]] int checked(int member, int least) const {
    const int members = part().directory().team().size();
    if (member < least || member >= members)
      throw Error(Errc::bad_rank, "object_array: there is no member " + std::to_string(member) +
                                      " in a team of " + std::to_string(members));
    return member;
  }

  shared_ref<Part> parts_;
  Index index_{};
};

/// Some elements of an object_array, in an order. Calls by `async`, `ask` and `reduce` are made one
/// by one, so each keeps its place among the caller's other calls to that element. `multicast` and
/// `combine` send one message to each member that has some, by a tree; these are not ordered, and
/// elements that do not exist are left out.
template <class T, ArrayIndex Index>
class object_array_section {
 public:
  using Part = detail::ObjectPart<T, Index>;

  object_array_section(shared_ref<Part> parts, std::vector<Index> indices)
      : parts_(parts), indices_(std::move(indices)) {}
  [[nodiscard]] const std::vector<Index>& indices() const { return indices_; }

  template <class Member, class... Args>
  requires OneWayMethod<Member, T, Args...>
  void async(Member method, const Args&... args) const {
    for (const Index& index : indices_) at(index).async(method, args...);
  }
  /// Returns a future of all results, in the section's order.
  template <class Member, class... Args>
  requires TwoWayMethod<Member, T, Args...>
  [[nodiscard]] auto ask(Member method, const Args&... args) const {
    std::vector<decltype(at(indices_[0]).ask(method, args...))> each;
    for (const Index& index : indices_) each.push_back(at(index).ask(method, args...));
    return when_all(std::move(each));
  }
  /// op(op(a0, a1), a2) ... of what they answer, in that order. Throws Error(bad_argument) for an
  /// empty section.
  template <class Member, class Op = std::plus<>, class... Args>
  requires TwoWayMethod<Member, T, Args...>
  [[nodiscard]] auto reduce(Member method, Op op = {}, const Args&... args) const {
    if (indices_.empty())
      throw Error(Errc::bad_argument, "object_array: a reduction of no elements");
    auto answers = ask(method, args...).get();
    auto sum = std::move(answers.front());
    for (std::size_t i = 1; i < answers.size(); ++i) sum = op(std::move(sum), answers[i]);
    return sum;
  }

  template <class Member, class... Args>
  requires OneWayMethod<Member, T, Args...>
  void multicast(Member method, const Args&... args) const {
    Part& part = parts_.local();
    detail::with_kept(
        detail::ParametersOfMember<Member>(),
        [&](const auto&... kept) {
          detail::CallMany<Part>{}(parts_, detail::by_member(part, indices_),
                                   detail::MethodOfElement<T, Member>(method), kept...);
        },
        args...);
  }
  /// Returns a future of the combined results; `then` gives it a callback. They are combined in no
  /// particular order: op must be associative and commute. Without elements it throws
  /// Error(bad_argument).
  template <class Member, class Op = std::plus<>, class... Args>
  requires(TwoWayMethod<Member, T, Args...>&& detail::TravelsAsOperator<Op>)
      [[nodiscard]] auto combine(Member method, Op op = {}, const Args&... args) const {
    using R = detail::MethodResult<T, Member, Args...>;
    Part& part = parts_.local();
    part.turns().require_depth();
    auto promised = make_promise<std::optional<R>>(part.directory().rank_of(part.directory().me()));
    detail::with_kept(
        detail::ParametersOfMember<Member>(),
        [&](const auto&... kept) {
          detail::AskMany<Part, R, Op>{}(part.turns().depth, parts_,
                                         detail::by_member(part, indices_), promised.second, op,
                                         detail::MethodOfElement<T, Member>(method), kept...);
        },
        args...);
    return std::move(promised.first).then([](std::optional<R> sum) {
      if (!sum) throw Error(Errc::bad_argument, "object_array: a reduction of no elements");
      return *std::move(sum);
    });
  }

 private:
  [[nodiscard]] object_array_element<T, Index> at(const Index& index) const {
    return {parts_, index};
  }

  shared_ref<Part> parts_;
  std::vector<Index> indices_;
};

}  // namespace armature
