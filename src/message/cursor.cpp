#include "message/cursor.hpp"

#include <algorithm>

#include "armature/detail/transfer.hpp"

namespace armature::message {

std::size_t Cursor::left() const {
  std::size_t bytes = 0;
  for (const iovec& piece : pieces_) bytes += piece.iov_len;
  return bytes - offset_;
}

std::size_t copy(Cursor& to, Cursor& from) {
  std::size_t done = 0;
  while (true) {
    const std::size_t bytes = std::min(to.here().size(), from.here().size());
    if (bytes == 0) return done;
    detail::copy(to.here().data(), from.here().data(), bytes);
    to.advance(bytes);
    from.advance(bytes);
    done += bytes;
  }
}

std::size_t copy(Cursor& to, std::span<const std::byte> from) {
  const iovec piece{const_cast<std::byte*>(from.data()), from.size()};
  Cursor all(std::span(&piece, 1));
  return copy(to, all);
}

std::size_t copy(std::span<std::byte> to, Cursor& from) {
  const iovec piece{to.data(), to.size()};
  Cursor all(std::span(&piece, 1));
  return copy(all, from);
}

}  // namespace armature::message
