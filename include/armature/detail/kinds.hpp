#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "armature/detail/wire.hpp"
#include "armature/typer.hpp"

// The kinds of types for marshal.hpp: copied as bytes, describing themselves, made of others,
// views.

namespace armature::detail {

template <class T>
concept HasDefineType = requires(T& value, typer& t) {
  value.define_type(t);
};
template <class T>
concept HasSerialize = requires(T& value, Archive& a) {
  value.serialize(a);
};
template <class T>
concept HasVersionedSerialize = requires(T& value, Archive& a) {
  value.serialize(a, 0u);
};
template <class T>
inline constexpr bool is_described =
    HasDefineType<T> || HasSerialize<T> || HasVersionedSerialize<T>;

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_variant = false;
template <class... T>
inline constexpr bool is_variant<std::variant<T...>> = true;
template <class T>
inline constexpr bool is_unique_ptr = false;
template <class T>
inline constexpr bool is_unique_ptr<std::unique_ptr<T>> = !std::is_array_v<T>;
template <class T>
inline constexpr bool is_tuple = false;
template <class... T>
inline constexpr bool is_tuple<std::tuple<T...>> = true;
template <class A, class B>
inline constexpr bool is_tuple<std::pair<A, B>> = true;
template <class T>
inline constexpr bool is_array = false;
template <class T, std::size_t n>
inline constexpr bool is_array<std::array<T, n>> = true;

template <class T>
concept TupleLike = requires {
  std::tuple_size<T>::value;
};
template <class T>
concept Sequence = requires(T& c, typename T::value_type v) {
  c.begin();
  c.end();
  c.size();
  c.push_back(std::move(v));
};
template <class T>
concept Associative = requires(T& c, typename T::value_type v) {
  typename T::key_type;
  c.begin();
  c.end();
  c.size();
  c.insert(std::move(v));
};

/// Standard types whose bytes can be copied, but which are pointers in disguise.
template <class T>
inline constexpr bool is_disguised_pointer = std::ranges::enable_view<T> ||
                                             (std::is_class_v<T> &&
                                              std::input_or_output_iterator<T>);
template <class T>
inline constexpr bool is_disguised_pointer<std::reference_wrapper<T>> = true;
template <class T>
inline constexpr bool is_disguised_pointer<std::initializer_list<T>> = true;

template <class... T>
constexpr bool all_are_bytes(std::variant<T...>*);

template <class T>
constexpr bool copied_as_bytes() {
  if constexpr (!std::is_trivially_copyable_v<T> || !std::is_copy_constructible_v<T> ||
                std::is_pointer_v<T> || std::is_member_pointer_v<T> || std::is_array_v<T> ||
                std::is_null_pointer_v<T> || is_described<T> || is_tuple<T>)
    return false;
  else if constexpr (is_optional<T> || is_array<T>)
    return copied_as_bytes<typename T::value_type>();
  else if constexpr (is_variant<T>)
    return all_are_bytes(static_cast<T*>(nullptr));
  else
    return !is_disguised_pointer<T>;
}
template <class... T>
constexpr bool all_are_bytes(std::variant<T...>*) {
  return (copied_as_bytes<T>() && ...);
}

/// Copied byte by byte, with nothing to ask. A type that describes itself is asked.
template <class T>
inline constexpr bool is_bytes = copied_as_bytes<T>();

template <class T>
inline constexpr bool is_view = false;
template <class T>
inline constexpr bool is_view<std::span<const T>> = is_bytes<T>;
template <>
inline constexpr bool is_view<std::string_view> = true;

/// Whether what is unpacked may look into the message: it then must stay. Of a type that describes
/// itself that is not known: `if_described`, unless it says `owns_its_members`.
template <class T, bool if_described>
constexpr bool looks_into_message();

template <bool if_described, class... T>
constexpr bool any_looks(std::variant<T...>*) {
  return (looks_into_message<T, if_described>() || ...);
}
template <bool if_described, class Tuple, std::size_t... i>
constexpr bool any_looks(std::index_sequence<i...>) {
  return (looks_into_message<std::remove_cv_t<std::tuple_element_t<i, Tuple>>, if_described>() ||
          ...);
}

template <class T, bool if_described>
constexpr bool looks_into_message() {
  if constexpr (is_view<T>)
    return true;
  else if constexpr (std::is_void_v<T> || is_bytes<T>)
    return false;
  else if constexpr (requires { T::owns_its_members; })
    return false;
  else if constexpr (is_described<T>)
    return if_described;
  else if constexpr (is_variant<T>)
    return any_looks<if_described>(static_cast<T*>(nullptr));
  else if constexpr (is_unique_ptr<T>)
    return looks_into_message<std::remove_cv_t<typename T::element_type>, if_described>();
  else if constexpr (TupleLike<T>)
    return any_looks<if_described, T>(std::make_index_sequence<std::tuple_size_v<T>>());
  else if constexpr (requires { typename T::value_type; })
    return looks_into_message<std::remove_cv_t<typename T::value_type>, if_described>();
  else
    return false;
}

}  // namespace armature::detail
