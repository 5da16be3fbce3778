#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "net/rank_map.hpp"
#include "transport/links.hpp"

namespace armature::net {

/// Gates before which bytes of a ring wait until streams have been sent that began earlier: a call
/// behind a put arrives behind the put's bytes. Under the links' lock.
class StreamGates {
 public:
  /// The limits of what a pair of ranks may send: calls up to a position, and notifications up to a
  /// number.
  struct Limits {
    std::uint64_t calls = UINT64_MAX, notified = UINT64_MAX;
  };

  StreamGates(transport::Links& links, const RankMap& map) : links_(links), map_(map) {}
  StreamGates(const StreamGates&) = delete;
  StreamGates& operator=(const StreamGates&) = delete;
  ~StreamGates() = default;

  /// Adds a gate: what `rank` sends to `other` beyond these limits waits for all streams there that
  /// have begun so far.
  void add(int rank, int other, const Limits& limits);
  /// Those of the pair's first gate that is closed.
  [[nodiscard]] Limits limits_of(int rank, int other) const;
  /// Whether something of that rank's waits.
  [[nodiscard]] bool holds_back(int rank) const;
  /// Streams of that link have been sent: the pairs whose gates are open now, which are forgotten.
  [[nodiscard]] std::vector<std::pair<int, int>> take_open(const transport::Link& link);
  void forget_all() { gates_.clear(); }

 private:
  struct Gate {
    int rank, other;
    std::uint64_t stream;  // the last that the gate waits for
    Limits limits;
  };
  [[nodiscard]] bool is_open(const Gate& gate) const {
    return link_to(gate.other).streams().oldest() > gate.stream;
  }
  [[nodiscard]] transport::Link& link_to(int rank) const {
    return links_.to(map_.process_of(rank));
  }

  transport::Links& links_;
  const RankMap& map_;
  // That were closed when somebody looked last. Of one pair those of later streams come later.
  std::vector<Gate> gates_;
};

}  // namespace armature::net
