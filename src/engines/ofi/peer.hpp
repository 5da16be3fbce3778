#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>

#include <rdma/fabric.h>

#include "engines/engine.hpp"

namespace armature::transport {

struct OfiTransfer;

/// One other process.
struct OfiPeer {
  /// A packet that is not yet, or not wholly, in buffers.
  struct Waiting {
    std::span<const std::byte> head, body;
    Engine::Parts parts;  // of the body, where it lies in several places
    std::uint64_t token;
    std::size_t bytes;  // head and body
    std::size_t done = 0;
    std::size_t parts_done = 0, done_of_part = 0;  // of the body

    [[nodiscard]] std::span<const std::byte> part() const {
      return (parts.empty() ? body : parts[parts_done]).subspan(done_of_part);
    }
    /// Copies the next bytes.
    void take(std::span<std::byte> to);
  };

  explicit OfiPeer(int is) : number(is) {}
  int number;
  fi_addr_t address = FI_ADDR_UNSPEC;
  bool lost = false;
  bool is_held_up = false;  // libfabric takes nothing for it at the moment
  std::size_t under_way = 0;
  std::deque<Waiting> waiting;
  std::deque<OfiTransfer*> unbegun;  // transfers

  [[nodiscard]] bool has_waiting() const { return !waiting.empty() || !unbegun.empty(); }
  [[nodiscard]] bool is_to_be_tried_again() const {
    return (!waiting.empty() && is_held_up) || !unbegun.empty();
  }
};

}  // namespace armature::transport
