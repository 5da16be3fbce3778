#include "elements.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "calls.hpp"
#include "numbers.hpp"

namespace caf {
namespace {

template <class T>
[[gnu::always_inline]] inline T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class To, class From>
[[gnu::always_inline]] inline void assign_one(std::byte* to, const std::byte* from) {
  const To value = static_cast<To>(load<From>(from));
  std::memcpy(to, &value, sizeof value);
}

/// Numbers on both sides: single ones, or pairs of them of which the first alone may be wanted.
enum class Shape { real_from_real, real_from_complex, complex_from_real, complex_from_complex };

template <class To, class From, Shape shape>
void assign_numbers(Elements to, const ElementType& /*to_type*/, ConstElements from,
                    const ElementType& /*from_type*/, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i, to.begin += to.stride, from.begin += from.stride) {
    if constexpr (shape == Shape::complex_from_complex) {
      const To imaginary = static_cast<To>(load<From>(from.begin + sizeof(From)));
      assign_one<To, From>(to.begin, from.begin);
      std::memcpy(to.begin + sizeof(To), &imaginary, sizeof imaginary);
    } else {
      assign_one<To, From>(to.begin, from.begin);
      if constexpr (shape == Shape::complex_from_real)
        std::memset(to.begin + sizeof(To), 0, sizeof(To));
    }
  }
}

template <class To, class From>
Assign of_shape(bool is_to_complex, bool is_from_complex) {
  if (is_to_complex)
    return is_from_complex ? assign_numbers<To, From, Shape::complex_from_complex>
                           : assign_numbers<To, From, Shape::complex_from_real>;
  return assign_numbers<To, From, Shape::real_from_real>;
}

template <class T>
struct Named {
  using type = T;
};

/// Calls action(Named<the number's type>()); nullptr where there is no such kind.
template <class Action>
Assign with_number(const ElementType& element, Action action) {
  if (element.type == Type::integer || element.type == Type::logical) switch (element.kind) {
      case 1:
        return action(Named<std::int8_t>());
      case 2:
        return action(Named<std::int16_t>());
      case 4:
        return action(Named<std::int32_t>());
      case 8:
        return action(Named<std::int64_t>());
      case 16:
        return action(Named<Integer16>());
      default:
        return nullptr;
    }
  if (element.type == Type::real || element.type == Type::complex) switch (element.kind) {
      case 4:
        return action(Named<float>());
      case 8:
        return action(Named<double>());
      case 10:
        return action(Named<long double>());
      case 16:
        return action(Named<Real16>());
      default:
        return nullptr;
    }
  return nullptr;
}

Assign number_assignment(const ElementType& to, const ElementType& from) {
  return with_number(to, [&](auto to_number) {
    return with_number(from, [&](auto from_number) {
      return of_shape<typename decltype(to_number)::type, typename decltype(from_number)::type>(
          to.type == Type::complex, from.type == Type::complex);
    });
  });
}

template <class To, class From>
void assign_characters(Elements to, const ElementType& to_type, ConstElements from,
                       const ElementType& from_type, std::size_t count) {
  const std::size_t length = to_type.bytes / sizeof(To);
  const std::size_t kept = std::min(length, from_type.bytes / sizeof(From));
  for (std::size_t i = 0; i < count; ++i, to.begin += to.stride, from.begin += from.stride) {
    for (std::size_t at = 0; at < length; ++at) {
      To character = static_cast<To>(' ');
      if (at < kept) {
        const From found = load<From>(from.begin + at * sizeof(From));
        // A character that the kind has not is shown as one.
        character = sizeof(To) < sizeof(From) && found > 255 ? static_cast<To>('?')
                                                             : static_cast<To>(found);
      }
      std::memcpy(to.begin + at * sizeof(To), &character, sizeof character);
    }
  }
}

Assign character_assignment(const ElementType& to, const ElementType& from) {
  if (to.kind == 4)
    return from.kind == 4 ? assign_characters<std::uint32_t, std::uint32_t>
                          : assign_characters<std::uint32_t, std::uint8_t>;
  return from.kind == 4 ? assign_characters<std::uint8_t, std::uint32_t>
                        : assign_characters<std::uint8_t, std::uint8_t>;
}

void assign_bytes(Elements to, const ElementType& to_type, ConstElements from,
                  const ElementType& /*from_type*/, std::size_t count) {
  const auto bytes = static_cast<std::ptrdiff_t>(to_type.bytes);
  if (to.stride == bytes && from.stride == bytes) {
    std::memmove(to.begin, from.begin, to_type.bytes * count);
    return;
  }
  for (std::size_t i = 0; i < count; ++i, to.begin += to.stride, from.begin += from.stride)
    std::memmove(to.begin, from.begin, to_type.bytes);
}

/// Assigns `count` words with strides, of which the compiler knows those that are dense.
template <class Word, bool is_dense_to, bool is_dense_from>
void assign_strided(Elements to, ConstElements from, std::size_t count) {
  const std::ptrdiff_t to_stride =
      is_dense_to ? static_cast<std::ptrdiff_t>(sizeof(Word)) : to.stride;
  const std::ptrdiff_t from_stride =
      is_dense_from ? static_cast<std::ptrdiff_t>(sizeof(Word)) : from.stride;
  std::byte* const into = to.begin;
  const std::byte* const source = from.begin;
  const auto words = static_cast<std::ptrdiff_t>(count);
  constexpr std::ptrdiff_t unrolled = 8;
  std::ptrdiff_t i = 0;
  for (; i + unrolled <= words; i += unrolled) {
    Word read[unrolled];
    for (std::ptrdiff_t j = 0; j < unrolled; ++j)
      read[j] = load<Word>(source + (i + j) * from_stride);
    for (std::ptrdiff_t j = 0; j < unrolled; ++j)
      std::memcpy(into + (i + j) * to_stride, &read[j], sizeof(Word));
  }
  for (; i < words; ++i) assign_one<Word, Word>(into + i * to_stride, source + i * from_stride);
}

/// Assigns elements of the commonest sizes by loads and stores.
template <class Word>
void assign_words(Elements to, const ElementType& to_type, ConstElements from,
                  const ElementType& from_type, std::size_t count) {
  const bool is_dense_to = to.stride == sizeof(Word);
  const bool is_dense_from = from.stride == sizeof(Word);
  if (is_dense_to && is_dense_from) return assign_bytes(to, to_type, from, from_type, count);
  if (is_dense_to) return assign_strided<Word, true, false>(to, from, count);
  if (is_dense_from) return assign_strided<Word, false, true>(to, from, count);
  assign_strided<Word, false, false>(to, from, count);
}

}  // namespace

Assign assignment(const ElementType& to, const ElementType& from) {
  if (to == from) {
    if (to.bytes == 4) return assign_words<std::uint32_t>;
    if (to.bytes == 8) return assign_words<std::uint64_t>;
    return assign_bytes;
  }
  if (to.type == Type::character && from.type == Type::character)
    return character_assignment(to, from);
  if (const Assign assign = number_assignment(to, from); assign != nullptr) return assign;
  refuse(std::string(name_of(from.type)) + " of kind " + std::to_string(from.kind) + " and " +
         std::to_string(from.bytes) + " bytes is not assigned to " + name_of(to.type) +
         " of kind " + std::to_string(to.kind) + " and " + std::to_string(to.bytes) + " bytes");
}

const char* name_of(Type type) {
  switch (type) {
    case Type::integer:
      return "integer";
    case Type::logical:
      return "logical";
    case Type::real:
      return "real";
    case Type::complex:
      return "complex";
    case Type::derived:
      return "a derived type";
    case Type::character:
      return "character";
    case Type::unknown:
      break;
  }
  return "a type";
}

}  // namespace caf
