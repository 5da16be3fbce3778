#pragma once

#include <cstddef>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

#include "armature/accumulate.hpp"
#include "armature/detail/export.hpp"
#include "armature/iov.hpp"
#include "armature/notify.hpp"
#include "armature/put.hpp"
#include "armature/rmi.hpp"
#include "armature/strided.hpp"

namespace armature {

namespace detail {
ARMATURE_API void call_behind_transfer(Rank rank, Handle& transfer);
/// Makes later calls and notifications of this rank to that one arrive after the transfer's bytes.
inline void call_behind(Rank rank, Handle& transfer) {
  if (!transfer.is_empty()) call_behind_transfer(rank, transfer);
}
/// Throws Error(bad_rank) for an object that lives elsewhere.
ARMATURE_API void require_lives_there(Rank lives_on, Rank rank, const char* call);
}  // namespace detail

/// Puts with a call behind them: a non-blocking put, and then f(args...) on the rank that it goes
/// to, as by async(rank, f, args...), which finds the bytes there. No round trip lies between, and
/// this rank may compute meanwhile. The handle is that of the put: the source must stay unchanged
/// until it is complete, the arguments have been packed. The call is in the order of this rank's
/// other calls and notifications to that rank: later ones wait for it, and so for the bytes.
///
/// Where the network's own one-sided operations carry the put, the put is waited for.
///
/// Throws what put and async throw.
template <Transferable T, class F, class... Args>
requires OneWayFunction<F, Args...> Handle put_then(global_ptr<T> to,
                                                    const std::type_identity_t<T>* from,
                                                    std::size_t count, F f, Args&&... args) {
  Handle put = put_async(to, from, count);
  detail::call_behind(to.rank(), put);
  async(to.rank(), f, std::forward<Args>(args)...);
  return put;
}
template <Transferable T, detail::Buffer<T> Range, class F, class... Args>
requires OneWayFunction<F, Args...> Handle put_then(global_ptr<T> to, const Range& from, F f,
                                                    Args&&... args) {
  return put_then(to, std::ranges::data(from), static_cast<std::size_t>(std::ranges::size(from)), f,
                  std::forward<Args>(args)...);
}
/// The call is a method of an object that lives there. Throws Error(bad_rank) for one elsewhere.
template <Transferable T, class O, class Member, class... Args>
requires OneWayMethod<Member, O, Args...> Handle put_then(global_ptr<T> to,
                                                          const std::type_identity_t<T>* from,
                                                          std::size_t count, remote<O> object,
                                                          Member method, Args&&... args) {
  detail::require_lives_there(object.rank(), to.rank(), "put_then");
  Handle put = put_async(to, from, count);
  detail::call_behind(to.rank(), put);
  object.async(method, std::forward<Args>(args)...);
  return put;
}
template <class F, class... Args>
requires OneWayFunction<F, Args...> Handle put_strided_then(global_ptr<void> to, const void* from,
                                                            const Strided& shape, F f,
                                                            Args&&... args) {
  Handle put = put_strided_async(to, from, shape);
  detail::call_behind(to.rank(), put);
  async(to.rank(), f, std::forward<Args>(args)...);
  return put;
}
template <class F, class... Args>
requires OneWayFunction<F, Args...> Handle put_vector_then(Rank rank, std::span<const Iov> iov, F f,
                                                           Args&&... args) {
  Handle put = put_vector_async(rank, iov);
  detail::call_behind(rank, put);
  async(rank, f, std::forward<Args>(args)...);
  return put;
}

/// Accumulates with a call behind them, which finds them added. As put_then.
template <Accumulable T, class F, class... Args>
requires OneWayFunction<F, Args...> Handle
accumulate_then(global_ptr<T> to, const std::type_identity_t<T>* from, std::size_t count,
                AccumulateOptions<std::type_identity_t<T>> options, F f, Args&&... args) {
  Handle added = accumulate_async(to, from, count, options);
  detail::call_behind(to.rank(), added);
  async(to.rank(), f, std::forward<Args>(args)...);
  return added;
}
template <Accumulable T, class F, class... Args>
requires OneWayFunction<F, Args...> Handle
accumulate_strided_then(global_ptr<T> to, const std::type_identity_t<T>* from, const Strided& shape,
                        AccumulateOptions<std::type_identity_t<T>> options, F f, Args&&... args) {
  Handle added = accumulate_strided_async(to, from, shape, options);
  detail::call_behind(to.rank(), added);
  async(to.rank(), f, std::forward<Args>(args)...);
  return added;
}
template <Accumulable T, class F, class... Args>
requires OneWayFunction<F, Args...> Handle
accumulate_vector_then(Rank rank, std::span<const Iov> iov,
                       AccumulateOptions<std::type_identity_t<T>> options, F f, Args&&... args) {
  Handle added = accumulate_vector_async<T>(rank, iov, options);
  detail::call_behind(rank, added);
  async(rank, f, std::forward<Args>(args)...);
  return added;
}

/// Puts with a notification (notify.hpp) behind the bytes, instead of a call: after wait_notify the
/// other rank finds the bytes there.
template <Transferable T>
Handle put_notify(global_ptr<T> to, const std::type_identity_t<T>* from, std::size_t count) {
  Handle put = put_async(to, from, count);
  detail::call_behind(to.rank(), put);
  notify(to.rank());
  return put;
}
template <Transferable T, detail::Buffer<T> Range>
Handle put_notify(global_ptr<T> to, const Range& from) {
  return put_notify(to, std::ranges::data(from), static_cast<std::size_t>(std::ranges::size(from)));
}

}  // namespace armature
