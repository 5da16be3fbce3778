#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "space/mapping.hpp"
#include "transport/links.hpp"

namespace armature::quiesce {

/// The purpose for which all processes quiesce.
struct Plan {
  std::uint32_t number = 0;                      // so many times they have, then
  std::span<const int> processes;                // that each rank is to be in
  std::span<const int> leaving, coming;          // processes that leave the job then, that come
  space::KeptIn where = space::KeptIn::nowhere;  // a checkpoint is written
  std::string directory;                         // there, where it is
  std::uint64_t folder_number = 0;               // into that folder of it
  std::uint64_t id = 0;                          // of the checkpoint, if one is written
  // Whether it may be followed by what has changed since; and the number of the one before, where
  // it is that itself, and its id. 0: it is whole.
  bool is_incremental = false;
  std::uint32_t changed_since = 0;
  std::uint64_t goes_on_from = 0;
};

/// Tells all nodes, and has all processes of the job quiesce. Called by one rank. Their ranks wait
/// for the end of that.
void announce(const space::Mapping& mapping, const Plan& all);

extern const std::array<transport::Handling, 2> plan_handlers;

}  // namespace armature::quiesce
