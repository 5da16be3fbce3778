#include "armature/array/schedule.hpp"

#include <algorithm>
#include <cstring>

#include "armature/error.hpp"

// The member that has elements puts them: one message a partner and no answer, where a get would
// take two. Barriers before and behind make the copy one step for all.

namespace armature::detail {
namespace {

/// Plans are kept (copy_cache.hpp), but not with a second copy of a long block.
constexpr std::size_t kept_bytes_max = std::size_t{1} << 20;

[[noreturn]] void fail(const ArrayStore& to, const ArrayStore& from, const std::string& why) {
  throw Error(Errc::bad_argument,
              "a copy from distributed_array '" + from.name() + "' to '" + to.name() + "': " + why);
}

void check(const ArrayStore& to, const ArraySection& to_section, const ArrayStore& from,
           const ArraySection& from_section) {
  if (!to_section.has_shape_of(from_section))
    fail(to, from,
         "a section of " + from_section.shape_text() + " to one of " + to_section.shape_text());
  if (to.element_bytes() != from.element_bytes()) fail(to, from, "elements of different sizes");
  bool is_same_team = to.team().size() == from.team().size();
  for (int m = 0; is_same_team && m < to.team().size(); ++m)
    is_same_team = to.team().world_rank(m) == from.team().world_rank(m);
  if (!is_same_team) fail(to, from, "the arrays belong to different teams");
}

/// Whether sections of the same array may have an element in common.
bool may_overlap(const ArraySection& one, const ArraySection& other) {
  if (one.is_periodic || other.is_periodic) return true;
  for (std::size_t d = 0; d < static_cast<std::size_t>(one.dimensions); ++d) {
    const Range &a = one.ranges[d], &b = other.ranges[d];
    if (a.count() == 0 || b.count() == 0) return false;
    const auto [a_low, a_high] = std::minmax({a.first(), a[a.count() - 1]});
    const auto [b_low, b_high] = std::minmax({b.first(), b[b.count() - 1]});
    if (a_high < b_low || b_high < a_low) return false;
  }
  return true;
}

}  // namespace

ArrayCopy::ArrayCopy(const ArrayStore& to, const ArraySection& to_section, const ArrayStore& from,
                     const ArraySection& from_section)
    : from_(&from),
      to_(&to),
      is_staged_(&to == &from && may_overlap(to_section, from_section)),
      transfers_(ArrayTransfers::Verb::put, from.element_bytes()) {
  check(to, to_section, from, from_section);
  const auto plan = plan_copy(from.layout(), from_section, from.me(), to.layout(), to_section);
  std::byte* const source = is_staged_ ? stage() : from.mine();
  to.add(plan, source, transfers_);
  transfers_.begin_at(source);
}

/// Returns the place for the caller's block, which is as long as the block.
std::byte* ArrayCopy::stage() {
  staged_.resize(static_cast<std::size_t>(from_->block().size) * from_->element_bytes());
  return staged_.data();
}

void ArrayCopy::run() {
  const Team& team = from_->team();
  from_->require_use(ArrayUse::get, [] { return "a section that is copied"; });
  to_->require_use(ArrayUse::put, [] { return "a section that is a copy"; });
  team.barrier();
  if (is_staged_) {
    // Nothing is written before all have set aside what they had.
    transfers_.move_local(stage());
    if (!staged_.empty()) std::memcpy(staged_.data(), from_->mine(), staged_.size());
    team.barrier();
  }
  transfers_.start();
  transfers_.wait();
  if (staged_.size() > kept_bytes_max) std::vector<std::byte>().swap(staged_);
  team.barrier();
}

}  // namespace armature::detail
