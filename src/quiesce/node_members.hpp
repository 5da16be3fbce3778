#pragma once

#include <cstdint>
#include <vector>

#include "space/mapping.hpp"

namespace armature::quiesce {

/// The processes of this node that are of the job with some reconfiguration of it.
class NodeMembers {
 public:
  NodeMembers(const space::Mapping& mapping, int process, std::uint32_t epoch);

  [[nodiscard]] const std::vector<int>& processes() const { return processes_; }
  /// The place of this process among them; the first one leads.
  [[nodiscard]] std::uint64_t place() const { return place_; }
  [[nodiscard]] bool leads() const { return place_ == 0; }
  /// Whether this process is one of them.
  [[nodiscard]] bool is_member() const { return place_ < processes_.size(); }

  /// A member's part of the memory file, in whole segments; the last one also has what lies behind
  /// them.
  struct Share {
    std::uint64_t begin = 0, end = 0;
  };
  [[nodiscard]] Share share(std::uint64_t end_of_file) const;

 private:
  const space::ControlHeader& job_;
  std::vector<int> processes_;
  std::uint64_t place_ = UINT64_MAX;
};

}  // namespace armature::quiesce
