#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <utility>

namespace armature::detail {

/// Puts an entry first among those kept, of which the last one used comes first. It takes the first
/// free place, or that of the one used longest ago, which is returned.
template <class Entry, std::size_t n>
[[nodiscard]] std::unique_ptr<Entry> keep_first(std::array<std::unique_ptr<Entry>, n>& entries,
                                                std::unique_ptr<Entry> entry) noexcept {
  auto* const place = std::find(entries.begin(), entries.end() - 1, nullptr);
  std::unique_ptr<Entry> dropped = std::exchange(*place, std::move(entry));
  std::rotate(entries.begin(), place, place + 1);
  return dropped;
}

}  // namespace armature::detail
