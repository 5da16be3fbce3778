#include "team/learner.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace armature::team {
namespace {

std::uint64_t median(std::vector<std::uint64_t>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// All members' notes, call by call.
struct Calls {
  std::vector<std::uint64_t> sum, skew;

  Calls(std::size_t calls, std::size_t members, const Learner::NotesOf& of)
      : sum(calls), skew(calls) {
    std::vector<std::uint64_t> least(calls, std::numeric_limits<std::uint64_t>::max());
    std::vector<std::uint64_t> most(calls);
    for (std::size_t member = 0; member < members; ++member) {
      const std::span<const std::uint32_t> notes = of(member);
      for (std::size_t i = 0; i < calls && i < notes.size(); ++i) {
        sum[i] += notes[i];
        least[i] = std::min<std::uint64_t>(least[i], notes[i]);
        most[i] = std::max<std::uint64_t>(most[i], notes[i]);
      }
    }
    for (std::size_t i = 0; i < calls; ++i) skew[i] = most[i] - std::min(least[i], most[i]);
  }
};

/// Every `step`th from `first` on.
std::vector<std::uint64_t> some(const std::vector<std::uint64_t>& all, std::size_t first,
                                std::size_t step) {
  std::vector<std::uint64_t> picked;
  for (std::size_t i = first; i < all.size(); i += step) picked.push_back(all[i]);
  return picked;
}

}  // namespace

std::span<const std::uint32_t> Learner::notes() const {
  if (tries_) return std::span(notes_).first(ways_ * trials);
  return std::span(notes_).last(looked_at);
}

void Learner::note(std::uint64_t ns) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  if (calls_ < calls_kept) notes_[calls_] = static_cast<std::uint32_t>(std::min(ns, most));
  ++calls_;
}

void Learner::decide(std::size_t members, const NotesOf& of) {
  const Calls calls(ways_ * trials, members, of);
  std::uint64_t best = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t way = 0; way < ways_; ++way) {
    auto times = some(calls.sum, way, ways_);
    const std::uint64_t time = median(times);
    if (time >= best) continue;
    best = time;
    kept_ = way;
  }
  auto skews = some(calls.skew, kept_, ways_);
  ns_ = static_cast<std::uint32_t>(best / members);
  skew_ns_ = static_cast<std::uint32_t>(median(skews));
  tries_ = false;
}

void Learner::agree(std::size_t members, const NotesOf& of) {
  calls_ = 0;
  if (tries_) return decide(members, of);
  Calls calls(looked_at, members, of);
  const std::uint64_t now = median(calls.sum) / members;
  if (2 * now <= 3 * std::uint64_t{ns_} && 3 * now >= 2 * std::uint64_t{ns_}) return;
  tries_ = ways_ > 1;
  ns_ = static_cast<std::uint32_t>(now);
  ++changes_;
}

}  // namespace armature::team
