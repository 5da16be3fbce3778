#include "harness/rank_threads.hpp"

#include "topology/cores.hpp"
#include "wait/rank_context.hpp"
#include "wait/wait.hpp"

namespace armature::harness {

RankThreads::RankThreads(std::uint32_t ranks)
    : job_(ranks, {.ranks_per_process = ranks,
                   .cores = static_cast<std::uint32_t>(topology::usable_cores())}) {
  wait::start_waiting(job_.header());
  for (std::uint32_t r = 0; r < ranks; ++r) spaces_.push_back(job_.address_space(Rank(r)));
}

void RankThreads::run_on_all(detail::Body body, void* callable) {
  wait::RankContext* const sole = wait::set_sole_rank(nullptr);
  hosting::run(spaces_, body, callable);
  wait::set_sole_rank(sole);
  wait::set_this_rank(sole);
}

}  // namespace armature::harness
