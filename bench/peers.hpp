#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

// Times of other libraries for the same, measured elsewhere: rows of system, operation, bytes and
// nanoseconds, separated by tabs.

namespace armature::bench {

struct Peer {
  std::string system;
  double ns = 0;
};

class Peers {
 public:
  Peers() = default;
  /// Throws std::runtime_error when the file cannot be read, or no line of it is a row.
  explicit Peers(const std::string& path);

  [[nodiscard]] bool empty() const { return best_.empty(); }
  /// The fastest at that operation.
  [[nodiscard]] std::optional<Peer> best(const std::string& op, std::size_t bytes) const;

 private:
  std::map<std::pair<std::string, std::size_t>, Peer> best_;
};

}  // namespace armature::bench
