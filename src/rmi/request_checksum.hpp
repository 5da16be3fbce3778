#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "armature/detail/request.hpp"
#include "rmi/called_at.hpp"

namespace armature::detail {
struct Call;
}

namespace armature::rmi {

/// Ends each request in jobs that check everything (`armature run --check`): a checksum of itself,
/// and of its arguments where these lie in a block, and the place of the call, for the message of a
/// one-way call that fails. The request's header counts these bytes, too.
struct RequestChecksum {
  std::uint64_t request = 0;
  std::uint64_t block = 0;
  CalledAt called_at;

  /// Computes the checksum of the request in `bytes`, whose end is room for it.
  static void put(std::span<std::byte> bytes, const CalledAt& called_at = {});
  /// The checksum at the end of a request.
  static RequestChecksum of(std::span<const std::byte> bytes);
};
static_assert(sizeof(RequestChecksum) % detail::RequestHeader::unit == 0);

/// Finds the long arguments of a request; nothing when they are in the request.
std::optional<detail::LongArguments> long_arguments(const detail::RequestHeader& header,
                                                    const std::byte* request);

/// Ends the job where the request is not what was sent.
void check_request(int from, std::span<const std::byte> request);
/// Checks the request's arguments in a block, once it is known to be what was sent.
void check_block(const detail::Call& call, std::span<const std::byte> request);

}  // namespace armature::rmi
