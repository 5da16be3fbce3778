// Each variable is read where it is needed, and most are by some ways of starting alone. A value
// that makes no sense is the user's mistake in all of them. It would else come to light on the day
// when the program is started in another way.
#include "world/variables.hpp"

#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "armature/balance.hpp"
#include "base/fail.hpp"
#include "base/variable.hpp"
#include "bootstrap/environment.hpp"
#include "bootstrap/start_timeout.hpp"
#include "copies/choice.hpp"
#include "engines/load.hpp"
#include "image/copies.hpp"
#include "net/server_way.hpp"
#include "rmi/settings.hpp"
#include "team/learned.hpp"
#include "transport/limits.hpp"
#include "world/wired_job.hpp"

namespace armature {
namespace {

void require_sense_of_collectives() {
  const char* const name = std::getenv(team::collectives_variable);
  if (name != nullptr && name != std::string_view("adaptive") && !team::way_named(name))
    base::fail(Errc::start,
               fmt::format("{}={}: it can be usual, adaptive, rounds, halving or doubling",
                           team::collectives_variable, name));
}

}  // namespace

void require_sense_of_variables() {
  for (const char* name :
       {"ARMATURE_CHECK", "ARMATURE_RACES", "ARMATURE_REPRODUCIBLE", "ARMATURE_BALANCE",
        "ARMATURE_STACK_SIZE", "ARMATURE_BASE", "ARMATURE_SEGMENT_SIZE", "ARMATURE_NET_SEGMENT"})
    (void)base::number_variable(name);
  (void)base::number_variable("ARMATURE_BAND_SIZE");  // deprecated
  for (const char* name : {bootstrap::checkpoint_every_variable, bootstrap::copy_every_variable,
                           bootstrap::rebalance_every_variable, "ARMATURE_NET_HEARTBEAT",
                           "ARMATURE_NET_CONNECT_TIMEOUT"})
    (void)base::duration_variable(name);
  if (const char* const name = std::getenv(bootstrap::rebalance_by_variable))
    (void)balance::strategy(name);
  require_sense_of_collectives();
  (void)bootstrap::start_timeout();
  (void)transport::Limits::get();
  (void)transport::engine_wanted();
  (void)net::choose_server(1, 1);
  (void)copies::wanted_way();
  (void)rmi::settings_at_start(false);
  (void)image::globals_are_private();
  (void)on_death_wanted();
  (void)threads_wanted();
}

}  // namespace armature
