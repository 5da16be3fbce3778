// The compiled half of armature/rmi.hpp and armature/shared.hpp.
#include "armature/rmi.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "armature/collectives.hpp"
#include "armature/named_call.hpp"
#include "base/fail.hpp"
#include "rmi/endpoint.hpp"
#include "team/team_state.hpp"
#include "wait/wait.hpp"

namespace armature {

using rmi::endpoint_of_caller;
using rmi::this_endpoint;

// -- objects
// ------------------------------------------------------------------------------------------

namespace detail {

ObjectId register_object(void* object) {
  const rmi::CallBeside under_way("register an object");
  rmi::Endpoint& endpoint = endpoint_of_caller("register an object");
  const rmi::Endpoint::Use in_use = endpoint.use();
  return endpoint.objects().add(object);
}

namespace {

/// Returns when no method of the object is under way on another thread, nor queued. Inside methods
/// at once: one that ends its own object waits for no other.
void let_end(rmi::Endpoint& endpoint, const void* object) {
  const auto is_over = [&] {
    const rmi::Endpoint::Use looking = endpoint.use();
    return endpoint.context().in_method() || !endpoint.objects().is_under_way(object);
  };
  if (!rmi::executes_calls() || is_over()) return;
  const rmi::LetOthersCall concurrent_ones(endpoint.context());
  wait::WaitFor wait{.what = space::Awaiting::request, .is_notified = false, .call = "~registered"};
  wait::wait_until(wait, [&] {
    endpoint.deliver();
    return is_over();
  });
}

}  // namespace

void unregister_object(ObjectId id) noexcept {
  // The process may have left the job.
  std::optional<wait::ThreadCall> under_way;
  if (!rmi::executes_calls() && !under_way.emplace(std::nothrow).has_begun()) return;
  rmi::Endpoint* const endpoint = rmi::endpoint_of_caller();
  if (endpoint == nullptr) return;
  const void* object = nullptr;
  {
    const rmi::Endpoint::Use in_use = endpoint->use();
    object = endpoint->objects().find(id);
    endpoint->objects().remove(id);
  }
  if (object != nullptr) let_end(*endpoint, object);
}

// All members must know the object by the same number: the largest that one of them would give it.
// The generation comes from the team: a rank outside it does not take the reference for one to
// another object that has this place there. The second round makes sure that nobody calls the
// object before everybody has it.
ObjectId register_shared(const Team& team, void* object) {
  rmi::Endpoint& endpoint = this_endpoint("shared");
  const std::uint32_t id_of_team = team.checked("shared").id();
  const NamedCall named(team, UserCall::shared);
  const std::uint32_t next = [&] {
    const rmi::Endpoint::Use in_use = endpoint.use();
    return endpoint.objects().next_shared();
  }();
  const std::uint32_t index = allreduce(team, next, Maximum());
  const ObjectId id{index, static_cast<std::uint16_t>(id_of_team ^ (id_of_team >> 16))};
  std::exception_ptr failure;
  try {
    const rmi::Endpoint::Use in_use = endpoint.use();
    endpoint.objects().add_at(id, object, team);
  } catch (...) {
    failure = std::current_exception();
  }
  try {
    agree(team, "shared", failure);
  } catch (...) {
    unregister_object(id);
    throw;
  }
  return id;
}

void unregister_shared(ObjectId id) {
  if (!rmi::executes_calls()) return;
  rmi::Endpoint& endpoint = this_endpoint("~shared");
  Team team;
  {
    const rmi::Endpoint::Use in_use = endpoint.use();
    const rmi::Objects::Entry* entry = endpoint.objects().entry(id);
    if (entry == nullptr) return;
    team = entry->team;
  }
  try {
    endpoint.fences().wait(team, "~shared");
  } catch (const Error& error) {
    // Nobody is left to wait for.
    if (error.code() != Errc::rank_lost) throw;
  }
  const void* object = nullptr;
  {
    const rmi::Endpoint::Use in_use = endpoint.use();
    object = endpoint.objects().find(id);
    endpoint.objects().remove(id);
  }
  // A fence that deaths have ended has not waited for its methods.
  if (object != nullptr) let_end(endpoint, object);
}

void name_object(const std::string& name, ObjectId id) {
  const rmi::CallBeside under_way("registered");
  rmi::Endpoint& endpoint = endpoint_of_caller("registered");
  const rmi::Endpoint::Use in_use = endpoint.use();
  endpoint.objects().name(name, id);
}

namespace {
/// Runs where the object should be.
std::optional<ObjectId> look_up(std::string_view name) {
  return this_endpoint("find_remote").objects().named(std::string(name));
}
}  // namespace

ObjectId find_named(Rank rank, const std::string& name) {
  future<std::optional<ObjectId>> asked = ask(rank, &look_up, name);
  std::optional<ObjectId> found;
  wait::WaitFor wait{
      .what = space::Awaiting::name, .peer = rank, .is_notified = false, .call = "find_remote"};
  const auto part_of_name = [&](std::size_t at, auto& into) {
    if (at < name.size())
      std::memcpy(&into, name.data() + at, std::min(sizeof into, name.size() - at));
  };
  part_of_name(0, wait.object);
  part_of_name(sizeof wait.object, wait.detail);
  // Asked again until it is there: an object may be registered at any time.
  wait::wait_until(wait, [&] {
    if (!asked.test()) return false;
    found = asked.get();
    if (!found) asked = ask(rank, &look_up, name);
    return found.has_value();
  });
  return *found;
}

void* local_object(ObjectId id) {
  const rmi::CallBeside under_way("shared_ref::local");
  rmi::Endpoint& endpoint = endpoint_of_caller("shared_ref::local");
  const rmi::Endpoint::Use in_use = endpoint.use();
  void* object = endpoint.objects().find(id);
  if (object == nullptr)
    base::fail(
        Errc::object_gone,
        fmt::format("shared_ref::local: object {} has no representative on this rank, or has "
                    "one no more",
                    id.index));
  return object;
}

const Team& team_of(ObjectId id) {
  const rmi::CallBeside under_way("shared_ref::team");
  rmi::Endpoint& endpoint = endpoint_of_caller("shared_ref::team");
  const rmi::Endpoint::Use in_use = endpoint.use();
  const rmi::Objects::Entry* entry = endpoint.objects().entry(id);
  if (entry == nullptr || !entry->team)
    base::fail(
        Errc::object_gone,
        fmt::format("shared_ref::team: object {} is no shared object of a team that this rank is "
                    "a member of, or is one no more",
                    id.index));
  return entry->team;
}

ObjectId own(const Owned& owned) {
  const rmi::CallBeside under_way("make_remote");
  rmi::Endpoint& endpoint = endpoint_of_caller("make_remote");
  const rmi::Endpoint::Use in_use = endpoint.use();
  const ObjectId id = endpoint.objects().add(owned.object);
  endpoint.objects().own(id, owned.destroy);
  return id;
}

void disown(ObjectId id) {
  const rmi::CallBeside under_way("destroy");
  rmi::Endpoint& endpoint = endpoint_of_caller("destroy");
  const rmi::Endpoint::Use in_use = endpoint.use();
  endpoint.objects().destroy(id, endpoint.context().another_executes());
}

Rank my_rank(const char* call) {
  const rmi::CallBeside under_way(call);
  return endpoint_of_caller(call).space().me();
}

}  // namespace detail

// -- order
// --------------------------------------------------------------------------------------------

void rmi_fence(const Team& team) { this_endpoint("rmi_fence").fences().wait(team, "rmi_fence"); }

void rmi_fence() {
  rmi::Endpoint& endpoint = this_endpoint("rmi_fence");
  endpoint.fences().wait("rmi_fence");
}

future<void> fence_async(const Team& team) {
  return this_endpoint("fence_async").fences().enter(team);
}

void rmi_wait() {
  rmi::Endpoint& endpoint = this_endpoint("rmi_wait");
  const rmi::AnyMethodWaits hears_of_each(endpoint.methods());
  const rmi::Inbox::LeavesSoon leaves_soon(endpoint.inbox());
  const auto executed = [&endpoint] {
    const rmi::Endpoint::Use in_use = endpoint.use();
    return endpoint.inbox().executed();
  };
  const std::uint64_t wanted = [&endpoint] {
    const rmi::Endpoint::Use in_use = endpoint.use();
    return endpoint.inbox().await_one_more();
  }();
  const std::atomic<std::uint64_t>& done = endpoint.context().rank.done;
  wait::WaitFor wait{.what = space::Awaiting::request, .call = "rmi_wait"};
  wait::wait_until(wait, [&] {
    if (executed() >= wanted) return true;
    const std::uint64_t before = done.load(std::memory_order_relaxed);
    endpoint.deliver();
    // A call that is over counts as progress.
    return done.load(std::memory_order_relaxed) != before && executed() >= wanted;
  });
}

// A thread that the program has started looks at the network alone: it may make this call in a loop
// for a transfer, or for a message. What others need for that goes out.
void rmi_poll() {
  const rmi::CallBeside under_way("rmi_poll");
  if (rmi::executes_calls() || wait::runs_rank())
    this_endpoint("rmi_poll").poll();
  else
    wait::this_rank("rmi_poll").publish();
  wait::let_others_run();
}

void on_async_error(AsyncErrorHandler handler) {
  rmi::Endpoint& endpoint = this_endpoint("on_async_error");
  const rmi::Endpoint::Use in_use = endpoint.use();
  endpoint.failures().set_handler(std::move(handler));
}

RmiSettings rmi_settings() { return this_endpoint("rmi_settings").context().settings; }
void set_rmi_settings(const RmiSettings& settings) {
  this_endpoint("set_rmi_settings").set(settings);
}

}  // namespace armature
