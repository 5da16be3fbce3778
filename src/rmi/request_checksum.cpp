#include "rmi/request_checksum.hpp"

#include <cstring>

#include <fmt/format.h>

#include "armature/detail/method.hpp"
#include "base/checksum.hpp"
#include "rmi/failure.hpp"

namespace armature::rmi {

using detail::LongArguments;
using detail::RequestHeader;
using detail::RequestKind;

std::optional<LongArguments> long_arguments(const RequestHeader& header, const std::byte* request) {
  if ((header.kind & RequestHeader::is_long) == 0) return std::nullopt;
  const bool asks = header.is(RequestKind::two_way);
  LongArguments where;
  std::memcpy(&where, request + sizeof header + (asks ? sizeof(void*) : 0), sizeof where);
  return where;
}

void RequestChecksum::put(std::span<std::byte> bytes, const CalledAt& called_at) {
  RequestHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.units = static_cast<std::uint16_t>(bytes.size() / RequestHeader::unit);
  std::memcpy(bytes.data(), &header, sizeof header);
  const std::span<std::byte> request = bytes.first(bytes.size() - sizeof(RequestChecksum));
  RequestChecksum checksum{.request = base::checksum(request), .called_at = called_at};
  if (const auto where = long_arguments(header, bytes.data()))
    checksum.block = base::checksum(reinterpret_cast<const void*>(where->block), where->bytes);
  std::memcpy(request.data() + request.size(), &checksum, sizeof checksum);
}

RequestChecksum RequestChecksum::of(std::span<const std::byte> bytes) {
  RequestChecksum checksum;
  std::memcpy(&checksum, bytes.data() + bytes.size() - sizeof checksum, sizeof checksum);
  return checksum;
}

void check_request(int from, std::span<const std::byte> request) {
  if (request.size() < sizeof(RequestHeader) + sizeof(RequestChecksum) ||
      RequestChecksum::of(request).request !=
          base::checksum(request.first(request.size() - sizeof(RequestChecksum))))
    corrupt(fmt::format(
        "a request from rank {} of {} bytes is not what was sent: its checksum is another", from,
        request.size()));
}

void check_block(const detail::Call& call, std::span<const std::byte> request) {
  if (RequestChecksum::of(request).block != base::checksum({call.start, call.end}))
    corrupt(
        fmt::format("the arguments of a request from rank {}, {} bytes in a block, are not what "
                    "was sent: their checksum is another",
                    static_cast<int>(call.from), call.end - call.start));
}

}  // namespace armature::rmi
