#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "armature/detail/call.hpp"
#include "armature/detail/export.hpp"
#include "armature/detail/reply_state.hpp"
#include "armature/future.hpp"
#include "armature/rmi_settings.hpp"
#include "armature/shared.hpp"
#include "armature/team.hpp"

// Remote calls of functions, objects that live on one rank, and what orders calls (armi-rmi-2003).
// Methods of shared objects: shared.hpp.

namespace armature {

// -- functions
// ----------------------------------------------------------------------------------------

/// Runs f(args...) on that rank; f is a function, or a function object that is its bytes: a lambda
/// that captures nothing or trivially copyable values. Otherwise as shared_ref::async, sync and
/// ask.
template <class F, class... Args>
requires OneWayFunction<F, Args...>
[[gnu::always_inline]] inline void async(Rank rank, F f, Args&&... args) {
  detail::call_function<false>(rank, nullptr, f, std::forward<Args>(args)...);
}
template <class F, class... Args>
requires TwoWayFunction<F, Args...>
auto sync(Rank rank, F f, Args&&... args) {
  detail::Asking asking(rank, detail::new_awaited_reply);
  detail::call_function<true>(rank, asking.reply(), f, std::forward<Args>(args)...);
  return asking.await<detail::ResultOf<F, Args...>>();
}
template <class F, class... Args>
requires TwoWayFunction<F, Args...>
[[nodiscard]] auto ask(Rank rank, F f, Args&&... args) {
  using R = detail::ResultOf<F, Args...>;
  detail::Asking asking(rank);
  detail::call_function<true>(rank, asking.reply(), f, std::forward<Args>(args)...);
  return future<R>(std::make_shared<detail::AnswerState<R>>(asking.keep(), rank));
}
/// Calls on every member of the team, this rank included; not collective.
template <class F, class... Args>
requires OneWayFunction<F, Args...>
void broadcast(const Team& team, F f, const Args&... args) {
  for (int i = 0; i < team.size(); ++i) async(team.world_rank(i), f, args...);
}

// -- objects on one rank
// --------------------------------------------------------------------------------

namespace detail {
struct Owned {
  void* object;
  void (*destroy)(void*);
};
ARMATURE_API ObjectId own(const Owned& owned);
ARMATURE_API void disown(ObjectId id);

template <class T, class... Args>
remote<T> make_here(Rank me, Args&&... args) {
  auto object = std::make_unique<T>(std::forward<Args>(args)...);
  const ObjectId id = own({object.get(), [](void* o) { delete static_cast<T*>(o); }});
  (void)object.release();
  return {me, id};
}
}  // namespace detail

/// Makes a T on that rank, which owns it until destroy(). The arguments travel.
template <class T, class... Args>
requires(std::constructible_from<T, std::decay_t<Args>...> && (Marshallable<Args> && ...))
    [[nodiscard]] remote<T> make_remote(Rank rank, Args&&... args) {
  return sync(
      rank,
      [](std::decay_t<Args>... a) {
        return detail::make_here<T>(detail::my_rank("make_remote"), std::move(a)...);
      },
      std::forward<Args>(args)...);
}
/// Destroys an object of make_remote, wherever it lives, after the calls this rank has made to it.
/// It is gone for others from then on; while methods of it wait its destructor does, too. Throws
/// Error(object_gone) when it is gone already.
template <class T>
void destroy(remote<T> object) {
  sync(
      object.rank(), [](ObjectId id) { detail::disown(id); }, object.id());
}

// -- order and termination
// ------------------------------------------------------------------------------

/// Collective: returns when all members have entered, and every call that members made to each
/// other before, and every call that those made, has been executed. Executes calls meanwhile, so
/// that members may wait here for work. Throws Error(misuse) inside a remote method. Proof of the
/// protocol: docs/internals/fence.md.
ARMATURE_API void rmi_fence(const Team& team);
/// The fence of the whole job.
ARMATURE_API void rmi_fence();
/// Enters a fence without waiting. Calls made after entering may be waited for too: a member that
/// goes on calling keeps the fence open until it pauses.
[[nodiscard]] ARMATURE_API future<void> fence_async(const Team& team);

/// Waits until one more incoming call has been executed than rmi_wait was called, both counted
/// since the last rmi_fence: it returns at once when that call came already (armi-rmi-2003, 4.3).
ARMATURE_API void rmi_wait();
/// Executes what has come in, and lets other ranks of this thread or this core run. Never waits. A
/// thread that the program has started executes nothing: it looks at the network.
ARMATURE_API void rmi_poll();

/// Sets the handler of one-way calls that fail. It is called on the rank where a method threw. For
/// an object that is gone it is called on the rank that made the call. Without a handler the
/// failure ends the job.
using AsyncErrorHandler = std::function<void(Rank caller, std::string_view message)>;
ARMATURE_API void on_async_error(AsyncErrorHandler handler);

// -- as the paper spells them
// ---------------------------------------------------------------------------

template <class T, class Member, class... Args>
requires OneWayMethod<Member, T, Args...>
void async_rmi(Rank dest, const shared_ref<T>& handle, Member method, Args&&... args) {
  handle.async(dest, method, std::forward<Args>(args)...);
}
template <class T, class Member, class... Args>
requires TwoWayMethod<Member, T, Args...>
auto sync_rmi(Rank dest, const shared_ref<T>& handle, Member method, Args&&... args) {
  return handle.sync(dest, method, std::forward<Args>(args)...);
}
// Collective, and with the root before the handle: broadcast_rmi and reduce_rmi of
// rmi_collective.hpp. Without a root they are calls of one rank, as they once were.
template <class T, class Member, class... Args>
requires OneWayMethod<Member, T, Args...>
[[deprecated("use shared_ref::broadcast; the collective broadcast_rmi takes the root first")]] void
broadcast_rmi(const shared_ref<T>& handle, Member method, const Args&... args) {
  handle.broadcast(method, args...);
}
template <class T, class Member, class Input, class Output, class Op = std::plus<>>
requires TwoWayMethod<Member, T, const Input&>
[[deprecated("use shared_ref::reduce; the collective reduce_rmi takes the root first")]] void
reduce_rmi(const shared_ref<T>& handle, Member method, const Input& input, Output& output,
           Op op = {}) {
  output = handle.reduce(method, op, input);
}

}  // namespace armature
