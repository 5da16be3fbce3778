#pragma once

#include <cstdint>

#include "image/loaded.hpp"

// These constants are in elf.h of newer C libraries.
#ifndef DT_RELR
#define DT_RELRSZ 35
#define DT_RELR 36
#endif

namespace armature::image {

/// Calls `body` with the address of each word that is relocated in the packed way: addresses, each
/// followed by words of which each bit but the lowest is one of the next 63.
template <class Body>
void for_each_packed(const Dynamic& dynamic, Body body) {
  constexpr std::uint64_t word_bytes = sizeof(std::uint64_t);
  std::uint64_t next = 0;
  for (const std::uint64_t entry : dynamic.table<std::uint64_t>(DT_RELR, DT_RELRSZ)) {
    if ((entry & 1) == 0) {
      body(entry);
      next = entry + word_bytes;
      continue;
    }
    for (std::uint64_t bits = entry >> 1, at = next; bits != 0; bits >>= 1, at += word_bytes)
      if ((bits & 1) != 0) body(at);
    next += 63 * word_bytes;
  }
}

}  // namespace armature::image
