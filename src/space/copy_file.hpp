#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "space/control.hpp"

// The file of a copy in memory: what the segments' file held, at the same places; then one record
// of the job and one of each rank; then, of several nodes, where ranks were, in two tables.

namespace armature::space {

inline constexpr std::uint64_t record_bytes = 72;
inline constexpr std::uint64_t home_bytes = 8;

/// The offset in the file at which records begin.
std::uint64_t records_offset(const ControlHeader& header);
/// The offset of that rank's record; for -1, of the job's record.
std::uint64_t place_of_record(const ControlHeader& header, int rank);
/// In table 0 or 1.
std::uint64_t place_of_home(const ControlHeader& header, unsigned table, int rank);
std::uint64_t copy_file_bytes(const ControlHeader& header);

// Throw Error(out_of_memory).
void write_bytes_at(int file, std::uint64_t place, std::span<const std::byte> bytes);
void read_bytes_at(int file, std::uint64_t place, std::span<std::byte> bytes);

template <class Value>
void write_at(int file, std::uint64_t place, const Value& value) {
  static_assert(sizeof value <= record_bytes);
  write_bytes_at(file, place, std::as_bytes(std::span(&value, 1)));
}
template <class Value>
Value read_at(int file, std::uint64_t place) {
  Value value;
  read_bytes_at(file, place, std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

}  // namespace armature::space
