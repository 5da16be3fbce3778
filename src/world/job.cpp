#include "world/job.hpp"

#include <unistd.h>

#include <cstdio>

#include <fmt/format.h>

#include "armature/error.hpp"
#include "bootstrap/join_once.hpp"
#include "fibers/rank_locals.hpp"
#include "fibers/rank_services.hpp"
#include "net/network.hpp"
#include "team/team_state.hpp"
#include "wait/cost_model.hpp"
#include "wait/wait.hpp"
#include "world/look_for_races.hpp"
#include "world/rank_modules.hpp"
#include "world/world_of.hpp"

namespace armature {
namespace {

using space::AddressSpace;
using space::Life;

/// Gets with implicit handle end with their rank, whose thread alone can wait for them. Nobody asks
/// any more how they went.
void end_gets(wait::RankContext& me) {
  if (!wait::completes_later()) return;
  try {
    wait::implicit_of(me).wait();
  } catch (const Error&) {
  }
}

/// A module that nobody has waited for may not have ended, and nobody knows what it has thrown.
void say_left_modules(const wait::RankContext& me) {
  if (me.modules == nullptr) return;
  const int left = static_cast<const hosting::RankModules&>(*me.modules).left();
  if (left == 0) return;
  std::fputs(fmt::format("armature: rank {} ends, and {} of its modules {} never been waited for: "
                         "it may not be done, and what it has thrown is lost (Module::wait, "
                         "ARMCIX_Module_wait)\n",
                         static_cast<int>(me.space.me()), left, left == 1 ? "has" : "have")
                 .c_str(),
             stderr);
}

/// The last barrier of a job that goes on without its dead: nobody leaves whom others may still
/// need.
void wait_for_survivors(AddressSpace& space) {
  wait::WaitFor wait{.what = space::Awaiting::exit, .is_notified = false, .call = "finalize"};
  wait::wait_until(wait, [&] {
    for (int r = 0; r < space.ranks(); ++r) {
      const Life life = space.slot(r).life.load(std::memory_order_acquire);
      if (life == Life::starting || life == Life::running) return false;
    }
    return true;
  });
}

}  // namespace

Job::Job(AddressSpace& space, wait::Scheduler* scheduler, transport::FaultModel* fault_model)
    : context_(space) {
  context_.scheduler = scheduler;
  context_.fault_model = fault_model;
  wait::implicit_slot.put(context_.slots, &implicit_);
  team::teams_slot.put(context_.slots, &teams_);
  space::RankSlot& slot = space.slot(space.me());
  // A virtual one may have moved before it begins.
  if (slot.tid.exchange(gettid(), std::memory_order_relaxed) != 0 && scheduler == nullptr)
    bootstrap::refuse_to_join_twice("rank", space.me());
  slot.pid.store(getpid(), std::memory_order_relaxed);
  wait::set_this_rank(&context_);
  Team all(std::make_shared<detail::TeamState>(space, space.world_block(), space.me()));
  world_ = std::make_unique<World>(all);
  hosting::world_slot.put(context_.slots, world_.get());
  endpoint_ = std::make_unique<rmi::Endpoint>(
      context_, rmi::settings_at_start(scheduler != nullptr), std::move(all));
  rmi::endpoint_slot.put(context_.slots, endpoint_.get());
  context_.add(*endpoint_);
  context_.sender = &endpoint_->context().sender;
  wait::set_this_rank(&context_);
  endpoint_->service().start();
  slot.life.store(Life::running, std::memory_order_release);
  look_for_races(*world_, space);
}

void Job::leave() {
  AddressSpace& space = context_.space;
  space::RankSlot& slot = space.slot(space.me());
  slot.life.store(Life::leaving, std::memory_order_release);
  if (net::Network* const net = net::network()) net->peers().tell_life(space.me(), Life::leaving);
  try {
    world_->checked("finalize").round({detail::TeamState::Kind::leaving}, 0, "finalize");
    endpoint_->fences().wait(*world_, "finalize");  // what was called last is executed, too
  } catch (const Error& error) {
    if (error.code() != Errc::rank_lost) throw;
    wait_for_survivors(space);
  }
  say_left_modules(context_);
  end_gets(context_);
  space.local().end_promises();
  slot.life.store(Life::finished, std::memory_order_release);
  space.header().gone.left.fetch_add(1, std::memory_order_release);
  if (net::Network* const net = net::network()) net->peers().tell_life(space.me(), Life::finished);
}

Job::~Job() {
  fibers::end_rank_locals(context_);
  endpoint_->methods().end();
  endpoint_->service().end();  // what it still executes may be of a service
  fibers::forget_in_services(context_.space.me());
  context_.remove(*endpoint_);
  rmi::endpoint_slot.put(context_.slots, nullptr);
  context_.sender = nullptr;
  wait::set_this_rank(&context_);  // objects that are destroyed now cannot call any more
  endpoint_.reset();
  world_.reset();
  wait::set_this_rank(nullptr);
}

}  // namespace armature
