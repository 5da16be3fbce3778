// Reads messages that are too short, or claim to be longer than they are.
#include <array>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "armature/error.hpp"
#include "armature/marshal.hpp"

namespace armature::detail {
namespace {

struct Empty {};
struct Described {
  std::vector<std::string> names;
  int* numbers = nullptr;
  std::size_t count = 0;
  void define_type(typer& t) {
    t.local(names);
    t.local(count);
    t.dynamic(numbers, count);
  }
};

template <class T>
std::vector<std::byte> packed(const T& value) {
  std::size_t bytes = 0;
  measure(bytes, value);
  alignas(16) static std::array<std::byte, 4096> room;
  Writer writer(room.data());
  pack(writer, value);
  EXPECT_EQ(writer.written(), bytes) << "measured otherwise than written";
  return {room.data(), room.data() + bytes};
}

template <class T>
T unpacked(const std::vector<std::byte>& message) {
  alignas(16) std::array<std::byte, 4096> room;
  std::copy(message.begin(), message.end(), room.begin());
  Reader reader(room.data(), room.data(), room.data() + message.size());
  T value = unpack<T>(reader);
  EXPECT_EQ(reader.left(), 0U);
  return value;
}

/// T is read or Error is thrown, for every beginning of its message and with every byte spoilt.
template <class T>
void expect_robust(const T& value) {
  const auto message = packed(value);
  (void)unpacked<T>(message);
  for (std::size_t n = 0; n < message.size(); ++n) {
    alignas(16) std::array<std::byte, 4096> room{};
    std::copy_n(message.begin(), n, room.begin());
    Reader reader(room.data(), room.data(), room.data() + n);
    EXPECT_THROW((void)unpack<T>(reader), Error) << n << " of " << message.size() << " bytes";
  }
  for (std::size_t i = 0; i < message.size(); ++i) {
    alignas(16) std::array<std::byte, 4096> room{};
    std::copy(message.begin(), message.end(), room.begin());
    room[i] ^= std::byte{0xff};
    Reader reader(room.data(), room.data(), room.data() + message.size());
    try {
      (void)unpack<T>(reader);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::corrupt);
    }
  }
}

TEST(Wire, short_and_spoilt_messages_are_noticed) {
  expect_robust(42);
  expect_robust(std::string("text"));
  expect_robust(std::vector<int>{1, 2, 3});
  expect_robust(std::vector<std::string>{"a", "", "ccc"});
  expect_robust(std::deque<double>{1, 2});
  expect_robust(std::map<std::string, std::vector<int>>{{"a", {1, 2}}, {"b", {}}});
  expect_robust(std::variant<int, std::string>("text"));
  expect_robust(std::optional<std::string>("text"));
  expect_robust(std::vector<bool>{true, false});
}

TEST(Wire, views_are_aligned_and_stay_inside) {
  std::size_t at = 3;
  const std::vector<double> values{1, 2, 3};
  measure(at, std::span<const double>(values));
  EXPECT_EQ(at, 16U + 24U);
  alignas(16) std::array<std::byte, 64> room{};
  Writer writer(room.data(), room.data() + 3);
  pack(writer, std::span<const double>(values));
  for (std::size_t n = 3; n <= at; ++n) {
    Reader reader(room.data(), room.data() + 3, room.data() + n);
    if (n < at) {
      EXPECT_THROW((void)unpack<std::span<const double>>(reader), Error);
    } else {
      EXPECT_EQ(unpack<std::span<const double>>(reader).data(),
                reinterpret_cast<const double*>(room.data() + 16));
    }
  }
}

TEST(Wire, what_is_measured_is_what_is_written) {
  (void)packed(std::vector<Empty>(7));
  (void)packed(std::list<Empty>(7));
  (void)packed(std::map<char, double>{{'a', 1}, {'b', 2}});
  (void)packed(std::pair<char, double>{'a', 1});
  (void)packed(std::tuple<>());
  (void)packed(std::array<Empty, 3>());
  int numbers[] = {1, 2, 3};
  Described described{.names = {"a", "b"}, .numbers = numbers, .count = 3};
  (void)packed(described);
}

TEST(Wire, a_count_that_nothing_backs_allocates_nothing) {
  std::vector<std::byte> message(8, std::byte{0x7f});
  EXPECT_THROW((void)unpacked<std::vector<double>>(message), Error);
  EXPECT_THROW((void)unpacked<std::vector<std::string>>(message), Error);
  EXPECT_THROW((void)unpacked<std::list<Empty>>(message), Error);
  EXPECT_THROW((void)unpacked<std::string>(message), Error);
}

}  // namespace
}  // namespace armature::detail
