#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "races/sites.hpp"

namespace armature::rmi {

/// The place in a program that has made a call: return addresses outside of this library, innermost
/// first. All zeros: not known.
struct CalledAt {
  std::array<std::uint64_t, 6> frames{};

  [[nodiscard]] static CalledAt here() {
    const races::Site site = races::site_of_caller("remote call");
    CalledAt place;
    std::copy_n(site.frames.begin(), place.frames.size(), place.frames.begin());
    return place;
  }
  /// For the launcher, which finds the line.
  [[nodiscard]] std::string text(int rank) const {
    races::Site site;
    std::copy(frames.begin(), frames.end(), site.frames.begin());
    return races::place_text(rank, site);
  }
};

}  // namespace armature::rmi
