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

// Turns `object.async(rank, &T::method, arguments...)` into bytes in a channel, and back into a
// call on the other side. Templates know the types; everything else is compiled code.

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
  auto invoke = [&]() -> decltype(auto) {
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
  static constexpr bool takes_code = true;
  static void run(Call& call) {
    Reader from(call.start, call.arguments, call.end);
    auto* const object = static_cast<T*>(call.object);
    const auto member = to_member<Member>(call.code, call.adjust);
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
  static constexpr bool takes_code = std::is_pointer_v<F>;
  static void run(Call& call) {
    Reader from(call.start, call.arguments, call.end);
    if constexpr (takes_code) {
      if (call.code < CodePointer::virtual_max) [[unlikely]]
        Reader::corrupt();  // an offset into a table, which a function does not have
      execute<replies>(call, from, Parameters(), *reinterpret_cast<F>(call.code));
    } else {
      auto function = unpack<F>(from);
      execute<replies>(call, from, Parameters(), function);
    }
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
                                              const Address& to, std::uint64_t method) {
  static_assert(std::endian::native == std::endian::little);
  const std::uint64_t words[2] = {
      std::uint64_t{static_cast<std::uint16_t>(bytes / RequestHeader::unit)} |
          static_cast<std::uint64_t>(kind) << 16 | std::uint64_t{sender->depth} << 24 |
          std::uint64_t{to.object.index} << 32,
      method | std::uint64_t{to.object.generation} << 48};
  static_assert(sizeof words == sizeof(RequestHeader));
  std::memcpy(at, words, sizeof words);
}

/// Whether a request with these behind its head fits into the ring, whatever their values.
template <class... V>
inline constexpr bool is_short = false;
template <class... V>
requires((fixed_bytes<V>() != SIZE_MAX) &&
         ...) inline constexpr bool is_short<V...> = (std::size_t{0} + ... +
                                                      fixed_bytes<V>()) <= request_bytes_max / 2;

/// The offset at which the arguments begin: behind the reply slot, if there is one.
template <bool two_way>
inline constexpr std::size_t head_bytes = sizeof(RequestHeader) + (two_way ? sizeof(Reply*) : 0);

template <class Entry, bool two_way>
[[gnu::always_inline]] inline void write_head(std::byte* at, std::size_t bytes, const Address& to,
                                              Reply* reply) {
  write_head(at, bytes, two_way ? RequestKind::two_way : RequestKind::one_way, to,
             MethodTokenOf<Entry>::get());
  if constexpr (two_way) std::memcpy(at + sizeof(RequestHeader), &reply, sizeof reply);
}

/// Sends a one-way call that says what it names, with these values behind that.
template <class Entry, class... V>
[[gnu::noinline]] void send_first(Outgoing& out, const Named& named, const V&... value) {
  constexpr std::size_t bytes =
      round_up(sizeof(RequestHeader) + (Entry::takes_code ? sizeof named.code : 0) +
                   (std::size_t{0} + ... + fixed_bytes<V>()),
               RequestHeader::unit);
  Writer writer(start_first(out, bytes, named, Entry::takes_code));
  (pack(writer, value), ...);
  commit(*sender, out, bytes);
}

/// Sends a one-way call with these values behind what it names, whose length is known now.
template <class Entry, class... V>
requires is_short<V...>
[[gnu::always_inline]] inline void send_statement(const Address& to, CodePointer code,
                                                  const V&... value) {
  constexpr std::size_t bytes = round_up(
      RequestHeader::first_word + (std::size_t{0} + ... + fixed_bytes<V>()), RequestHeader::unit);
  constexpr std::uint64_t word =
      bytes / RequestHeader::unit | static_cast<std::uint64_t>(RequestKind::repeated_header) << 16;
  Sender& me = *sender;
  Outgoing& out = channel_to(me, to.rank);
  const std::uint64_t method = MethodTokenOf<Entry>::get(),
                      object = to.object.index | std::uint64_t{to.object.generation} << 32;
  const auto differs = (out.method ^ method) | (out.code ^ code.bits) | (out.object ^ object);
  if (differs != 0 || !has_room(out, bytes)) [[unlikely]]
    return send_first<Entry>(out, Named{method, code.bits, object}, value...);
  std::byte* const at = out.at;
  std::memcpy(at, &word, sizeof word);
  Writer writer(at + sizeof word);
  (pack(writer, value), ...);
  commit(me, out, bytes);
}

/// Sends a request with these values behind its head, whose length is known now.
template <class Entry, bool two_way, class... V>
requires is_short<V...>
[[gnu::always_inline]] inline void send_request(const Address& to, Reply* reply,
                                                const V&... value) {
  std::size_t used = head_bytes<two_way>;
  (measure(used, value), ...);
  const std::size_t bytes = round_up(used, RequestHeader::unit);
  Outgoing& out = channel_to(to.rank);
  std::byte* const at = reserve(out, bytes);
  write_head<Entry, two_way>(at, bytes, to, reply);
  Writer writer(at, at + head_bytes<two_way>);
  (pack(writer, value), ...);
  commit(*sender, out, bytes);
}

template <class Entry, bool two_way, class... V>
void send_request(const Address& to, Reply* reply, const V&... value) {
  Place place(channel_to(to.rank));
  std::size_t used = 0;
  do {
    used = head_bytes<two_way>;
    (measure(used, value), ...);
  } while (!place.find(used));
  const std::size_t bytes = round_up(used, RequestHeader::unit);
  write_head<Entry, two_way>(place.at(), bytes, to, reply);
  Writer writer(place.at(), place.at() + head_bytes<two_way>);
  (pack(writer, value), ...);
  place.commit(bytes, head_bytes<two_way>);
}

/// `first` is a pointer to code, or the lambda itself.
template <bool two_way, class Entry, class First, class... P, class... Args>
[[gnu::always_inline]] inline void send_call(const Address& to, Reply* reply, const First& first,
                                             Types<P...>, Args&&... args) {
  if constexpr (two_way || !is_short<First, std::remove_cvref_t<P>...>)
    send_request<Entry, two_way>(to, reply, first,
                                 static_cast<Converted<P, Args>>(std::forward<Args>(args))...);
  else if constexpr (Entry::takes_code)
    send_statement<Entry>(to, first, static_cast<Converted<P, Args>>(std::forward<Args>(args))...);
  else
    send_statement<Entry>(to, CodePointer(), first,
                          static_cast<Converted<P, Args>>(std::forward<Args>(args))...);
}

template <bool two_way, class T, class Member, class... Args>
[[gnu::always_inline]] inline void call_method(const Address& to, Reply* reply, Member member,
                                               Args&&... args) {
  send_call<two_way, MemberEntry<T, Member, two_way>>(to, reply, encode(member),
                                                      typename Signature<Member>::Parameters(),
                                                      std::forward<Args>(args)...);
}

template <bool two_way, class F, class... Args>
[[gnu::always_inline]] inline void call_function(Rank rank, Reply* reply, const F& f,
                                                 Args&&... args) {
  using Parameters = typename ParametersOf<F, Args...>::type;
  using Entry = FunctionEntry<F, two_way, Parameters>;
  const Address to{rank, {RequestHeader::function, 0}};
  if constexpr (std::is_pointer_v<F>)
    send_call<two_way, Entry>(to, reply, encode(reinterpret_cast<std::uintptr_t>(f), 0),
                              Parameters(), std::forward<Args>(args)...);
  else
    send_call<two_way, Entry>(to, reply, f, Parameters(), std::forward<Args>(args)...);
}

/// A two-way call's reply slot, given back when the call that uses it ends in an exception.
class Asking {
 public:
  explicit Asking(Rank to, Reply* (*make)(Rank) = new_reply) : to_(to), reply_(make(to)) {}
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
