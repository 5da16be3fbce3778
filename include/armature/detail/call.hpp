#pragma once

#include <bit>
#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

#include "armature/detail/method.hpp"
#include "armature/detail/reply.hpp"
#include "armature/detail/request.hpp"
#include "armature/detail/signature.hpp"
#include "armature/marshal.hpp"
#include "armature/object_id.hpp"

// From `object.async(rank, &T::method, arguments...)` to bytes in a channel, and back to a call on
// the other side. Templates know the types; everything else is compiled code.

namespace armature {

namespace detail {

// -- the receiver's side
// ------------------------------------------------------------------------------

template <class R>
void answer(Call& call, const R& result) {
  std::size_t bytes = 0;
  measure(bytes, result);
  Writer to(reply_room(call, bytes));
  pack(to, result);
  publish_reply(call);
}

/// The arguments of a request, each made where it stays: one that describes itself may hold
/// pointers into itself, and the compiler may move what a function returns.
template <std::size_t i, class T>
struct Argument {
  explicit Argument(Reader& from) : value(unpack<T>(from)) {}
  T value;
};
template <std::size_t i, class T>
requires is_described<T>
struct Argument<i, T> {
  explicit Argument(Reader& from) { unpack_into(from, value); }
  T value;
};
template <class Indices, class... T>
struct Arguments;
template <std::size_t... i, class... T>
struct Arguments<std::index_sequence<i...>, T...> : Argument<i, T>... {
  // Bases are made in their order.
  explicit Arguments(Reader& from) : Argument<i, T>(from)... { (void)from; }
};

template <bool replies, class F, class... P, std::size_t... i>
void execute(Call& call, Reader& from, Types<P...>, std::index_sequence<i...>, F& f) {
  [[maybe_unused]] Arguments<std::index_sequence<i...>, std::remove_cvref_t<P>...> arguments(from);
  auto invoke = [&f, &arguments]() -> decltype(auto) {
    return f(
        static_cast<P&&>(static_cast<Argument<i, std::remove_cvref_t<P>>&>(arguments).value)...);
  };
  if constexpr (!replies) {
    (void)invoke();
  } else if constexpr (std::is_void_v<decltype(invoke())>) {
    invoke();
    (void)reply_room(call, 0);
    publish_reply(call);
  } else {
    answer<std::remove_cvref_t<decltype(invoke())>>(call, invoke());
  }
}

/// Calls f with the arguments of a request and answers, when somebody waits, with what it returns.
template <bool replies, class F, class... P>
void execute(Call& call, Reader& from, Types<P...> types, F&& f) {
  execute<replies>(call, from, types, std::index_sequence_for<P...>(), f);
}

template <class Parameters>
inline constexpr bool looks = false;
template <class... P>
inline constexpr bool looks<Types<P...>> = (looks_into_message<std::remove_cvref_t<P>, true>() ||
                                            ...);

template <class T, class Member, bool replies>
struct MemberEntry {
  static constexpr bool looks_into_message = looks<typename Signature<Member>::Parameters>;
  static void run(Call& call) { run_code(call, &run_member); }

 private:
  static void run_member(Call& call, std::uintptr_t code, std::ptrdiff_t adjust) {
    Reader from = behind_code(call);
    auto* const object = static_cast<T*>(call.object);
    const auto member = to_member<Member>(code, adjust);
    // GCC's vptr check takes a base's part, to which such a pointer may lead, for a wrong object.
    const auto called = [&](auto&&... argument) __attribute__((no_sanitize("vptr")))
                            ->decltype(auto) {
      return (object->*member)(std::forward<decltype(argument)>(argument)...);
    };
    execute<replies>(call, from, typename Signature<Member>::Parameters(), called);
  }
};

template <class F, bool replies, class Parameters>
struct FunctionEntry {
  static constexpr bool looks_into_message = looks<Parameters>;
  static void run(Call& call) {
    if constexpr (std::is_pointer_v<F>) {
      run_code(call, &run_function);
    } else {
      Reader from(call.start, call.arguments, call.end);
      auto function = unpack<F>(from);
      execute<replies>(call, from, Parameters(), function);
    }
  }

 private:
  static void run_function(Call& call, std::uintptr_t code, std::ptrdiff_t /*adjust*/) {
    if (code < CodePointer::virtual_max) [[unlikely]]
      Reader::corrupt();  // an offset into a table, which a function does not have
    Reader from = behind_code(call);
    execute<replies>(call, from, Parameters(), *reinterpret_cast<F>(code));
  }
};

// -- the sender's side
// --------------------------------------------------------------------------------

/// An argument as its parameter's type: itself where it is that already, else converted, once.
template <class P, class Arg>
using Converted =
    std::conditional_t<std::is_same_v<std::remove_cvref_t<P>, std::remove_cvref_t<Arg>>,
                       const std::remove_cvref_t<P>&, const std::remove_cvref_t<P>>;

struct Address {
  Rank rank;
  ObjectId object;
};

/// A RequestHeader, put together in two words.
[[gnu::always_inline]] inline void write_head(std::byte* at, std::size_t bytes, RequestKind kind,
                                              std::uint8_t flags, const Address& to,
                                              std::uint64_t method) {
  static_assert(std::endian::native == std::endian::little);
  const auto kind_and_flags = static_cast<std::uint8_t>(static_cast<std::uint8_t>(kind) | flags);
  const std::uint64_t words[2] = {
      bytes / RequestHeader::unit | std::uint64_t{kind_and_flags} << 16 |
          std::uint64_t{sender->depth} << 24 | std::uint64_t{to.object.index} << 32,
      method | std::uint64_t{to.object.generation} << 48};
  static_assert(sizeof words == sizeof(RequestHeader));
  std::memcpy(at, words, sizeof words);
}

/// Room that was reserved: the endpoint is let go when writing the request ends in an exception,
/// which only types that describe themselves can bring about.
class Unwritten {
 public:
  explicit Unwritten(const Outgoing& out) : held_(!out.alone) {}
  Unwritten(const Unwritten&) = delete;
  Unwritten& operator=(const Unwritten&) = delete;
  ~Unwritten() {
    if (held_) [[unlikely]]
      abandon_request();
  }
  void done() const { held_ = false; }

