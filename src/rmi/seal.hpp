#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "armature/detail/request.hpp"

namespace armature::detail {
struct Call;
}

namespace armature::rmi {

/// In jobs that check everything (`armature run --check`) a request ends with a checksum of itself,
/// and of its arguments where these lie in a block. Its header counts the seal's bytes, too.
struct Seal {
  std::uint64_t request = 0;
  std::uint64_t block = 0;

  /// Seals the request in `bytes`, which have room for the seal behind it.
  static void put(std::span<std::byte> bytes);
  /// Of a request whose seal ends with `bytes`.
  static Seal of(std::span<const std::byte> bytes);
};
static_assert(sizeof(Seal) == detail::RequestHeader::unit);

/// Where the long arguments of a request lie; nothing when they are in the request.
std::optional<detail::LongArguments> long_arguments(const detail::RequestHeader& header,
                                                    const std::byte* request);

/// Ends the job where the request is not what was sent.
void check_seal(int from, std::span<const std::byte> request);
/// The same of its arguments in a block, once it is known to be what was sent.
void check_seal_of_block(const detail::Call& call, std::span<const std::byte> request);

}  // namespace armature::rmi
