#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "message/cursor.hpp"
#include "transport/stream.hpp"

namespace armature::message {

/// The bytes of a long message on their way to another node: records for the receiver's Landing,
/// which the engine reads where the bytes lie. Its owner waits until it is over, or destroys it
/// before, and then nothing of it is used any more.
class SendStream final : public transport::Stream {
 public:
  /// The receiver's Landing.
  struct Place {
    std::uint64_t address;
    std::uint32_t number;
  };

  SendStream(int from, int to, const Place& place, const Cursor& data);
  ~SendStream() override;

  /// Acquire: the engine reads the bytes no more.
  [[nodiscard]] bool is_over() const { return is_over_.load(std::memory_order_acquire); }
  /// Whether who should get them cannot be reached any more, in a job that goes on after deaths.
  [[nodiscard]] bool is_lost() const;

 private:
  [[nodiscard]] bool send_next(transport::Link& link, transport::Piece& piece) override;
  void ended() override;

  int from_, to_;
  Place place_;
  Cursor data_;
  std::size_t left_;
  std::uint64_t sent_ = 0;
  std::atomic<bool> is_over_ = false;
};

}  // namespace armature::message
