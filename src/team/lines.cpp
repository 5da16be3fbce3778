#include "team/lines.hpp"

#include "base/fail.hpp"

namespace armature::team {

using space::MemberLine;
using space::TeamBlock;

bool have_entered(TeamBlock& block, std::uint64_t round) {
  for (std::size_t member = 0; member < block.size; ++member)
    if (block.line(member, round).round.load(std::memory_order_acquire) < round) return false;
  return true;
}

void Lines::enter(std::uint64_t signature) {
  ++round_;
  pipeline_.begin_again();
  MemberLine& mine = block_->line(me_, round_);
  mine.signature = signature;
  // Release: who sees the round sees the bytes shown in it, and all this rank has stored before.
  mine.round.store(round_, std::memory_order_release);
}

void Lines::give_up() {
  block_->line(me_, round_).round.store(round_ | MemberLine::gave_up, std::memory_order_release);
}

std::byte* Lines::outgoing(std::size_t bytes) {
  ARMATURE_ASSERT(bytes <= bytes_max);
  return bytes <= MemberLine::inline_bytes ? block_->line(me_, round_ + 1).payload
                                           : block_->staging(me_, round_ + 1);
}

const std::byte* Lines::incoming(int member, std::size_t bytes) const {
  const std::byte* const shown =
      bytes <= MemberLine::inline_bytes ? line(member).payload : staging(member, round_);
  if (static_cast<std::size_t>(member) != me_) base::mark_defined(shown, bytes);
  return shown;
}

std::optional<Lines::First> Lines::first_to_show() const {
  // The number of bytes shown is a part of the signature.
  if (are_known_to_agree() && shown_by(static_cast<int>(me_)) == 0) return std::nullopt;
  const int size = static_cast<int>(block_->size);
  for (int member = 0; member < size; ++member)
    if (const std::size_t bytes = shown_by(member); bytes > 0) return First{member, bytes};
  return std::nullopt;
}

bool Lines::somebody_has_given_up() const {
  for (std::size_t member = 0; member < block_->size; ++member)
    if (block_->line(member, 0).has_given_up() || block_->line(member, 1).has_given_up())
      return true;
  return false;
}

bool Lines::are_known_to_agree() const {
  // Acquire: written before the round was released.
  return !are_flat() && block_->disagreed.load(std::memory_order_acquire) != round_ &&
         block_->released.load(std::memory_order_relaxed) != TeamBlock::never_more;
}

}  // namespace armature::team
