#include "armature/decide_at_root.hpp"

#include <exception>

#include <fmt/format.h>

#include "armature/collectives.hpp"
#include "armature/plan_together.hpp"
#include "base/fail.hpp"

namespace armature {
namespace {

/// The decision that member 0 tells the others.
struct Decision {
  balance::Verdict verdict;
  bool failed = false;
};

}  // namespace

balance::Verdict decide_at_root(const Team& team, const char* call,
                                const std::function<balance::Verdict()>& make) {
  Decision decision;
  std::exception_ptr failure;
  if (team.rank() == 0) {
    try {
      decision.verdict = make();
    } catch (...) {
      failure = std::current_exception();
      decision.failed = true;
    }
  }
  decision = broadcast(team, decision, 0);
  if (failure != nullptr) std::rethrow_exception(failure);
  if (decision.failed)
    base::fail(Errc::bad_argument, fmt::format("{}: rank {} could not make a plan, and says why",
                                               call, static_cast<int>(team.world_rank(0))));
  return decision.verdict;
}

balance::Verdict plan_together(const Team& team, const char* call,
                               const std::function<balance::Verdict()>& make) {
  return decide_at_root(team, call, make);
}

}  // namespace armature
