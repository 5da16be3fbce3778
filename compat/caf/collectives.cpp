#include "collectives.hpp"

#include <cstdint>
#include <functional>

#include "departure.hpp"
#include "libcaf.hpp"
#include "numbers.hpp"
#include "section.hpp"

namespace caf {
namespace {

std::size_t elements_of(const Descriptor& array) {
  std::size_t count = 1;
  for (int i = 0; i < array.rank(); ++i)
    count *= static_cast<std::size_t>(array.dimensions[i].extent());
  return count;
}

/// Whether the elements lie side by side. A section would tell as well, and takes longer to make
/// than a scalar to combine.
bool is_dense(const Descriptor& array) {
  const std::ptrdiff_t span = array.rank() == 0 ? 0 : span_of(array);
  auto next = static_cast<std::ptrdiff_t>(array.data_type.element_bytes);
  for (int i = 0; i < array.rank(); ++i) {
    const Dimension& dimension = array.dimensions[i];
    if (dimension.extent() != 1 && dimension.stride * span != next) return false;
    next *= dimension.extent();
  }
  return true;
}

[[noreturn]] void refuse_type(const Descriptor& array) {
  refuse(std::string("its argument is of ") + name_of(array.data_type.type) + " of " +
         std::to_string(array.data_type.element_bytes) + " bytes, for which it is not defined");
}

/// Calls action(T()), for integers and reals; false for other types.
template <class Action>
bool with_real(const Descriptor& array, Action action) {
  const std::size_t bytes = array.data_type.element_bytes;
  if (array.data_type.type == Type::integer) switch (bytes) {
      case 1:
        return action(std::int8_t()), true;
      case 2:
        return action(std::int16_t()), true;
      case 4:
        return action(std::int32_t()), true;
      case 8:
        return action(std::int64_t()), true;
      case 16:
        return action(Integer16()), true;
      default:
        return false;
    }
  if (array.data_type.type == Type::real) switch (bytes) {
      case 4:
        return action(float()), true;
      case 8:
        return action(double()), true;
      case 16:
        return action(Real16()), true;
      default:
        return false;
    }
  return false;
}

template <class Action>
bool with_number(const Descriptor& array, Action action) {
  if (array.data_type.type != Type::complex) return with_real(array, action);
  switch (array.data_type.element_bytes) {
    case 8:
      return action(Complex<float>()), true;
    case 16:
      return action(Complex<double>()), true;
    case 32:
      return action(Complex<Real16>()), true;
    default:
      return false;
  }
}

/// Compares as Fortran does, character by character, of one length and kind.
template <class Character>
bool is_less(const std::byte* a, const std::byte* b, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += sizeof(Character)) {
    Character x, y;
    std::memcpy(&x, a + at, sizeof x);
    std::memcpy(&y, b + at, sizeof y);
    if (x != y) return x < y;
  }
  return false;
}

/// `length` is the compiler's number of characters, which tells their kind.
template <class Choose>
void choose(const Descriptor& array, int result_image, int length, bool is_least, Choose chosen) {
  const Argument argument(array);
  if (array.data_type.type == Type::character) {
    const std::size_t bytes = argument.element_bytes();
    const bool is_wide = length > 0 && bytes == 4 * static_cast<std::size_t>(length);
    return combine_bytes(
        argument, result_image, [=](std::byte* result, const std::byte* a, const std::byte* b) {
          const bool is_first =
              is_wide ? is_less<std::uint32_t>(a, b, bytes) : is_less<unsigned char>(a, b, bytes);
          std::memcpy(result, is_first == is_least ? a : b, bytes);
        });
  }
  require_no_kind_10(argument);
  const bool is_done = with_real(array, [&]<class T>(T) {
    combine<T>(argument, result_image, [=](T a, T b) { return chosen(a, b); });
  });
  if (!is_done) refuse_type(array);
}

}  // namespace

void co_broadcast(const Descriptor& array, int source_image) {
  Image& me = image();
  const int root = member_of(me, source_image);
  const Argument argument(array);
  collective(me, [&](const armature::Team& team) {
    armature::broadcast(
        team,
        std::span<std::byte>(argument.elements(), argument.count() * argument.element_bytes()),
        root);
  });
  argument.write_back();
}

