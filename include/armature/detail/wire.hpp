#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "armature/detail/export.hpp"

// The bytes of a message, written once and read once. The writer's room was measured before, the
// reader trusts nothing: every length is compared with what is left.

namespace armature {
class typer;
}

namespace armature::detail {

/// The alignment of a view's elements, from the start of a message's arguments.
inline constexpr std::size_t view_alignment = 16;

constexpr std::size_t round_up(std::size_t n, std::size_t step) {
  return (n + step - 1) / step * step;
}

class Writer {
 public:
  explicit Writer(std::byte* start) : Writer(start, start) {}
  /// Alignment counts from `start`, which is aligned to 16.
  Writer(std::byte* start, std::byte* at) : start_(start), at_(at) {}

  void bytes(const void* from, std::size_t n) {
    if (n > 0) std::memcpy(at_, from, n);
    at_ += n;
  }
  void byte(std::uint8_t value) { bytes(&value, 1); }
  void count(std::uint64_t value) { bytes(&value, sizeof value); }
  void index(std::size_t value) {
    const auto i = static_cast<std::uint32_t>(value);
    bytes(&i, sizeof i);
  }
  void align() { at_ = start_ + round_up(written(), view_alignment); }
  [[nodiscard]] std::size_t written() const { return static_cast<std::size_t>(at_ - start_); }

 private:
  std::byte* start_;
  std::byte* at_;
};

class Reader {
 public:
  Reader(const std::byte* start, const std::byte* at, const std::byte* end)
      : start_(start), at_(at), end_(end) {}

  void bytes(void* to, std::size_t n) {
    if (n > left()) corrupt();
    if (n > 0) std::memcpy(to, at_, n);
    at_ += n;
  }
  std::uint8_t byte() {
    std::uint8_t value = 0;
    bytes(&value, 1);
    return value;
  }
  std::size_t index() {
    std::uint32_t value = 0;
    bytes(&value, sizeof value);
    return value;
  }
  /// A number of elements of at least that many bytes each, which must still be there.
  std::size_t count(std::size_t element_bytes) {
    std::uint64_t n = 0;
    bytes(&n, sizeof n);
    expect(n, element_bytes);
    return n;
  }
  std::size_t count_aligned(std::size_t element_bytes) {
    std::uint64_t n = 0;
    bytes(&n, sizeof n);
    const std::size_t offset = round_up(static_cast<std::size_t>(at_ - start_), view_alignment);
    if (offset > static_cast<std::size_t>(end_ - start_)) corrupt();
    at_ = start_ + offset;
    expect(n, element_bytes);
    return n;
  }
  void expect(std::size_t count, std::size_t element_bytes) const {
    if (element_bytes != 0 && element_bytes != SIZE_MAX ? count > left() / element_bytes
                                                        : count > (std::size_t{1} << 32))
      corrupt();
  }
  const std::byte* skip(std::size_t n) {
    if (n > left()) corrupt();
    const std::byte* here = at_;
    at_ += n;
    return here;
  }
  [[nodiscard]] std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  /// Throws Error(corrupt).
  [[noreturn]] ARMATURE_API static void corrupt();

 private:
  const std::byte* start_;
  const std::byte* at_;
  const std::byte* end_;
};

/// One pass over an object that describes itself: measuring, writing or reading. Spelled as
/// cereal's and Boost's archives are.
class Archive {
 public:
  static Archive measuring(std::size_t at) { return Archive(Mode::measure, at, nullptr, nullptr); }
  static Archive packing(Writer& to) { return Archive(Mode::pack, 0, &to, nullptr); }
  static Archive unpacking(Reader& from) { return Archive(Mode::unpack, 0, nullptr, &from); }

  template <class... T>
  Archive& operator()(T&&... members) {
    (value(members), ...);
    return *this;
  }
  template <class T>
  Archive& operator&(T&& member) {
    value(member);
    return *this;
  }

  template <class T>
  void value(T& v);
  void raw(void* bytes, std::size_t n) {
    if (mode_ == Mode::measure) at_ += n;
    if (mode_ == Mode::pack) writer_->bytes(bytes, n);
    if (mode_ == Mode::unpack) reader_->bytes(bytes, n);
  }
  [[nodiscard]] bool is_unpacking() const { return mode_ == Mode::unpack; }
  /// Whether it writes what is sent at once, with nothing executed in between.
  [[nodiscard]] bool is_packing() const { return mode_ == Mode::pack; }
  [[nodiscard]] Reader& reader() const { return *reader_; }
  /// Measuring: where writing would have come to.
  [[nodiscard]] std::size_t offset() const { return at_; }
  /// The typer of the outermost object that describes itself in this pass: it knows what memory
  /// was described so far.
  typer* outermost = nullptr;

 private:
  enum class Mode : std::uint8_t { measure, pack, unpack };
  Archive(Mode mode, std::size_t at, Writer* writer, Reader* reader)
      : mode_(mode), at_(at), writer_(writer), reader_(reader) {}

  Mode mode_;
  std::size_t at_;
  Writer* writer_;
  Reader* reader_;
};

template <class T>
void describe(Archive& archive, T& value);

}  // namespace armature::detail
