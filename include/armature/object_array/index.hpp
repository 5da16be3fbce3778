#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "armature/container/hash_table.hpp"
#include "armature/marshal.hpp"

namespace armature {

namespace detail {

template <class T>
inline constexpr bool is_index =
    std::integral<T> || std::is_enum_v<T> || std::is_same_v<T, std::string>;
template <class... T>
inline constexpr bool is_index<std::tuple<T...>> = (is_index<T> && ...);
template <class A, class B>
inline constexpr bool is_index<std::pair<A, B>> = is_index<A>&& is_index<B>;
template <class T, std::size_t n>
inline constexpr bool is_index<std::array<T, n>> = is_index<T>;

/// The hash of an index, the same on every rank: it decides where an element is looked for.
struct IndexHash {
  template <class T>
  std::size_t operator()(const T& index) const {
    if constexpr (TupleLike<T>) {
      std::uint64_t sum = 0;
      std::apply([&](const auto&... part) { ((sum = spread(sum + (*this)(part))), ...); }, index);
      return sum;
    } else if constexpr (std::is_same_v<T, std::string>) {
      std::uint64_t sum = 0xcbf2'9ce4'8422'2325ULL;  // FNV-1a
      for (const char letter : index)
        sum = (sum ^ static_cast<unsigned char>(letter)) * 0x100'0000'01b3ULL;
      return spread(sum);
    } else {
      return spread(static_cast<std::uint64_t>(index) + 0x9e37'79b9'7f4a'7c15ULL);
    }
  }
};

/// For messages.
template <class T>
std::string text_of_index(const T& index) {
  if constexpr (TupleLike<T>) {
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
    return std::to_string(static_cast<std::underlying_type_t<T>>(index));
  } else {
    return std::to_string(index);
  }
}

}  // namespace detail

/// The index types of an object_array: integers, enumerations, strings, and tuples, pairs and
/// arrays of these.
template <class T>
concept ArrayIndex = detail::is_index<T> && Marshallable<T>;

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
