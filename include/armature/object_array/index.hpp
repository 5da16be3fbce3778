#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "armature/container/hash_table.hpp"
#include "armature/marshal.hpp"

namespace armature {

namespace detail {

template <class T>
concept HasOwnHash = requires(const T& index) {
  { std::hash<T>()(index) } -> std::convertible_to<std::size_t>;
};

/// Whether two that are equal travel as the same bytes, as far as their type shows. A type that
/// describes itself is believed.
template <class T>
constexpr bool bytes_tell();
template <class... T>
constexpr bool bytes_of_all_tell(std::variant<T...>*) {
  return (bytes_tell<T>() && ...);
}
template <class T>
constexpr bool bytes_tell() {
  if constexpr (is_described<T>)
    return true;
  else if constexpr (is_variant<T>)
    return bytes_of_all_tell(static_cast<T*>(nullptr));
  else if constexpr (TupleLike<T>)
    return []<std::size_t... i>(std::index_sequence<i...>) {
      return (bytes_tell<std::remove_cv_t<std::tuple_element_t<i, T>>>() && ...);
    }
  (std::make_index_sequence<std::tuple_size_v<T>>());
  else if constexpr (is_optional<T> || Sequence<T> || Associative<T>) return bytes_tell<
      std::remove_cv_t<typename T::value_type>>() &&
      !requires {
    typename T::hasher;
  };
  else return std::has_unique_object_representations_v<T>;
}

/// Whether it has a hash that is the same for equal ones, on all ranks.
template <class T>
inline constexpr bool has_index_hash =
    !std::floating_point<T> && (HasOwnHash<T> || bytes_tell<T>());
template <class... T>
inline constexpr bool has_index_hash<std::tuple<T...>> = (has_index_hash<T> && ...);
template <class A, class B>
inline constexpr bool has_index_hash<std::pair<A, B>> = has_index_hash<A>&& has_index_hash<B>;
template <class T, std::size_t n>
inline constexpr bool has_index_hash<std::array<T, n>> = has_index_hash<T>;

/// An index may be looked at when the message with which it came has gone.
template <class T>
constexpr bool index_travels() {
  if constexpr (Marshallable<T>)
    return !looks_into_message<T, false>();
  else
    return false;
}

/// Calls f with the bytes by which a value travels.
template <class T, class F>
auto with_bytes_of(const T& value, F f) {
  std::size_t bytes = 0;
  measure(bytes, value);
  alignas(std::max_align_t) std::array<std::byte, 256> here{};
  std::vector<std::byte> longer(bytes > here.size() ? bytes : 0);
  std::byte* const begin = longer.empty() ? here.data() : longer.data();
  Writer to(begin);
  pack(to, value);
  return f(std::span<const std::byte>(begin, bytes));
}

/// FNV-1a.
inline std::uint64_t hash_of_bytes(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0xcbf2'9ce4'8422'2325ULL;
  for (const std::byte one : bytes)
    sum = (sum ^ static_cast<unsigned char>(one)) * 0x100'0000'01b3ULL;
  return spread(sum);
}

/// The hash of an index, the same on every rank: it decides where an element is looked for.
struct IndexHash {
  template <class T>
  std::size_t operator()(const T& index) const {
    if constexpr (std::integral<T> || std::is_enum_v<T>) {
      return spread(static_cast<std::uint64_t>(index) + 0x9e37'79b9'7f4a'7c15ULL);
    } else if constexpr (is_tuple<T> || is_array<T>) {
      std::uint64_t sum = 0;
      std::apply([&](const auto&... part) { ((sum = spread(sum + (*this)(part))), ...); }, index);
      return sum;
    } else if constexpr (std::is_same_v<T, std::string>) {
      return hash_of_bytes(std::as_bytes(std::span(index)));
    } else if constexpr (HasOwnHash<T>) {
      return spread(std::hash<T>()(index));
    } else {
      return with_bytes_of(index, hash_of_bytes);
    }
  }
};

/// For messages.
template <class T>
std::string text_of_index(const T& index) {
  using std::to_string;
  if constexpr (is_tuple<T> || is_array<T>) {
    std::string text;
    std::apply(
        [&](const auto&... part) {
          ((text += (text.empty() ? "(" : ", ") + text_of_index(part)), ...);
        },
        index);
    return text + ")";
  } else if constexpr (std::is_same_v<T, std::string>) {
    return "\"" + index + "\"";
  } else if constexpr (std::is_enum_v<T>) {
    return to_string(static_cast<std::underlying_type_t<T>>(index));
  } else if constexpr (requires { std::string(to_string(index)); }) {
    return to_string(index);
  } else if constexpr (requires { std::string(index.to_string()); }) {
    return index.to_string();
  } else {
    return with_bytes_of(index, [](std::span<const std::byte> bytes) {
      constexpr std::size_t shown_max = 24;
      constexpr const char* digits = "0123456789abcdef";
      std::string text = "of the bytes ";
      for (const std::byte one : bytes.first(std::min(bytes.size(), shown_max))) {
        text += digits[static_cast<unsigned>(one) / 16];
        text += digits[static_cast<unsigned>(one) % 16];
      }
      return text + (bytes.size() > shown_max ? "..." : "");
    });
  }
}

}  // namespace detail

/// The index types of an object_array: all that travel (Marshallable, but no views), can be made
/// without arguments, copied and compared by ==, and hashed. Two that are equal must have the same
/// hash on all ranks: std::hash<T> where there is one, else the hash of the bytes by which they
/// travel. So a type with define_type or serialize needs no more than ==, if that compares what it
/// describes. Bytes of padding, floating-point numbers and unordered containers do not tell whether
/// two are equal: types that have some need std::hash<T>.
template <class T>
concept ArrayIndex = detail::index_travels<T>() && std::default_initializable<T> &&
    std::copyable<T> && std::equality_comparable<T> && detail::has_index_hash<T>;

/// 0 .. n-1, for dense arrays: in one dimension, or in as many as there are lengths (std::tuple,
/// the last one running fastest).
template <std::integral N>
[[nodiscard]] std::vector<N> all_indices(N n) {
  std::vector<N> all;
  for (N i = 0; i < n; ++i) all.push_back(i);
  return all;
}
template <std::integral... N>
requires(sizeof...(N) > 1) [[nodiscard]] std::vector<std::tuple<N...>> all_indices(N... n) {
  std::vector<std::tuple<N...>> all;
  const std::tuple<N...> lengths(n...);
  if (((n <= 0) || ...)) return all;
  for (std::tuple<N...> at{};;) {
    all.push_back(at);
    // Counts up as a mileage counter does; true when it has come round.
    const auto turn = [&]<std::size_t... i>(std::index_sequence<i...>) {
      constexpr std::size_t last = sizeof...(i) - 1;
      return ((++std::get<last - i>(at) < std::get<last - i>(lengths)
                   ? false
                   : (std::get<last - i>(at) = 0, true)) &&
              ...);
    };
    if (turn(std::index_sequence_for<N...>())) return all;
  }
}

}  // namespace armature
