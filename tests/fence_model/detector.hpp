#pragma once

#include <cstdint>
#include <optional>

#include "rmi/termination.hpp"

// The real termination detection, and ways to get it wrong that the explorer must notice.

namespace armature::fence_model {

enum class Fault : std::uint8_t {
  none,
  // in how requests are counted: see model.cpp
  executed_counted_at_start,
  sent_counted_at_delivery,
  sent_counted_after_publishing,
  sent_count_lost,
  executed_count_lost,
  // in where tallies are shown: see model.cpp
  one_line_instead_of_two,
  // in how it is decided: below
  one_wave,            // sent and executed of the same wave
  waves_swapped,       // sent of the wave before, executed of this one
  no_wave_of_its_own,  // a fence begins with the lines that ended the fence before
  sums_never_cleared,  // what the fence before added up is added to
  // no fault: the last wave of the fence before serves as the wave before the first
  wave_before_from_fence_before,
};

/// Termination, or a faulty one of the same shape.
class Detector {
 public:
  using Step = rmi::Termination::Step;
  using Sum = std::optional<std::uint64_t>;

  explicit Detector(Fault fault = Fault::none)
      : fault_(fault >= Fault::one_wave ? fault : Fault::none) {}

  /// False when there is nothing to show, which is a fault.
  bool begin() {
    if (fault_ == Fault::none) {
      real_.begin();
      return true;
    }
    under_way_ = true;
    if (fault_ == Fault::no_wave_of_its_own && wave_ > 0) {
      awaited_ = 0;
      sums_ = {};
      return false;
    }
    if (fault_ != Fault::wave_before_from_fence_before) before_ = {};
    enter_next_wave(fault_ != Fault::sums_never_cleared);
    return true;
  }

  template <class Read>
  Step advance(int members, Read&& read) {
    if (fault_ == Fault::none) return real_.advance(members, read);
    for (; awaited_ < members; ++awaited_) {
      const std::optional<rmi::Tally> shown = read(awaited_, wave_);
      if (!shown) return Step::wait;
      sums_.sent += shown->sent;
      sums_.executed += shown->executed;
    }
    if (ends()) {
      under_way_ = false;
      if (fault_ != Fault::wave_before_from_fence_before && fault_ != Fault::no_wave_of_its_own)
        before_ = {};
      else
        before_ = sums_;
      return Step::finished;
    }
    before_ = sums_;
    enter_next_wave(true);
    return Step::show;
  }

  [[nodiscard]] bool under_way() const {
    return fault_ == Fault::none ? real_.under_way() : under_way_;
  }
  [[nodiscard]] std::uint64_t wave() const { return fault_ == Fault::none ? real_.wave() : wave_; }
  [[nodiscard]] int awaited() const { return fault_ == Fault::none ? real_.awaited() : awaited_; }
  [[nodiscard]] rmi::Tally sums() const { return fault_ == Fault::none ? real_.sums() : sums_; }
  [[nodiscard]] Sum executed_before() const {
    if (fault_ == Fault::none) return real_.executed_before();
    return before_ ? Sum(before_->executed) : std::nullopt;
  }
  [[nodiscard]] Sum sent_before() const { return before_ ? Sum(before_->sent) : std::nullopt; }

 private:
  void enter_next_wave(bool clear) {
    ++wave_;
    awaited_ = 0;
    if (clear) sums_ = {};
  }

  [[nodiscard]] bool ends() const {
    if (fault_ == Fault::one_wave) return sums_.sent == sums_.executed;
    if (fault_ == Fault::waves_swapped) return sent_before() == sums_.executed;
    return executed_before() == sums_.sent;
  }

  Fault fault_;
  rmi::Termination real_;
  // the faulty one
  std::uint64_t wave_ = 0;
  rmi::Tally sums_;
  std::optional<rmi::Tally> before_;
  int awaited_ = 0;
  bool under_way_ = false;
};

}  // namespace armature::fence_model
