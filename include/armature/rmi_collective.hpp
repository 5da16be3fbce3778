#pragma once

#include <cstddef>
#include <cstring>
#include <exception>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "armature/collectives.hpp"
#include "armature/detail/agree.hpp"
#include "armature/detail/call.hpp"
#include "armature/rmi.hpp"
#include "armature/shared.hpp"
#include "armature/team.hpp"

// Remote calls that all members of a team make together, as armi-rmi-2003, 3.3 has them. The root's
// call travels as a broadcast of the team does, so no rank sends to all others. Each member then
// executes it as a call to itself: a method like any other, while which no other method runs.

namespace armature {

namespace detail {

/// A call's code and arguments, as the root has them, at every member.
class CollectiveCall {
 public:
  /// `root` is a member's number; packed is empty elsewhere. Collective over the team.
  ARMATURE_API CollectiveCall(const Team& team, int root, std::vector<std::byte> packed);

  [[nodiscard]] std::span<const std::byte> bytes() const { return packed_; }

 private:
  std::vector<std::byte> packed_;
};

/// The number of that rank in the team; throws Error(bad_rank), which names the call.
[[nodiscard]] ARMATURE_API int root_of(const Team& team, Rank root, const char* call);

template <class Member, class... P, class... Args>
[[nodiscard]] std::vector<std::byte> pack_call(Member method, Types<P...>, const Args&... args) {
  const CodePointer code = encode(method);
  const auto pack_all = [&code](const Converted<P, Args>&... value) {
    std::size_t bytes = sizeof code;
    (measure(bytes, value), ...);
    std::vector<std::byte> packed(bytes);
    Writer to(packed.data());
    to.bytes(&code, sizeof code);
    (pack(to, value), ...);
    return packed;
  };
  return pack_all(static_cast<Converted<P, Args>>(args)...);
}

template <class T, class Member, class... P, std::size_t... i>
decltype(auto) run_packed(T& object, std::span<const std::byte> packed, Types<P...>,
                          std::index_sequence<i...>) {
  Reader from(packed.data(), packed.data(), packed.data() + packed.size());
  CodePointer code;
  from.bytes(&code, sizeof code);
  const auto method = to_member<Member>(decode(code), code.adjust());
  Arguments<std::index_sequence<i...>, std::remove_cvref_t<P>...> arguments(from);
  return (object.*method)(
      static_cast<P&&>(static_cast<Argument<i, std::remove_cvref_t<P>>&>(arguments).value)...);
}

/// Executes it on this rank's own representative, as a two-way call to itself. Where nobody keeps
/// the result, it need not be one that travels.
template <class T, class Member, bool keeps_result, class... P>
auto execute_here(const shared_ref<T>& handle, const CollectiveCall& call, Types<P...>) {
  return sync(
      my_rank("a collective call"),
      [](shared_ref<T> object, std::span<const std::byte> packed) {
        const auto run = [&]() -> decltype(auto) {
          return run_packed<T, Member>(object.local(), packed, Types<P...>(),
                                       std::index_sequence_for<P...>());
        };
        if constexpr (keeps_result)
          return run();
        else
          (void)run();
      },
      handle, call.bytes());
}

/// Values of all members, at the root in their order; elsewhere none. Collective.
template <class R>
[[nodiscard]] std::vector<R> gather_packed(const Team& team, const R& mine, int root) {
  std::size_t bytes = 0;
  measure(bytes, mine);
  const std::size_t room = allreduce(team, bytes, Maximum());
  std::vector<std::byte> packed(room);
  Writer to(packed.data());
  pack(to, mine);
  const bool is_root = team.rank() == root;
  const auto size = static_cast<std::size_t>(team.size());
  std::vector<std::byte> all(is_root ? size * room : 0);
  gather(team, std::span<const std::byte>(packed), std::span(all), root);
  std::vector<R> values;
  for (std::size_t i = 0; is_root && i < size; ++i) {
    // Each was packed at the beginning of a buffer: alignment counts from there.
    const std::vector<std::byte> one(all.begin() + static_cast<std::ptrdiff_t>(i * room),
                                     all.begin() + static_cast<std::ptrdiff_t>((i + 1) * room));
    Reader from(one.data(), one.data(), one.data() + one.size());
    values.push_back(unpack<R>(from));
  }
  return values;
}

}  // namespace detail

/// Collective over the team of the object, or over `team`, whose members all have a representative
/// of it (armi-rmi-2003, 3.3). All members but the root, which is the job's rank, execute `method`
/// with the root's arguments; those of other members do not count. Each returns when all have
/// executed it. Where a method throws, all members throw, as in every collective call. Not ordered
/// with one-way calls that were made before: rmi_fence comes in between. Throws Error(bad_rank)
/// where the root is no member.
template <class T, class Member, class... Args>
requires OneWayMethod<Member, T, Args...>
void broadcast_rmi(Rank root, const Team& team, const shared_ref<T>& handle, Member method,
                   const Args&... args) {
  using Parameters = typename detail::Signature<Member>::Parameters;
  constexpr const char* name = "broadcast_rmi";
  const int from = detail::root_of(team, root, name);
  const bool is_root = team.rank() == from;
  const detail::CollectiveCall call(
      team, from,
      is_root ? detail::pack_call(method, Parameters(), args...) : std::vector<std::byte>());
  std::exception_ptr failure;
  try {
    if (!is_root) detail::execute_here<T, Member, false>(handle, call, Parameters());
  } catch (...) {
    failure = std::current_exception();
  }
  detail::agree(team, name, failure);
}
template <class T, class Member, class... Args>
requires OneWayMethod<Member, T, Args...>
void broadcast_rmi(Rank root, const shared_ref<T>& handle, Member method, const Args&... args) {
  broadcast_rmi(root, handle.team(), handle, method, args...);
}

/// Collective, as broadcast_rmi. All members, the root among them, execute `method` with the root's
/// `input`; the root's `output` becomes the combination by `op` of what they return, in team order.
/// Elsewhere `output` stays as it was.
template <class T, class Member, class Input, class Output, class Op = std::plus<>>
requires TwoWayMethod<Member, T, const Input&>
void reduce_rmi(Rank root, const Team& team, const shared_ref<T>& handle, Member method,
                const Input& input, Output& output, Op op = {}) {
  using Parameters = typename detail::Signature<Member>::Parameters;
  using R = detail::MethodResult<T, Member, const Input&>;
  constexpr const char* name = "reduce_rmi";
  const int to = detail::root_of(team, root, name);
  const bool is_root = team.rank() == to;
  const detail::CollectiveCall call(
      team, to,
      is_root ? detail::pack_call(method, Parameters(), input) : std::vector<std::byte>());
  const R mine = detail::make_at_all(team, name, [&] {
    return detail::execute_here<T, Member, true>(handle, call, Parameters());
  });
  if constexpr (detail::Single<R>) {
    R sum = reduce(team, mine, to, op);
    if (is_root) output = std::move(sum);
  } else {
    std::vector<R> all = detail::gather_packed(team, mine, to);
    if (!is_root) return;
    R sum = std::move(all.front());
    for (std::size_t i = 1; i < all.size(); ++i) sum = op(std::move(sum), std::move(all[i]));
    output = std::move(sum);
  }
}
template <class T, class Member, class Input, class Output, class Op = std::plus<>>
requires TwoWayMethod<Member, T, const Input&>
void reduce_rmi(Rank root, const shared_ref<T>& handle, Member method, const Input& input,
                Output& output, Op op = {}) {
  reduce_rmi(root, handle.team(), handle, method, input, output, op);
}

}  // namespace armature
