#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "net/network.hpp"
#include "transport/packet.hpp"

// The records of a packet, as far as it makes sense.

namespace armature::fuzz {

/// To be called in process 0.
[[nodiscard]] inline transport::RecordKind kind_of(transport::RecordOf kind) {
  return net::network()->links().services().kind_of(kind);
}

/// f(record, body) for each whole record.
template <class F>
void for_each_record(std::span<const std::byte> records, F f) {
  while (records.size() >= sizeof(transport::Record)) {
    transport::Record record;
    std::memcpy(&record, records.data(), sizeof record);
    const std::size_t length = std::size_t{record.bytes} + record.filler;
    if (record.bytes < sizeof record || length > records.size()) return;
    f(record, records.subspan(sizeof record, record.bytes - sizeof record));
    records = records.subspan(length);
  }
}

[[nodiscard]] inline bool has_record(std::span<const std::byte> records,
                                     transport::RecordKind kind) {
  bool any = false;
  for_each_record(records,
                  [&](const transport::Record& record, auto) { any = any || record.kind == kind; });
  return any;
}

}  // namespace armature::fuzz
