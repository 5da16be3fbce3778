#include "team/exposed_allreduce.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "team/exposure.hpp"
#include "wait/cost_model.hpp"

namespace armature::team {

using detail::TeamState;

namespace {

/// So many bytes of all members' blocks are reduced at a time: the scratch stays in the cache.
constexpr std::size_t at_once = 1 << 20;
/// A block that is shorter takes less time by rounds.
constexpr std::size_t block_min = 64 << 10;

class ExposedAllreduce {
 public:
  ExposedAllreduce(TeamState& team, const GuardedReduction& reduction, std::size_t block)
      : team_(team),
        reduction_(reduction),
        size_(static_cast<std::size_t>(team.size())),
        me_(static_cast<std::size_t>(team.rank())),
        block_(block),
        agreed_{TeamState::Kind::allreduce, block * reduction.element_bytes},
        scratch_(new (std::nothrow) std::byte[size_ * agreed_.bytes]) {}

  /// A block of each member, from `data` on. False at all members, without a change, where one has
  /// no memory for it, or its operator has thrown.
  [[nodiscard]] bool run(std::byte* data) {
    std::vector<Wanted> wanted;
    for (std::size_t member = 0; member < size_; ++member)
      if (member != me_) wanted.push_back({static_cast<int>(member), me_, scratch(member)});
    if (!exchange(team_, agreed_, "allreduce", Flow::among_all,
                  {.data = data, .blocks = size_, .by_rounds = scratch_ == nullptr}, wanted))
      return false;
    combine(data + me_ * agreed_.bytes);
    wanted.clear();
    for (std::size_t member = 0; member < size_; ++member)
      wanted.push_back({static_cast<int>(member), 0, data + member * agreed_.bytes});
    return exchange(team_, agreed_, "allreduce", Flow::among_all,
                    {.data = scratch(0), .blocks = 1, .by_rounds = reduction_.has_failed()},
                    wanted);
  }

 private:
  [[nodiscard]] std::byte* scratch(std::size_t member) const {
    return scratch_.get() + member * agreed_.bytes;
  }
  /// This member's block of all, in team order, at the beginning of the scratch.
  void combine(const std::byte* own) {
    std::memcpy(scratch(me_), own, agreed_.bytes);
    for (std::size_t member = 1; member < size_; ++member)
      reduction_.combine(scratch(0), scratch(member), block_, reduction_.op);
  }

  TeamState& team_;
  const GuardedReduction& reduction_;
  const std::size_t size_, me_, block_;
  const TeamState::Agreed agreed_;
  const std::unique_ptr<std::byte[]> scratch_;
};

}  // namespace

std::size_t allreduce_exposed(TeamState& team, std::byte* data, const GuardedReduction& reduction) {
  const auto size = static_cast<std::size_t>(team.size());
  const std::size_t element = reduction.element_bytes;
  const std::size_t most = std::max(at_once / size, block_min) / element;
  const std::size_t times = (reduction.count + size * most - 1) / (size * most);
  const std::size_t block = times == 0 ? 0 : reduction.count / (size * times);
  if (team.proxy().is_far() || wait::CostModel::of_job() != nullptr || size == 1 ||
      block * element < block_min)
    return 0;
  ExposedAllreduce each(team, reduction, block);
  std::size_t done = 0;
  while (done < times * size * block && each.run(data + done * element)) done += size * block;
  return done;
}

}  // namespace armature::team
