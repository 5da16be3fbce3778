#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "armature/marshal.hpp"

// The types of a remote call, and the concepts that a wrong call fails.

namespace armature {

namespace detail {

template <class... T>
struct Types {};

/// The parameters and the result of a callable.
template <class F>
struct Signature;
#define ARMATURE_SIGNATURE(qualifiers, constness) \
  template <class R, class C, class... A>         \
  struct Signature<R (C::*)(A...) qualifiers> {   \
    using Result = R;                             \
    using Object = constness C;                   \
    using Parameters = Types<A...>;               \
  };
ARMATURE_SIGNATURE(, )
ARMATURE_SIGNATURE(const, const)
ARMATURE_SIGNATURE(noexcept, )
ARMATURE_SIGNATURE(const noexcept, const)
#undef ARMATURE_SIGNATURE
template <class R, class... A>
struct Signature<R (*)(A...)> {
  using Result = R;
  using Parameters = Types<A...>;
};
template <class R, class... A>
struct Signature<R (*)(A...) noexcept> : Signature<R (*)(A...)> {};
template <class F>
requires requires { &F::operator(); }
struct Signature<F> : Signature<decltype(&F::operator())> {};

template <class F>
concept HasSignature = requires {
  typename Signature<F>::Result;
};

template <class Parameter>
inline constexpr bool is_writable_reference =
    std::is_lvalue_reference_v<Parameter> && !std::is_const_v<std::remove_reference_t<Parameter>>;

template <class Parameters, class... Args>
inline constexpr bool accepts = false;
template <class... P, class... Args>
requires(sizeof...(P) == sizeof...(Args)) inline constexpr bool accepts<Types<P...>, Args...> =
    (std::is_convertible_v<Args, std::remove_cvref_t<P>> && ...);

template <class Parameters>
inline constexpr bool all_travel = false;
template <class... P>
inline constexpr bool all_travel<Types<P...>> = (Marshallable<P> && ...);
template <class Parameters>
inline constexpr bool none_writable = false;
template <class... P>
inline constexpr bool none_writable<Types<P...>> = !(is_writable_reference<P> || ...);

/// The parameters of a generic lambda are the arguments themselves, by value.
template <class F, class... Args>
struct ParametersOf {};
template <class F, class... Args>
requires(!HasSignature<F> &&
         std::invocable<F&, std::decay_t<Args>...>) struct ParametersOf<F, Args...> {
  using type = Types<std::decay_t<Args>...>;
  using Result = std::invoke_result_t<F&, std::decay_t<Args>...>;
};
template <HasSignature F, class... Args>
struct ParametersOf<F, Args...> {
  using type = typename Signature<F>::Parameters;
  using Result = typename Signature<F>::Result;
};

}  // namespace detail

// -- what a remote call asks of its types
// -----------------------------------------------------------

/// A pointer to a member function of T or of a base of T.
template <class Member, class T>
concept MethodOf = std::is_member_function_pointer_v<Member> &&
    std::is_convertible_v<T*, typename detail::Signature<Member>::Object*>;
/// There are as many arguments as parameters, and each is convertible to its parameter.
template <class F, class... Args>
concept TakesArguments = detail::accepts<typename detail::ParametersOf<F, Args...>::type, Args...>;
/// Arguments are passed by value: every parameter's type must be able to travel.
template <class F, class... Args>
concept ParametersAreMarshallable =
    detail::all_travel<typename detail::ParametersOf<F, Args...>::type>;
/// Parameters are no writable references: what the method writes would not come back. Take a value,
/// or a const reference.
template <class F, class... Args>
concept NoParameterIsWritableReference =
    detail::none_writable<typename detail::ParametersOf<F, Args...>::type>;
/// The result must be able to travel back: return a value.
template <class F, class... Args>
concept ResultIsMarshallable = Marshallable<typename detail::ParametersOf<F, Args...>::Result>;
/// The message with the answer does not stay: return a std::string or a std::vector.
template <class F, class... Args>
concept ResultIsNoView = !detail::looks_into_message<
    std::remove_cvref_t<typename detail::ParametersOf<F, Args...>::Result>, false>();

template <class Member, class T, class... Args>
concept OneWayMethod = MethodOf<Member, T> && TakesArguments<Member, Args...> &&
    NoParameterIsWritableReference<Member, Args...> && ParametersAreMarshallable<Member, Args...>;
template <class Member, class T, class... Args>
concept TwoWayMethod = OneWayMethod<Member, T, Args...> && ResultIsMarshallable<Member, Args...> &&
    ResultIsNoView<Member, Args...>;

/// A function, or a function object that is its bytes: captures nothing, or trivially copyable
/// values. That one of them is a pointer, such as `this`, no type tells: it means nothing there.
template <class F>
concept RemoteFunction = (std::is_pointer_v<F> && std::is_function_v<std::remove_pointer_t<F>>) ||
                         (std::is_class_v<F> && std::is_trivially_copyable_v<F>);
/// A lambda captures no references: their objects are not on the other rank. Capture values.
template <class F>
concept CapturesNoReference = std::is_standard_layout_v<F>;  // those with references are none
template <class F, class... Args>
concept OneWayFunction =
    RemoteFunction<F> && CapturesNoReference<F> && TakesArguments<F, Args...> &&
    NoParameterIsWritableReference<F, Args...> && ParametersAreMarshallable<F, Args...>;
template <class F, class... Args>
concept TwoWayFunction =
    OneWayFunction<F, Args...> && ResultIsMarshallable<F, Args...> && ResultIsNoView<F, Args...>;

}  // namespace armature
