#include "wait/cost_model.hpp"

#include <time.h>

#include <cerrno>
#include <cmath>

#include <fmt/format.h>

#include "armature/compute.hpp"
#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "races/races.hpp"
#include "wait/poller.hpp"
#include "wait/rank_context.hpp"

namespace armature {
namespace wait {

void CostModel::set_of_job(CostModel* model) {
  base::note_extra();
  base::state<OfJob>().model = model;
}

bool completes_later_with_extras() {
  return poller() != nullptr || CostModel::of_job() != nullptr || races::looks();
}

}  // namespace wait

void compute(double seconds) {
  constexpr double most_s = 1e9;
  if (!(seconds >= 0 && seconds <= most_s))
    base::fail(Errc::bad_argument,
               fmt::format("compute: {} seconds are not possible: 0 to {:g} are", seconds, most_s));
  if (wait::CostModel* const model = wait::CostModel::of_job(); model != nullptr) {
    if (wait::current_rank() != nullptr) model->compute(seconds);
    return;
  }
  const double whole = std::floor(seconds);
  timespec left{static_cast<time_t>(whole), static_cast<long>((seconds - whole) * 1e9)};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

}  // namespace armature
