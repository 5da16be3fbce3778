#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "armature/handle.hpp"

namespace armature {

/// The completion of transfers of a section, of which there may be one with each rank. As a Handle:
/// wait() completes all of them locally, and the destructor waits.
class [[nodiscard]] section_handle {
 public:
  section_handle() = default;
  explicit section_handle(std::vector<Handle> under_way) : under_way_(std::move(under_way)) {}

  void wait() {
    wait_all(under_way_);
    under_way_.clear();
  }
  [[nodiscard]] bool test() { return under_way_.empty() || test_all(under_way_); }
  /// With how many ranks something was still under way when the call returned.
  [[nodiscard]] std::size_t ranks() const { return under_way_.size(); }

 private:
  std::vector<Handle> under_way_;
};

}  // namespace armature
