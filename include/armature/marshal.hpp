#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "armature/detail/kinds.hpp"
#include "armature/detail/wire.hpp"
#include "armature/typer.hpp"

// The types that may travel as arguments or results, and how they travel. One description per type
// does all three jobs, as in the ARMI paper (3.5): how many bytes, write them, read them.

namespace armature {

namespace detail {

template <class T>
constexpr bool marshallable();

template <class Tuple, std::size_t... i>
constexpr bool all_elements(std::index_sequence<i...>) {
  return (marshallable<std::remove_cv_t<std::tuple_element_t<i, Tuple>>>() && ...);
}
template <class... T>
constexpr bool all_alternatives(std::variant<T...>*) {
  return (marshallable<T>() && ...);
}

template <class T>
constexpr bool marshallable() {
  if constexpr (std::is_void_v<T> || is_bytes<T> || is_view<T> || is_described<T>)
    return true;
  else if constexpr (is_optional<T>)
    return marshallable<typename T::value_type>();
  else if constexpr (is_unique_ptr<T>)
    return marshallable<typename T::element_type>() &&
           !std::is_polymorphic_v<typename T::element_type>;
  else if constexpr (is_variant<T>)
    return all_alternatives(static_cast<T*>(nullptr));
  else if constexpr (TupleLike<T>)
    return all_elements<T>(std::make_index_sequence<std::tuple_size_v<T>>());
  else if constexpr (Associative<T>) {
    if constexpr (requires { typename T::mapped_type; })
      return marshallable<typename T::key_type>() && marshallable<typename T::mapped_type>();
    else
      return marshallable<typename T::key_type>();
  } else if constexpr (Sequence<T>)
    return marshallable<typename T::value_type>();
  else
    return false;
}

}  // namespace detail

/// The types of arguments and results of remote calls. These are trivially copyable types;
/// std::string, vector, deque, list, array, pair, tuple, optional, variant, map, set, their
/// unordered and multi forms, unique_ptr; nestings of these. Also types with `void
/// define_type(armature::typer&)` (armi-rmi-2003, 3.5), or with a `serialize(Archive&)` as written
/// for cereal or Boost. Pointers and references are not allowed, since they mean nothing on another
/// rank. Pass a global_ptr, or a reference to a shared object. A pointer inside a trivially
/// copyable type is not seen, and travels as the number that it is.
template <class T>
concept Marshallable = detail::marshallable<std::remove_cvref_t<T>>();

namespace detail {

/// Always so many bytes; SIZE_MAX: it depends on the value.
template <class T>
constexpr std::size_t fixed_bytes() {
  if constexpr (is_bytes<T>)
    return std::is_empty_v<T> ? 0 : sizeof(T);
  else if constexpr (!is_described<T> && TupleLike<T>)
    return []<std::size_t... i>(std::index_sequence<i...>) {
      std::size_t sum = 0;
      bool known = true;
      ((known = known && fixed_bytes<std::remove_cv_t<std::tuple_element_t<i, T>>>() != SIZE_MAX,
        sum += fixed_bytes<std::remove_cv_t<std::tuple_element_t<i, T>>>()),
       ...);
      return known ? sum : SIZE_MAX;
    }
  (std::make_index_sequence<std::tuple_size_v<T>>());
  else return SIZE_MAX;
}

// -- size
// ------------------------------------------------------------------------------------------- Adds
// to `at` the bytes that pack() will write when it starts at an offset of `at`.

template <class T>
void measure(std::size_t& at, const T& value) {
  if constexpr (fixed_bytes<T>() != SIZE_MAX) {
    at += fixed_bytes<T>();
  } else if constexpr (is_view<T>) {
    at = round_up(at + sizeof(std::uint64_t), view_alignment) + value.size() * sizeof(value[0]);
  } else if constexpr (is_described<T>) {
    Archive archive = Archive::measuring(at);
    describe(archive, const_cast<T&>(value));
    at = archive.offset();
  } else if constexpr (is_optional<T> || is_unique_ptr<T>) {
    ++at;
    if (value) measure(at, *value);
  } else if constexpr (is_variant<T>) {
    at += 4;
    if (!value.valueless_by_exception())
      std::visit([&at](const auto& alternative) { measure(at, alternative); }, value);
  } else if constexpr (TupleLike<T>) {
    std::apply([&at](const auto&... element) { (measure(at, element), ...); }, value);
  } else {
    at += sizeof(std::uint64_t);
    using Value = std::remove_cv_t<typename T::value_type>;
    if constexpr (fixed_bytes<Value>() != SIZE_MAX)
      at += value.size() * fixed_bytes<Value>();
    else
      for (const auto& element : value) measure(at, element);
  }
}

/// Elements that are bytes, one behind the other. (Those of no bytes are not sent at all, and a
/// vector<bool> has none.)
template <class T>
inline constexpr bool lies_in_a_row = requires(T& c) {
  { *c.data() } -> std::same_as<typename T::value_type&>;
}
&&is_bytes<typename T::value_type> && !std::is_empty_v<typename T::value_type>;

// -- writing
// ----------------------------------------------------------------------------------------

template <class T>
void pack(Writer& to, const T& value) {
  if constexpr (is_bytes<T>) {
    if constexpr (!std::is_empty_v<T>) to.bytes(&value, sizeof(T));
  } else if constexpr (is_view<T>) {
    to.count(value.size());
    to.align();
    to.bytes(value.data(), value.size() * sizeof(value[0]));
  } else if constexpr (is_described<T>) {
    Archive archive = Archive::packing(to);
    describe(archive, const_cast<T&>(value));
  } else if constexpr (is_optional<T> || is_unique_ptr<T>) {
    to.byte(value ? 1 : 0);
    if (value) pack(to, *value);
  } else if constexpr (is_variant<T>) {
    to.index(value.index());
    if (!value.valueless_by_exception())
      std::visit([&to](const auto& alternative) { pack(to, alternative); }, value);
  } else if constexpr (TupleLike<T>) {
    std::apply([&to](const auto&... element) { (pack(to, element), ...); }, value);
  } else {
    to.count(value.size());
    using Value = std::remove_cv_t<typename T::value_type>;
    if constexpr (lies_in_a_row<T>)
      to.bytes(value.data(), value.size() * sizeof(Value));
    else
      for (const auto& element : value) pack<Value>(to, element);
  }
}

// -- reading
// ----------------------------------------------------------------------------------------

template <class T>
T unpack(Reader& from);

template <class Variant, std::size_t i = 0>
Variant unpack_alternative(Reader& from, std::size_t index) {
  if constexpr (i == std::variant_size_v<Variant>) {
    from.corrupt();
  } else {
    if (index != i) return unpack_alternative<Variant, i + 1>(from, index);
    return Variant(std::in_place_index<i>, unpack<std::variant_alternative_t<i, Variant>>(from));
  }
}

/// A key of a map is const in its value_type.
template <class T>
struct Mutable {
  using type = std::remove_cv_t<T>;
};
template <class K, class V>
struct Mutable<std::pair<const K, V>> {
  using type = std::pair<K, V>;
};

template <class T>
T unpack_container(Reader& from) {
  using Value = typename Mutable<typename T::value_type>::type;
  T value;
  if constexpr (lies_in_a_row<T> && std::is_default_constructible_v<Value>) {
    const std::size_t count = from.count(sizeof(Value));
    value.resize(count);
    from.bytes(value.data(), count * sizeof(Value));
  } else {
    // An element of no bytes cannot be counted by what is left of the message.
    constexpr std::size_t least = fixed_bytes<Value>() == SIZE_MAX ? 1 : fixed_bytes<Value>();
    const std::size_t count = from.count(least);
    if constexpr (requires { value.reserve(count); }) value.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      if constexpr (Associative<T>)
        value.insert(unpack<Value>(from));
      else
        value.push_back(unpack<Value>(from));
    }
  }
  return value;
}

/// Fills an object where it stays: it may point into itself.
template <class T>
void unpack_into(Reader& from, T& value) {
  Archive archive = Archive::unpacking(from);
  describe(archive, value);
}

template <class T>
T unpack_described(Reader& from) {
  static_assert(
      std::is_default_constructible_v<T>,
      "a type that describes itself is made empty, then filled: it needs a default constructor");
  T value;
  unpack_into(from, value);
  return value;
}

template <class T>
T unpack(Reader& from) {
  if constexpr (std::is_same_v<T, bool>) {
    return from.byte() != 0;  // whatever is there, a bool is one of two
  } else if constexpr (is_bytes<T>) {
    // Filled as bytes: the type need not have a default constructor.
    union Room {
      Room() {}
      ~Room() {}
      T value;
    } room;
    if constexpr (!std::is_empty_v<T>) from.bytes(static_cast<void*>(&room.value), sizeof(T));
    return room.value;
  } else if constexpr (is_view<T>) {
    using Item = std::remove_reference_t<decltype(std::declval<T&>()[0])>;
    static_assert(alignof(Item) <= view_alignment,
                  "views of elements that are aligned to more than 16 bytes cannot be received");
    const std::size_t count = from.count_aligned(sizeof(Item));
    return T(reinterpret_cast<Item*>(from.skip(count * sizeof(Item))), count);
  } else if constexpr (is_described<T>) {
    return unpack_described<T>(from);
  } else if constexpr (is_optional<T>) {
    if (from.byte() == 0) return std::nullopt;
    return unpack<typename T::value_type>(from);
  } else if constexpr (is_unique_ptr<T>) {
    if (from.byte() == 0) return nullptr;
    return std::make_unique<typename T::element_type>(unpack<typename T::element_type>(from));
  } else if constexpr (is_variant<T>) {
    return unpack_alternative<T>(from, from.index());
  } else if constexpr (TupleLike<T>) {
    // Braces evaluate from left to right.
    return [&from]<std::size_t... i>(std::index_sequence<i...>) {
      return T{unpack<std::remove_cv_t<std::tuple_element_t<i, T>>>(from)...};
    }
    (std::make_index_sequence<std::tuple_size_v<T>>());
  } else {
    return unpack_container<T>(from);
  }
}

// -- types that describe themselves
// -------------------------------------------------------------------

template <class T>
void Archive::value(T& v) {
  using Value = std::remove_const_t<T>;
  if constexpr (std::is_array_v<T>) {
    for (auto& element : v) value(element);
  } else if constexpr (!Marshallable<T>) {
    static_assert(Marshallable<T>, "this member cannot travel: see armature::Marshallable");
  } else if constexpr (is_described<Value>) {
    // Described in place and as a part of this pass: what its pointers share with others is seen.
    describe(*this, const_cast<Value&>(v));
  } else if (mode_ == Mode::measure) {
    measure(at_, v);
  } else if (mode_ == Mode::pack) {
    pack(*writer_, v);
  } else if constexpr (!std::is_const_v<T>) {
    v = unpack<T>(*reader_);
  }
}

template <class T>
void describe(Archive& archive, T& value) {
  if constexpr (HasDefineType<T>) {
    typer t(archive);
    value.define_type(t);
  } else if constexpr (HasSerialize<T>) {
    value.serialize(archive);
  } else {
    value.serialize(archive, 0u);
  }
}

}  // namespace detail

