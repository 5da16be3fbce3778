#include "team/death_watch.hpp"

#include <fmt/format.h>

#include "base/fail.hpp"
#include "team/dead_ranks.hpp"

namespace armature::team {

int DeathWatch::first_dead() const {
  const int member = team::first_dead(job_, members_.ranks());
  return member >= 0 ? member : team::first_dead(job_, makers_);
}

void DeathWatch::require_all_alive(const char* call) const {
  if (const int dead = first_dead(); dead >= 0)
    base::fail(Errc::rank_lost, fmt::format("{}: rank {} has died", call, dead));
}

/// Between nodes news of a death may overtake what the dead has done before: who has heard of it
/// gives up a round that others know to be complete, and these would wait for it in the next one;
/// or it tells nobody any more that others of its node have entered. The round that ends the making
/// of a team goes by deaths alone. Whether it is complete is looked at last: on a node, who gave up
/// a round after it has seen that it is, so who acquires the mark sees it, too.
bool DeathWatch::round_will_not_be_complete() const {
  const bool is_being_made = lines_.round() == 1 && has_makers();
  return (is_being_made || lines_.somebody_has_given_up()) && first_dead() >= 0 &&
         !lines_.have_all_entered();
}

int DeathWatch::ends_fences() const {
  if (!must_look()) return -1;
  if (lines_.somebody_has_given_up()) return first_dead();
  return is_far_ ? team::first_dead(job_, members_.ranks()) : -1;
}

}  // namespace armature::team
