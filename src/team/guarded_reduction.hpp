#pragma once

#include <cstddef>
#include <exception>

#include <fmt/format.h>

#include "armature/detail/collective.hpp"
#include "base/fail.hpp"

namespace armature::team {

/// A reduction whose operator may throw. A member that left at once would make others wait, who
/// need it in the rounds that follow. So it takes part in them, and throws at the end. From the
/// first exception on nothing is combined.
class GuardedReduction : public detail::Reduction {
 public:
  explicit GuardedReduction(const detail::Reduction& reduction)
      : Reduction{reduction.count, reduction.element_bytes, &combine_guarded, this},
        operator_(reduction) {}
  GuardedReduction(const GuardedReduction&) = delete;
  GuardedReduction& operator=(const GuardedReduction&) = delete;

  /// Whether there is no result here: the operator has thrown, or has at a member whose result is
  /// needed.
  [[nodiscard]] bool has_failed() const { return has_failed_; }
  void note_failure_of_another() { has_failed_ = true; }
  /// At the end of the call. Throws what the operator has thrown here, or Error(remote).
  void throw_if_failed(const char* call) const {
    if (exception_) std::rethrow_exception(exception_);
    if (has_failed_)
      base::fail(Errc::remote,
                 fmt::format("{}: the operator has thrown at another member of the team", call));
  }

 private:
  static void combine_guarded(void* into, const void* from, std::size_t count, void* guarded) {
    auto& self = *static_cast<GuardedReduction*>(guarded);
    if (self.has_failed_) return;
    try {
      self.operator_.combine(into, from, count, self.operator_.op);
    } catch (...) {
      self.exception_ = std::current_exception();
      self.has_failed_ = true;
    }
  }

  const detail::Reduction operator_;
  bool has_failed_ = false;
  std::exception_ptr exception_;
};

}  // namespace armature::team
