#include "armature/plan_together.hpp"

#include <exception>

#include <fmt/format.h>

#include "base/fail.hpp"

namespace armature {
namespace {

/// What member 0 tells the others.
struct Decision {
  balance::Verdict verdict;
  bool failed = false;
};

}  // namespace

balance::Verdict plan_together(const Team& team, const char* call,
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
  decision = team.broadcast(decision, 0);
  if (failure != nullptr) std::rethrow_exception(failure);
  if (decision.failed)
    base::fail(Errc::bad_argument, fmt::format("{}: rank {} could not make a plan, and says why",
                                               call, static_cast<int>(team.world_rank(0))));
  return decision.verdict;
}

}  // namespace armature
