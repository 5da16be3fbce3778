#pragma once

#include <cstddef>
#include <cstdint>

#include "shmem.h"

namespace shmem {

/// Puts the bytes and then changes the signal. Serves the blocking and the non-blocking routines:
/// returns when the source may be reused.
void put_signal(shmem_ctx_t ctx, void* dest, const void* source, std::size_t bytes,
                std::uint64_t* word, std::uint64_t value, int operation, int pe);
void send_signal(shmem_ctx_t ctx, std::uint64_t* word, std::uint64_t value, int operation, int pe);
[[nodiscard]] std::uint64_t signal_fetch(const std::uint64_t* word);
std::uint64_t signal_wait_until(const std::uint64_t* word, int comparison, std::uint64_t value);

}  // namespace shmem
