#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>

namespace armature::transport {

/// Stands in front of addresses of the engine over libfabric. UCX's begin with other bytes, so that
/// an engine finds that an address is of the other one.
inline constexpr char ofi_mark[8] = {'l', 'i', 'b', 'f', 'a', 'b', 'r', 'i'};
inline constexpr const char* other_engine =
    "it uses another engine: ARMATURE_NET_ENGINE must be the same in all processes";

inline bool has_ofi_mark(std::span<const std::byte> address) {
  return address.size() > sizeof ofi_mark &&
         std::equal(std::begin(ofi_mark), std::end(ofi_mark), address.begin(),
                    [](char c, std::byte b) { return static_cast<std::byte>(c) == b; });
}

}  // namespace armature::transport
