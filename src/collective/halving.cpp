#include <utility>
#include <vector>

#include "collective/algorithms.hpp"
#include "collective/fold.hpp"

namespace armature::collective {
namespace {

/// Elements from `begin` to before `end`.
struct Range {
  std::size_t begin, end;

  [[nodiscard]] Range half(bool second) const {
    const std::size_t middle = begin + (end - begin) / 2;
    return second ? Range{middle, end} : Range{begin, middle};
  }
};

}  // namespace

// In round k the groups are of 2^k neighbours, so elements are combined in the order of the team.
// Data and scratch memory take turns in holding what is combined so far, at the same offsets.
void allreduce_by_halving(Schedule& schedule, const Members& members, const Elements& elements) {
  const std::size_t each = elements.bytes_each;
  const Folded folded(members);
  if (!folded.takes_part()) {
    schedule.send(folded.other_of_pair(), output, elements.bytes());
    schedule.end();
    schedule.receive(folded.other_of_pair(), output, elements.bytes());
    return schedule.end();
  }
  const auto bytes_of = [&](const Range& range) { return (range.end - range.begin) * each; };
  Place mine = output, other = schedule.take_scratch(elements.bytes());
  if (folded.is_paired()) {
    schedule.receive(folded.other_of_pair(), other, elements.bytes());
    schedule.combine(mine, other, elements.bytes());
    schedule.end();
  }
  Range range{0, elements.count};
  std::vector<Range> halved;  // before each round
  for (int by = 1; by < folded.size(); by *= 2) {
    const int number = folded.number() ^ by;
    const bool is_behind = number < folded.number();
    const Range keep = range.half(is_behind), give = range.half(!is_behind);
    schedule.receive(folded.member(number), other + keep.begin * each, bytes_of(keep));
    schedule.send(folded.member(number), mine + give.begin * each, bytes_of(give));
    if (is_behind) {
      schedule.combine(other + keep.begin * each, mine + keep.begin * each, bytes_of(keep));
      std::swap(mine, other);
    } else {
      schedule.combine(mine + keep.begin * each, other + keep.begin * each, bytes_of(keep));
    }
    schedule.end_stage();
    halved.push_back(std::exchange(range, keep));
  }
  schedule.copy(output + range.begin * each, mine + range.begin * each, bytes_of(range));
  schedule.end();
  for (int by = folded.size() / 2; by >= 1; by /= 2) {
    const int number = folded.number() ^ by;
    const bool is_behind = number < folded.number();
    const Range theirs = halved.back().half(!is_behind);
    schedule.receive(folded.member(number), output + theirs.begin * each, bytes_of(theirs));
    schedule.send(folded.member(number), output + range.begin * each, bytes_of(range));
    schedule.end_stage();
    range = halved.back();
    halved.pop_back();
  }
  if (folded.is_paired()) schedule.send(folded.other_of_pair(), output, elements.bytes());
  schedule.end();
}

}  // namespace armature::collective
