#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <span>

namespace armature::message {

/// A place in bytes that lie in several pieces, from the first byte to the last. The list of pieces
/// and the bytes are the caller's, and stay as long as the cursor is used.
class Cursor {
 public:
  Cursor() = default;
  explicit Cursor(std::span<const iovec> pieces) : pieces_(pieces) { skip_empty(); }

  /// The pieces that are not behind it.
  [[nodiscard]] std::span<const iovec> pieces() const { return pieces_; }
  /// How many bytes there are from here on.
  [[nodiscard]] std::size_t left() const;
  /// The bytes that lie here in one place; empty at the end.
  [[nodiscard]] std::span<std::byte> here() const {
    if (pieces_.empty()) return {};
    return {static_cast<std::byte*>(pieces_.front().iov_base) + offset_,
            pieces_.front().iov_len - offset_};
  }
  /// Advances by at most what lies here().
  void advance(std::size_t bytes) {
    offset_ += bytes;
    skip_empty();
  }

 private:
  void skip_empty() {
    while (!pieces_.empty() && offset_ == pieces_.front().iov_len) {
      pieces_ = pieces_.subspan(1);
      offset_ = 0;
    }
  }

  std::span<const iovec> pieces_;
  std::size_t offset_ = 0;  // in the first of them
};

/// Copies as many bytes as both have left; returns how many.
std::size_t copy(Cursor& to, Cursor& from);
std::size_t copy(Cursor& to, std::span<const std::byte> from);
std::size_t copy(std::span<std::byte> to, Cursor& from);

}  // namespace armature::message
