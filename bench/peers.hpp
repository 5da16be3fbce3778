#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

// Times of other libraries for the same, measured by other programs: rows of system, operation,
// bytes and nanoseconds, separated by tabs.

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

  /// Takes the lines that a command has printed. Throws std::runtime_error, which names `what`,
  /// when none of them is a row.
  void take(const std::string& what, const std::string& lines);

  [[nodiscard]] bool empty() const { return best_.empty(); }
  /// The fastest at that operation.
  [[nodiscard]] std::optional<Peer> best(const std::string& op, std::size_t bytes) const;

 private:
  std::map<std::pair<std::string, std::size_t>, Peer> best_;
};

}  // namespace armature::bench
