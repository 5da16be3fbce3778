#pragma once

#include <concepts>
#include <exception>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "armature/detail/agree.hpp"
#include "armature/detail/call.hpp"
#include "armature/detail/export.hpp"
#include "armature/detail/many_calls.hpp"
#include "armature/future.hpp"
#include "armature/object_id.hpp"
#include "armature/rank.hpp"
#include "armature/team.hpp"

// Objects that other ranks may call (armi-rmi-2003, 3.2, 3.3 and 4.1).

namespace armature {

namespace detail {
ARMATURE_API ObjectId register_object(void* object);
ARMATURE_API void unregister_object(ObjectId id) noexcept;
[[nodiscard]] ARMATURE_API Rank my_rank(const char* call);
/// Collective over the team.
ARMATURE_API ObjectId register_shared(const Team& team, void* object);
ARMATURE_API void unregister_shared(ObjectId id);
/// Throws Error(misuse) when this rank has an object of that name already.
ARMATURE_API void name_object(const std::string& name, ObjectId id);
/// Waits until that rank has an object of that name.
[[nodiscard]] ARMATURE_API ObjectId find_named(Rank rank, const std::string& name);
/// Throws Error(object_gone) when it is gone, or this rank has no representative.
[[nodiscard]] ARMATURE_API void* local_object(ObjectId id);
[[nodiscard]] ARMATURE_API const Team& team_of(ObjectId id);
}  // namespace detail

/// One object, on one rank: a value that may be passed around. It does not keep the object alive. A
/// call to one that is gone throws Error(object_gone) from sync and from the future. After such an
/// async call, on_async_error is called on the caller's rank.
template <class T>
class remote {
 public:
  using element_type = T;

  constexpr remote() = default;
  constexpr remote(Rank rank, ObjectId id) : rank_(rank), id_(id) {}
  [[nodiscard]] constexpr Rank rank() const { return rank_; }
  [[nodiscard]] constexpr ObjectId id() const { return id_; }
  explicit constexpr operator bool() const { return rank_ != Rank::none(); }

  /// These calls are shared_ref's, without the rank.
  template <class Member, class... Args>
  requires OneWayMethod<Member, T, Args...>
  [[gnu::always_inline]] void async(Member method, Args&&... args) const {
    detail::call_method<false, T>({rank_, id_}, nullptr, method, std::forward<Args>(args)...);
  }
  template <class Member, class... Args>
  requires TwoWayMethod<Member, T, Args...>
  auto sync(Member method, Args&&... args) const {
    detail::Asking asking(rank_, detail::new_awaited_reply);
    detail::call_method<true, T>({rank_, id_}, asking.reply(), method, std::forward<Args>(args)...);
    return asking.await<detail::MethodResult<T, Member, Args...>>();
  }
  template <class Member, class... Args>
  requires TwoWayMethod<Member, T, Args...>
  [[nodiscard]] auto ask(Member method, Args&&... args) const {
    return detail::ask_method<T>({rank_, id_}, method, std::forward<Args>(args)...);
  }

  friend constexpr bool operator==(remote, remote) = default;

 private:
  Rank rank_ = Rank::none();
  ObjectId id_;
};

template <class T>
class shared_subset;

/// A value that names an object which is spread over the members of a team, with one
/// representative, a T, on each. It may be passed around, also to ranks outside the team. Ranks are
/// the job's.
template <class T>
class shared_ref {
 public:
  using element_type = T;

  constexpr shared_ref() = default;
  constexpr explicit shared_ref(ObjectId id) : id_(id) {}
  [[nodiscard]] constexpr ObjectId id() const { return id_; }
  /// That rank's representative.
  [[nodiscard]] constexpr remote<T> on(Rank rank) const { return {rank, id_}; }
  /// This rank's own, for calls without a message.
  [[nodiscard]] T& local() const { return *static_cast<T*>(detail::local_object(id_)); }
  [[nodiscard]] const Team& team() const { return detail::team_of(id_); }

  /// A one-way call: `method` runs on that rank with copies of the arguments, some time before the
  /// next rmi_fence ends. Calls from one rank to another are executed in the order they were made.
  /// Returns at once; while there is no room for more, executes incoming calls. Throws
  /// Error(bad_rank).
  template <class Member, class... Args>
  requires OneWayMethod<Member, T, Args...>
  [[gnu::always_inline]] void async(Rank rank, Member method, Args&&... args) const {
    detail::call_method<false, T>({rank, id_}, nullptr, method, std::forward<Args>(args)...);
  }
  /// A two-way call: waits, executing incoming calls, for what `method` returns. Throws RemoteError
  /// when it threw, Error(object_gone), Error(rank_lost), Error(nesting).
  template <class Member, class... Args>
  requires TwoWayMethod<Member, T, Args...>
  auto sync(Rank rank, Member method, Args&&... args) const {
    return on(rank).sync(method, std::forward<Args>(args)...);
  }
  /// A split-phase call: what sync returns, later.
  template <class Member, class... Args>
  requires TwoWayMethod<Member, T, Args...>
  [[nodiscard]] auto ask(Rank rank, Member method, Args&&... args) const {
    return on(rank).ask(method, std::forward<Args>(args)...);
  }

