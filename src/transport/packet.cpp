#include "transport/packet.hpp"

#include "base/checksum.hpp"

namespace armature::transport {

std::uint64_t packet_sum(std::span<const std::byte> packet, const PacketScope& scope) {
  const struct {
    std::int64_t to;
    std::uint64_t lent_bytes;
  } told{scope.to, scope.lent_bytes};
  return base::checksum(packet.subspan(sizeof PacketHeader::sum),
                        base::checksum(&told, sizeof told, scope.secret));
}

}  // namespace armature::transport