void co_sum(const Descriptor& array, int result_image) {
  const Argument argument(array);
  require_no_kind_10(argument);
  const bool is_done =
      with_number(array, [&]<class T>(T) { combine<T>(argument, result_image, std::plus<>()); });
  if (!is_done) refuse_type(array);
}

void co_min(const Descriptor& array, int result_image, int length) {
  choose(array, result_image, length, true, [](auto x, auto y) { return y < x ? y : x; });
}

void co_max(const Descriptor& array, int result_image, int length) {
  choose(array, result_image, length, false, [](auto x, auto y) { return x < y ? y : x; });
}

Argument::Argument(const Descriptor& array)
    : array_(array), count_(elements_of(array)), elements_(static_cast<std::byte*>(array.base)) {
  if (!is_dense(array) && count_ > 0) copy_elements();
}

void Argument::copy_elements() {
  const Section section = section_of(array_, elements_);
  copy_ = std::make_unique_for_overwrite<std::byte[]>(count_ * element_bytes());
  elements_ = copy_.get();
  Section all(elements_);
  all.add(count_, static_cast<std::ptrdiff_t>(element_bytes()));
  const ElementType type = element_of(array_, 0);
  assign(all, type, section, type);
}

void Argument::write_back() const {
  if (copy_ == nullptr) return;
  Section all(elements_);
  all.add(count_, static_cast<std::ptrdiff_t>(element_bytes()));
  const ElementType type = element_of(array_, 0);
  assign(section_of(array_, static_cast<std::byte*>(array_.base)), type, all, type);
}

void require_no_kind_10(const Argument& argument) {
  const Type type = argument.array().data_type.type;
  const std::size_t bytes = argument.element_bytes();
  if (!(type == Type::real && bytes == 16) && !(type == Type::complex && bytes == 32)) return;
  const std::size_t numbers = argument.count() * (bytes / 16);
  for (std::size_t i = 0; i < numbers; ++i) {
    std::uint64_t word[2];
    std::memcpy(word, argument.elements() + 16 * i, sizeof word);
    const bool is_tiny = (word[1] >> 48 & 0x7fff) == 0 && (word[1] << 16 != 0 || word[0] != 0);
    if (is_tiny)
      refuse(
          "reals of 16 bytes are combined as of kind 16, and these look like kind 10: "
          "gfortran 12 does not tell which they are");
  }
}

Outcome outcome_of_collective(int* stat, char* message, std::size_t message_bytes) {
  constexpr std::uintptr_t page_bytes = 4096;
  const bool is_address = reinterpret_cast<std::uintptr_t>(message) >= page_bytes;
  return {stat, is_address ? message : nullptr, message_bytes};
}

int member_of(const Image& me, int image_number) {
  return me.current->team.member(rank_of_image(me, image_number));
}

}  // namespace caf

extern "C" {

void _gfortran_caf_co_broadcast(const caf::Descriptor* a, int source_image, int* stat,
                                char* message, std::size_t message_bytes) {
  caf::perform("co_broadcast", caf::outcome_of_collective(stat, message, message_bytes),
               [=] { caf::co_broadcast(*a, source_image); });
}

void _gfortran_caf_co_sum(const caf::Descriptor* a, int result_image, int* stat, char* message,
                          std::size_t message_bytes) {
  caf::perform("co_sum", caf::outcome_of_collective(stat, message, message_bytes),
               [=] { caf::co_sum(*a, result_image); });
}

void _gfortran_caf_co_min(const caf::Descriptor* a, int result_image, int* stat, char* message,
                          int length, std::size_t message_bytes) {
  caf::perform("co_min", caf::outcome_of_collective(stat, message, message_bytes),
               [=] { caf::co_min(*a, result_image, length); });
}

void _gfortran_caf_co_max(const caf::Descriptor* a, int result_image, int* stat, char* message,
                          int length, std::size_t message_bytes) {
  caf::perform("co_max", caf::outcome_of_collective(stat, message, message_bytes),
               [=] { caf::co_max(*a, result_image, length); });
}

}  // extern "C"
