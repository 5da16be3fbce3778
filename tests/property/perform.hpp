#pragma once

#include <functional>

#include "armature/armature.hpp"
#include "operation.hpp"

namespace property {

/// Carries operations out for real, between a local buffer and the ranks' regions.
class Performer {
 public:
  Performer(const armature::Piece<std::byte>& regions, Memory& local)
      : regions_(regions), local_(local) {}

  /// Issues all operations of the step and waits for them. found(operation, value) is called for
  /// each atomic with what it returned.
  void perform(const Step& step, const std::function<void(const Operation&, std::uint64_t)>& found);

 private:
  void issue(const Operation& operation, int way_to_wait,
             const std::function<void(const Operation&, std::uint64_t)>& found);
  void issue_contiguous(const Operation& operation);
  void issue_value(const Operation& operation);
  void issue_strided(const Operation& operation);
  void issue_vector(const Operation& operation);
  std::uint64_t issue_atomic(const Operation& operation);
  void wait(const Step& step);

  [[nodiscard]] std::byte* remote(const Operation& operation, std::size_t offset) const {
    return regions_.on(operation.rank).address() + offset;
  }
  /// The address of the first group, which may be outside when there is no group.
  [[nodiscard]] std::byte* here(const Operation& operation) const {
    return local_.data() + operation.local;
  }

  const armature::Piece<std::byte>& regions_;
  Memory& local_;
  std::vector<armature::Handle> handles_;
  std::vector<armature::Aggregate> aggregates_;
};

}  // namespace property