 private:
  mutable bool held_;
};

/// Writes the request `kind` with the given values behind its head, and sends it.
template <class Entry, bool question, class... V>
[[gnu::always_inline]] inline void send_request(const Address& to, Reply* reply,
                                                const V&... value) {
  constexpr RequestKind kind = question ? RequestKind::question : RequestKind::call;
  constexpr std::size_t head = sizeof(RequestHeader) + (question ? sizeof reply : 0);
  const std::uint64_t method = MethodTokenOf<Entry>::get();
  Outgoing& out = channel_to(to.rank);
  const auto measured = [&] {
    std::size_t used = head;
    (measure(used, value), ...);  // a constant, for most
    return used;
  };
  std::size_t used = measured();
  std::byte* room = nullptr;
  if constexpr (((fixed_bytes<V>() == SIZE_MAX) || ...))
    // Making room executes what has come in, which may change what is being sent.
    while (used <= request_bytes_max && room == nullptr &&
           !has_room(out, round_up(used, RequestHeader::unit)))
      [[unlikely]] {
        room = find_room(*sender, out, round_up(used, RequestHeader::unit));
        const std::size_t before = std::exchange(used, measured());
        if (round_up(used, RequestHeader::unit) == round_up(before, RequestHeader::unit)) break;
        abandon_request();
        room = nullptr;
      }
  const std::size_t bytes = round_up(used, RequestHeader::unit);
  if (bytes <= request_bytes_max) [[likely]] {
    std::byte* const at = room != nullptr ? room : reserve(out, bytes);
    write_head(at, bytes, kind, 0, to, method);
    if constexpr (question) std::memcpy(at + sizeof(RequestHeader), &reply, sizeof reply);
    const Unwritten unwritten(out);
    Writer writer(at, at + head);
    (pack(writer, value), ...);
    unwritten.done();
    return commit(out, bytes);
  }
  await_block(to.rank, used);
  used = measured();
  std::byte* const block = find_block(to.rank, used);
  Writer writer(block, block + head);
  (pack(writer, value), ...);
  constexpr std::size_t long_bytes = round_up(head + sizeof(LongArguments), RequestHeader::unit);
  std::byte* const at = reserve(out, long_bytes);
  write_head(at, long_bytes, kind, RequestHeader::is_long, to, method);
  if constexpr (question) std::memcpy(at + sizeof(RequestHeader), &reply, sizeof reply);
  const LongArguments where{reinterpret_cast<std::uint64_t>(block), used};
  std::memcpy(at + head, &where, sizeof where);
  commit(out, long_bytes);
}

template <bool question, class Entry, class First, class... P, class... Args>
[[gnu::always_inline]] inline void send_call(const Address& to, Reply* reply, const First& first,
                                             Types<P...>, Args&&... args) {
  [&](Converted<P, Args>... argument) {
    send_request<Entry, question>(to, reply, first, argument...);
  }(static_cast<Converted<P, Args>>(std::forward<Args>(args))...);
}

template <bool question, class T, class Member, class... Args>
void call_method(const Address& to, Reply* reply, Member member, Args&&... args) {
  send_call<question, MemberEntry<T, Member, question>>(to, reply, encode(member),
                                                        typename Signature<Member>::Parameters(),
                                                        std::forward<Args>(args)...);
}

template <bool question, class F, class... Args>
void call_function(Rank rank, Reply* reply, const F& f, Args&&... args) {
  using Parameters = typename ParametersOf<F, Args...>::type;
  using Entry = FunctionEntry<F, question, Parameters>;
  const Address to{rank, {RequestHeader::function, 0}};
  if constexpr (std::is_pointer_v<F>)
    send_call<question, Entry>(to, reply, encode(reinterpret_cast<std::uintptr_t>(f), 0),
                               Parameters(), std::forward<Args>(args)...);
  else
    send_call<question, Entry>(to, reply, f, Parameters(), std::forward<Args>(args)...);
}

/// A question's reply slot, given back when the call that uses it ends in an exception.
class Asking {
 public:
  explicit Asking(Rank to) : to_(to), reply_(new_reply(to)) {}
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;
  ~Asking() {
    if (reply_ != nullptr) drop_reply(reply_);
  }
  [[nodiscard]] Reply* reply() const { return reply_; }
  [[nodiscard]] Reply* keep() { return std::exchange(reply_, nullptr); }

  template <class R>
  R await() {
    await_reply(reply_, to_);
    if constexpr (!std::is_void_v<R>) {
      Reader from = read_reply(reply_);
      return unpack<R>(from);
    }
  }

 private:
  Rank to_;
  Reply* reply_;
};

template <class F, class... Args>
using ResultOf = std::remove_cvref_t<typename ParametersOf<F, Args...>::Result>;

}  // namespace detail

/// Picks one of several overloads for a remote call: overload<int, double>(&Account::add).
template <class... Parameters>
struct Overload {
  template <class R, class C>
  constexpr auto operator()(R (C::*method)(Parameters...)) const {
    return method;
  }
  template <class R, class C>
  constexpr auto operator()(R (C::*method)(Parameters...) const) const {
    return method;
  }
  template <class R>
  constexpr auto operator()(R (*function)(Parameters...)) const {
    return function;
  }
};
template <class... Parameters>
inline constexpr Overload<Parameters...> overload{};

}  // namespace armature
