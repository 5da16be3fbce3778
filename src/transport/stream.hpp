#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "transport/limits.hpp"
#include "transport/packet.hpp"

namespace armature::transport {

class Link;
class PiecePool;
class Stream;
class StreamQueue;

/// Memory lent to the engine: told when it is free again.
struct Sending {
  void (*sent)(Sending& sending) = nullptr;
};

/// One record of a stream that the engine has, and memory for bytes that do not lie in one place.
/// That memory is kept for the next: memory that is touched first costs more than what is copied to
/// it.
class Piece : public Sending {
 public:
  /// Room for Limits::piece_bytes.
  [[nodiscard]] std::byte* room();
  /// The places of bytes that the engine gathers.
  using Part = std::span<const std::byte>;
  [[nodiscard]] std::vector<Part>& parts() { return parts_; }

 private:
  friend class Link;
  friend class PiecePool;
  friend class StreamQueue;
  StreamQueue* queue_ = nullptr;
  Stream* stream_ = nullptr;  // nullptr: nobody wants to know any more
  int rank_ = -1;             // of the stream
  bool is_lent_ = false;
  std::unique_ptr<std::byte[]> memory_;
  std::vector<Part> parts_;
};

/// A transfer that is longer than a packet. The link asks it for one record after the other, as the
/// engine lets go of earlier ones, in whatever thread polls: so a process has few pieces under way,
/// however many transfers have begun. All of it under the links' lock.
class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  virtual ~Stream() = default;

  /// Sends the next record, by link.lend_piece() or as part of a packet. False when it was the
  /// last.
  [[nodiscard]] virtual bool send_next(Link& link, Piece& piece) = 0;
  /// The engine has let go of all; or the link is lost. The last that is done with it.
  virtual void ended() = 0;

 protected:
  /// The most bytes of the next piece, of a stream that has so many left. The first of several is
  /// short: the other side copies it while the second one is on its way.
  [[nodiscard]] std::size_t next_piece_bytes(std::size_t left) {
    const bool is_first = !std::exchange(has_begun_, true);
    return is_first && left > Limits::piece_bytes ? Limits::first_piece_bytes : Limits::piece_bytes;
  }

 private:
  friend class PiecePool;
  friend class StreamQueue;
  std::size_t under_way_ = 0;
  bool is_sent_ = false;
  bool has_begun_ = false;
};

}  // namespace armature::transport
