#include "space/rank_block.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "space/pages.hpp"

namespace armature::space {

void RankBlock::require_in_use() const {
  if (state == used || state == lent) return;
  const char* const text =
      state == unused ? "armature: free: this memory of a rank is freed already\n"
                      : "armature: free: this memory of a rank does not come from malloc\n";
  (void)!write(STDERR_FILENO, text, std::strlen(text));
  std::abort();
}

void RankBlock::clear_edges(std::byte* memory, std::size_t bytes) {
  const auto at = reinterpret_cast<std::uintptr_t>(memory);
  const std::size_t tail = (at + bytes) % page_bytes;
  std::memset(memory, 0, std::max(page_above(at) - at, sizeof(RankBlock::next)));
  std::memset(memory + bytes - tail, 0, tail);
}

}  // namespace armature::space