  /// A one-way call to all members, this rank included. Called by one rank, not collectively:
  /// broadcast_rmi is collective. Some of the members: among().
  template <class Member, class... Args>
  requires OneWayMethod<Member, T, Args...>
  void broadcast(Member method, const Args&... args) const {
    detail::tell_each<T>(all(), method, args...);
  }
  /// Calls all members, as broadcast does; the future is settled when all have executed the call.
  template <class Member, class... Args>
  requires OneWayMethod<Member, T, Args...>
  [[nodiscard]] future<void> broadcast_async(Member method, const Args&... args) const {
    return detail::settle_each<T>(all(), method, args...);
  }

  /// Asks all members and combines the answers in team order: op(op(a0, a1), a2) ... Called by one
  /// rank, not collectively: reduce_rmi is collective.
  template <class Member, class Op = std::plus<>, class... Args>
  requires TwoWayMethod<Member, T, Args...>
  [[nodiscard]] auto reduce(Member method, Op op = {}, const Args&... args) const {
    return detail::reduce_each<T>(all(), method, op, args...);
  }
  template <class Member, class Op = std::plus<>, class... Args>
  requires TwoWayMethod<Member, T, Args...>
  [[nodiscard]] auto reduce_async(Member method, Op op = {}, const Args&... args) const {
    return detail::reduce_each_later<T>(all(), method, op, args...);
  }

  /// The representatives on the ranks of that team, or on those of which a predicate of a Rank
  /// holds: `everyone.among([](Rank r) { return r % 2 == 1; })`. Defined in subset.hpp.
  [[nodiscard]] shared_subset<T> among(const Team& members) const;
  template <std::predicate<Rank> Holds>
  [[nodiscard]] shared_subset<T> among(Holds&& holds) const;

  friend constexpr bool operator==(shared_ref, shared_ref) = default;

 private:
  [[nodiscard]] auto all() const {
    const Team& members = team();
    const auto rank_at = [&members](std::size_t i) {
      return members.world_rank(static_cast<int>(i));
    };
    return detail::Callees<decltype(rank_at)>{id_, static_cast<std::size_t>(members.size()),
                                              rank_at};
  }

  ObjectId id_;
};

/// Owns this rank's representative of a shared object. The members of the team make and destroy it
/// collectively, in the same order everywhere. If T's constructor throws at one of them, all throw;
/// the others throw an Error that tells so. The destructor is a fence of the team, so that no call
/// is on its way when the object goes. (When it runs because of an exception it does not wait for
/// the others; later calls then find the object gone.)
template <class T>
class shared : public shared_ref<T> {
 public:
  template <class... Args>
  requires std::constructible_from<T, Args...>
  explicit shared(const Team& team, Args&&... args)
      : object_(detail::make_at_all(
            team, "shared", [&] { return std::make_unique<T>(std::forward<Args>(args)...); })),
        exceptions_(std::uncaught_exceptions()) {
    static_cast<shared_ref<T>&>(*this) =
        shared_ref<T>(detail::register_shared(team, object_.get()));
  }
  shared(const shared&) = delete;
  shared& operator=(const shared&) = delete;
  ~shared() {
    if (std::uncaught_exceptions() == exceptions_)
      detail::unregister_shared(this->id());
    else
      detail::unregister_object(this->id());
  }

  T* operator->() const { return object_.get(); }
  T& operator*() const { return *object_; }
  [[nodiscard]] shared_ref<T> ref() const { return *this; }

 private:
  std::unique_ptr<T> object_;
  int exceptions_;
};

/// Makes `object` callable by other ranks for as long as the registration lives; not collective.
/// The object must outlive it.
template <class T>
class registered {
 public:
  explicit registered(T& object)
      : ref_(detail::my_rank("registered"), detail::register_object(&object)) {}
  /// Registers under a name, by which other ranks find it: find_remote.
  registered(T& object, const std::string& name) : registered(object) {
    detail::name_object(name, ref_.id());
  }
  registered(const registered&) = delete;
  registered& operator=(const registered&) = delete;
  ~registered() { detail::unregister_object(ref_.id()); }
  [[nodiscard]] remote<T> ref() const { return ref_; }

 private:
  remote<T> ref_;
};

/// The object that was registered under that name on that rank; waits, executing calls, until it
/// is. So ranks may register objects in any order, and agree on names alone. That T is its type is
/// not checked. Throws Error(bad_rank), Error(rank_lost).
template <class T>
[[nodiscard]] remote<T> find_remote(Rank rank, const std::string& name) {
  return {rank, detail::find_named(rank, name)};
}

}  // namespace armature
