#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "armature/detail/call.hpp"
#include "armature/detail/export.hpp"
#include "armature/rmi.hpp"

// Methods that may run beside others (armi-rmi-2003, 3.4: constraints of methods relaxed).
//
//     class Index {
//      public:
//       [[nodiscard]] long find(long key) const;
//       void insert(long key, long value);
//       using concurrent_methods = armature::concurrent_methods<&Index::find>;
//     };
//     armature::async(rank, armature::concurrent([](long key) { ... }), key);

namespace armature {

/// Declares methods of a class as concurrent, where the class has it as its member type
/// `concurrent_methods`. A method that is called remotely by its pointer may then run beside others
/// of its rank, also beside itself: on one of the threads of `armature run --service-threads N`,
/// where N is 2 or more. The class protects what its concurrent methods share. Methods that are
/// not declared run one at a time, as ever, and beside concurrent ones.
///
/// * Order. A concurrent method begins after the calls that its caller has made before it have
///   begun. Calls that are made after it do not wait for it. Fences do, and `sync` does.
/// * What it may call: what a thread may that the program has started (docs/guide/threads.md,
///   level `multiple`). In a process of several ranks, and on virtual ranks, that is put, get and
///   atomics: calls in the rank's name throw Error(misuse).
/// * Waiting. A concurrent method that waits goes on when what it waits for is there, whatever else
///   has begun since.
/// * Failures are told as those of other methods.
///
/// The rank itself executes a call as any other where no thread is free or its arguments are long.
template <auto... methods>
struct concurrent_methods {
  template <class Member>
  [[nodiscard]] static constexpr bool has([[maybe_unused]] Member method) {
    return (is(method, methods) || ...);
  }

 private:
  template <class Member, class Declared>
  [[nodiscard]] static constexpr bool is([[maybe_unused]] Member method,
                                         [[maybe_unused]] Declared declared) {
    static_assert(std::is_member_function_pointer_v<Declared>,
                  "concurrent_methods<...> takes pointers to methods, as &Index::find");
    if constexpr (std::is_same_v<Member, Declared>)
      return method == declared;
    else
      return false;
  }
};

/// A function object that is called remotely as a concurrent method is; made by concurrent().
template <class F>
struct Concurrent : F {
  using F::operator();
};

namespace detail {

/// A call of a concurrent method, by whoever runs it.
struct ConcurrentCall : Call {
  std::vector<std::byte> result = {};  // packed, where somebody waits for it
};
using RunConcurrent = void (*)(ConcurrentCall& call);

/// Hands the call over to a thread beside the rank, which runs it and answers; false: none is
/// free. Called by the rank that executes the call.
[[nodiscard]] ARMATURE_API bool hand_over(const Call& call, const Method& method,
                                          RunConcurrent run);

/// Calls f with the arguments of a request, and packs what it returns.
template <bool replies, class F, class... P>
void run_concurrent(ConcurrentCall& call, Reader& from, Types<P...> types, F&& f) {
  const auto call_and_pack = [&](auto&&... argument) {
    using Result = decltype(f(std::forward<decltype(argument)>(argument)...));
    if constexpr (!replies || std::is_void_v<Result>) {
      (void)f(std::forward<decltype(argument)>(argument)...);
    } else {
      const std::remove_cvref_t<Result> result = f(std::forward<decltype(argument)>(argument)...);
      std::size_t bytes = 0;
      measure(bytes, result);
      call.result.resize(bytes);
      Writer to(call.result.data());
      pack(to, result);
    }
  };
  execute<false>(call, from, types, call_and_pack);
}

/// The entry of methods of a class that declares some as concurrent. Which one a request calls is
/// known when it has come.
template <class T, class Member, bool replies>
requires requires { typename T::concurrent_methods; }
struct MemberEntry<T, Member, replies> {
  using Parameters = typename Signature<Member>::Parameters;
  static constexpr bool looks_into_message = looks<Parameters>;
  static constexpr bool takes_code = true;
  static void run(Call& call) {
    if (T::concurrent_methods::has(to_member<Member>(call.code, call.adjust)) &&
        hand_over(call, MethodTokenOf<MemberEntry>::method, &run_beside))
      return;
    Reader from(call.start, call.arguments, call.end);
    execute<replies>(call, from, Parameters(), method_of(call));
  }
  static void run_beside(ConcurrentCall& call) {
    Reader from(call.start, call.arguments, call.end);
    run_concurrent<replies>(call, from, Parameters(), method_of(call));
  }

 private:
  // GCC's vptr check takes a base's part, to which such a pointer may lead, for a wrong object.
  static auto method_of(const Call& call) {
    return [
      object = static_cast<T*>(call.object), member = to_member<Member>(call.code, call.adjust)
    ](auto&&... argument) __attribute__((no_sanitize("vptr")))
        ->decltype(auto) {
      return (object->*member)(std::forward<decltype(argument)>(argument)...);
    };
  }
};

/// The entry of concurrent function objects.
template <class F, bool replies, class Parameters>
struct FunctionEntry<Concurrent<F>, replies, Parameters> {
  static constexpr bool looks_into_message = looks<Parameters>;
  static constexpr bool takes_code = false;
  static void run(Call& call) {
    if (hand_over(call, MethodTokenOf<FunctionEntry>::method, &run_beside)) return;
    Reader from(call.start, call.arguments, call.end);
    auto function = unpack<Concurrent<F>>(from);
    execute<replies>(call, from, Parameters(), function);
  }
  static void run_beside(ConcurrentCall& call) {
    Reader from(call.start, call.arguments, call.end);
    auto function = unpack<Concurrent<F>>(from);
    run_concurrent<replies>(call, from, Parameters(), function);
  }
};

}  // namespace detail

/// Wraps a lambda, or another function object that captures trivially copyable values, for async,
/// sync and ask: it may run beside methods of its rank, as a concurrent method does.
template <class F>
[[nodiscard]] constexpr Concurrent<F> concurrent(F function) {
  static_assert(!std::is_pointer_v<F> && !std::is_member_pointer_v<F>,
                "concurrent() takes a lambda, which may call the function. Methods are declared in "
                "their class: using concurrent_methods = armature::concurrent_methods<...>");
  return {std::move(function)};
}

}  // namespace armature
