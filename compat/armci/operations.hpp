#pragma once

#include <optional>
#include <string>

// The operation of a reduction, which its caller names by a string. Fortran programs pass strings
// without a zero at their end, so whatever follows may be anything, or nothing that can be read.
// Names are read by their beginnings, as every ARMCI does. Asking strlen first was rejected for it.

namespace armci {

enum class Operation {
  sum,
  product,
  maximum,
  minimum,
  absolute_maximum,
  absolute_minimum,
  logical_and,
  logical_or,
  bitwise_and,
  bitwise_or,
};

/// Nothing where the string begins with none of the names. Reads no byte behind those by which it
/// tells the names apart.
[[nodiscard]] std::optional<Operation> operation_of(const char* name);

/// Returns, for messages, the printable beginning of such a string, of a few bytes.
[[nodiscard]] std::string printable_beginning(const char* name);

}  // namespace armci
