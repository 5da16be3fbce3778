#include "checkpoint/page_sums.hpp"

#include "base/checksum.hpp"
#include "base/fail.hpp"
#include "space/page_buffer.hpp"

namespace armature::checkpoints {

void PageSums::begin(bool from_nothing) {
  before_.swap(now_);
  now_.clear();
  if (from_nothing) before_.clear();
  next_ = 0;
}

bool PageSums::is_changed(std::uint64_t offset, const std::byte* page, bool is_zero) {
  const bool was_there = next_ < before_.size() && before_[next_].offset == offset;
  ARMATURE_ASSERT(was_there || next_ == before_.size() || before_[next_].offset > offset);
  const std::uint64_t before = was_there ? before_[next_++].sum : 0;
  if (is_zero) return was_there;
  const std::uint64_t sum = base::checksum(page, space::page_bytes);
  now_.push_back({offset, sum});
  return !was_there || sum != before;
}

}  // namespace armature::checkpoints
