// The compiled half of armature/rmi.hpp and armature/shared.hpp.
#include "armature/rmi.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "progress/wait.hpp"
#include "rmi/endpoint.hpp"
#include "team/team_state.hpp"

namespace armature {

using rmi::this_endpoint;

// -- objects
// ------------------------------------------------------------------------------------------

namespace detail {

ObjectId register_object(void* object) {
  return this_endpoint("register an object").objects().add(object);
}

void unregister_object(ObjectId id) noexcept {
  if (sender != nullptr) this_endpoint("unregister an object").objects().remove(id);
}

// All members must know the object by the same number: the largest that one of them would give it.
// The generation comes from the team: a rank outside it does not take the reference for one to
// another object that has this place there. The second round makes sure that nobody calls the
// object before everybody has it.
ObjectId register_shared(const Team& team, void* object) {
  rmi::Endpoint& endpoint = this_endpoint("shared");
  const std::uint32_t id_of_team = team.checked("shared").id();
  const std::uint32_t index = team.allreduce(endpoint.objects().next_shared(), Maximum());
  const ObjectId id{index, static_cast<std::uint16_t>(id_of_team ^ (id_of_team >> 16))};
  endpoint.objects().add_at(id, object, team);
  team.barrier();
  return id;
}

void unregister_shared(ObjectId id) {
  if (sender == nullptr) return;
  rmi::Endpoint& endpoint = this_endpoint("~shared");
  const rmi::Objects::Entry* entry = endpoint.objects().entry(id);
  if (entry == nullptr) return;
  const Team team = entry->team;
  try {
    endpoint.fences().wait(team, "~shared");
  } catch (const Error& error) {
    // Nobody is left to wait for.
    if (error.code() != Errc::rank_lost) throw;
  }
  endpoint.objects().remove(id);
}

void* find_object(ObjectId id) { return this_endpoint("shared_ref").objects().find(id); }

void* local_object(ObjectId id) {
  void* object = find_object(id);
  if (object == nullptr)
    base::fail(
        Errc::object_gone,
        fmt::format("shared_ref::local: object {} has no representative on this rank, or has "
                    "one no more",
                    id.index));
  return object;
}

const Team& team_of(ObjectId id) {
  const rmi::Objects::Entry* entry = this_endpoint("shared_ref::team").objects().entry(id);
  if (entry == nullptr || !entry->team)
    base::fail(
        Errc::object_gone,
        fmt::format("shared_ref::team: object {} is no shared object of a team that this rank is "
                    "a member of, or is one no more",
                    id.index));
  return entry->team;
}

ObjectId own(const Owned& owned) {
  rmi::Endpoint& endpoint = this_endpoint("make_remote");
  const ObjectId id = endpoint.objects().add(owned.object);
  endpoint.objects().own(id, owned.destroy);
  return id;
}

void disown(ObjectId id) { this_endpoint("destroy").objects().destroy(id); }

Rank my_rank(const char* call) { return this_endpoint(call).space().me(); }

}  // namespace detail

// -- order
// --------------------------------------------------------------------------------------------

void rmi_fence(const Team& team) { this_endpoint("rmi_fence").fences().wait(team, "rmi_fence"); }

void rmi_fence() {
  rmi::Endpoint& endpoint = this_endpoint("rmi_fence");
  endpoint.fences().wait(endpoint.everyone(), "rmi_fence");
}

future<void> fence_async(const Team& team) {
  return this_endpoint("fence_async").fences().enter(team);
}

void rmi_wait() {
  rmi::Endpoint& endpoint = this_endpoint("rmi_wait");
  const std::uint64_t wanted = ++endpoint.waited;
  progress::WaitFor wait{.what = space::Awaiting::request, .call = "rmi_wait"};
  progress::wait_until(wait, [&] {
    if (endpoint.executed() >= wanted) return true;
    endpoint.deliver();
    return endpoint.executed() >= wanted;
  });
}

void rmi_poll() {
  this_endpoint("rmi_poll").deliver();
  progress::let_others_run();
}

void on_async_error(AsyncErrorHandler handler) {
  this_endpoint("on_async_error").on_error = std::move(handler);
}

RmiSettings rmi_settings() { return this_endpoint("rmi_settings").settings(); }
void set_rmi_settings(const RmiSettings& settings) {
  this_endpoint("set_rmi_settings").set(settings);
}

}  // namespace armature
