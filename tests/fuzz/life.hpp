#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "armature/armature.hpp"
#include "fuzz/input.hpp"

namespace armature::fuzz {

/// The place that each rank lets the other write to.
inline constexpr std::size_t block_bytes = std::size_t{64} * 1024;

/// Does what both ranks do, so that records of many kinds go from 1 to 0.
void do_everything(World& world, std::byte* block);
/// Adds inputs of records that this job does not send. In process 0.
void add_by_hand(std::vector<Bytes>& corpus, std::uint64_t block);

}  // namespace armature::fuzz
