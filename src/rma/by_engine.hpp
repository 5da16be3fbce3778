#pragma once

#include <cstddef>

#include "armature/rank.hpp"
#include "net/network.hpp"
#include "wait/request.hpp"

// Long contiguous transfers to other nodes by the engine's own one-sided operations, where the
// network does them by itself or the user wants them. See docs/internals/network.md.

namespace armature::rma {

/// Returns when the bytes are there. False when this transfer had better travel in packets: the
/// engine cannot, it is too short, or the target cannot let the engine reach that memory.
[[nodiscard]] bool put_by_engine(net::Network& net, Rank rank, void* to, const void* from,
                                 std::size_t bytes, const char* call);
[[nodiscard]] bool get_by_engine(net::Network& net, Rank rank, void* to, const void* from,
                                 std::size_t bytes, const char* call);
/// The same behind a handle; nullptr for false.
[[nodiscard]] detail::Request* put_by_engine_later(net::Network& net, Rank rank, void* to,
                                                   const void* from, std::size_t bytes);
[[nodiscard]] detail::Request* get_by_engine_later(net::Network& net, Rank rank, void* to,
                                                   const void* from, std::size_t bytes);

/// What this process does for others: lets the engine reach memory of its ranks.
void serve_keys(transport::Links& links);

}  // namespace armature::rma