template <class T>
void typer::local(T& value) {
  note(&value, sizeof(T));
  archive_.value(value);
}

template <class T>
void typer::local(T* values, std::size_t count) {
  note(values, count * sizeof(T));
  for (std::size_t i = 0; i < count; ++i) archive_.value(values[i]);
}

template <class T>
void typer::dynamic(T*& pointer) {
  dynamic_n(pointer, 1, [](std::size_t) { return new T(); });
}

template <class T, std::integral N>
void typer::dynamic(T*& pointer, const N& count) {
  dynamic_n(pointer, static_cast<std::size_t>(count), [](std::size_t n) { return new T[n]; });
}

template <class T, class Make>
void typer::dynamic_n(T*& pointer, std::size_t count, Make&& make) {
  const Alias alias = begin_pointer(pointer);
  if (alias.known) {
    pointer = static_cast<T*>(alias.address);
    return;
  }
  archive_.value(count);
  if (archive_.is_unpacking()) {
    archive_.reader().expect(count, detail::fixed_bytes<T>());
    pointer = make(count);
  }
  note(pointer, count * sizeof(T));
  if constexpr (detail::is_bytes<T>)
    archive_.raw(pointer, count * sizeof(T));
  else
    for (std::size_t i = 0; i < count; ++i) archive_.value(pointer[i]);
}

template <class T>
void typer::offset(T*& pointer) {
  pointer = static_cast<T*>(alias_of(pointer));
}

}  // namespace armature
