#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "progress/network.hpp"
#include "rma/far_records.hpp"
#include "transport/links.hpp"
#include "transport/protocol.hpp"

namespace armature::rma {

using progress::Network;

/// Short rows on their way to another node, packed into pieces as long as those in which contiguous
/// bytes travel: while the engine sends some, the next is packed.
class PackedRows {
 public:
  PackedRows(Network& net, Rank rank, const char* call);
  PackedRows(const PackedRows&) = delete;
  PackedRows& operator=(const PackedRows&) = delete;
  ~PackedRows();

  static constexpr std::size_t room = transport::Protocol::piece_bytes;
  /// Memory for `room` bytes. Blocks while the engine has all there is.
  [[nodiscard]] std::byte* next();
  /// Sends what was packed there.
  void send(const WriteRecord& record, int sender, bool last);
  /// Blocks until the engine has let go of all. Throws Error(rank_lost) when the rank was lost.
  void finish();

  // Pieces that nobody uses are kept: memory that is touched first costs more than what is copied
  // to it. Under the links' lock.
  [[nodiscard]] static std::unique_ptr<std::byte[]> take_memory();
  static void give_memory(std::unique_ptr<std::byte[]> memory);

 private:
  struct Piece : transport::Sending {
    std::atomic<bool> busy = false;
    std::unique_ptr<std::byte[]> memory;
  };
  void await(const Piece& piece);
  [[nodiscard]] bool is_of_rank() const;

  Network& net_;
  Rank rank_;
  const char* call_;
  std::array<Piece, transport::Protocol::puts_under_way / 2> pieces_;
  std::size_t at_ = 0;
};

}  // namespace armature::rma
