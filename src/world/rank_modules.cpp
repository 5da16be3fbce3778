#include "world/rank_modules.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "armature/run.hpp"
#include "rmi/endpoint.hpp"
#include "world/world_of.hpp"

namespace armature::hosting {
namespace {

// At the lower end of a stack: a module that needs more writes over it.
constexpr std::uint64_t mark = 0x5a5af00df00d5a5a;

/// A rank that sleeps is notified for what every module waits for, or looks by itself.
wait::WaitFor rank_wait(const wait::WaitFor& mine, const ModuleFlow& first) {
  wait::WaitFor wait = mine;
  wait.word = nullptr;
  const ModuleFlow* one = &first;
  do {
    if (one->wait != nullptr && (!one->wait->is_notified || one->wait->word != nullptr))
      wait.is_notified = false;
    one = one->next;
  } while (one != &first);
  return wait;
}

}  // namespace

bool ModuleFlow::look() {
  if (holds) return true;
  try {
    holds = ready(condition);
  } catch (...) {
    failure = std::current_exception();
    holds = true;
  }
  return holds;
}

bool ModuleFlow::has_lost_rank(const space::AddressSpace& space) {
  if (wait == nullptr) return false;
  wait::Latched sees_it([](void* one) { return static_cast<ModuleFlow*>(one)->look(); }, this);
  try {
    gone.check(space, *wait, sees_it);
  } catch (...) {
    failure = std::current_exception();
    holds = true;
  }
  return holds;
}

bool ModuleFlow::can_go_on() { return wait == nullptr || look(); }

bool RankModules::may_switch() const {
  if (rank_waits_) return false;
  armature::detail::Sender* const sender = rank_.sender;
  if (sender == nullptr) return true;
  return sender->level == 0 && rmi::Endpoint::of(*sender).context().own_continuing == 0;
}

ModuleFlow& RankModules::add(std::byte* stack, std::size_t bytes, World& world, void (*body)(void*),
                             void* argument) {
  // The record lies above the stack, so that one that is too small is found by it.
  constexpr std::size_t line = 64;
  static_assert(alignof(ModuleFlow) <= line);
  std::memcpy(stack, &mark, sizeof mark);
  const std::size_t record = (bytes - sizeof(ModuleFlow)) / line * line;
  auto* const module = new (stack + record) ModuleFlow(stack + line, record - line, body, argument);
  module->stack = stack;
  module->world = &world;
  // Last of those that wait for their turn.
  ModuleFlow* before = running_;
  while (before->next != running_) before = before->next;
  module->next = std::exchange(before->next, module);
  return *module;
}

void RankModules::require_stack() const {
  std::uint64_t found = mark;
  if (running_->stack != nullptr) std::memcpy(&found, running_->stack, sizeof found);
  if (found == mark) return;
  armature::abort(1, "a module needs more stack than it has: give start_module more");
}

void RankModules::switch_to(ModuleFlow& next) {
  require_stack();
  ModuleFlow& me = *running_;
  me.world = world_slot.in(rank_.slots);
  world_slot.put(rank_.slots, next.world);
  running_ = &next;
  me.flow.leave_for(next.flow);
}

ModuleFlow* RankModules::find_ready() {
  for (ModuleFlow* one = running_->next; one != running_; one = one->next)
    if (one->can_go_on()) return one;
  return nullptr;
}

/// One that waits for a rank that has gone. The rank itself knows of one module's wait only.
ModuleFlow* RankModules::find_lost() {
  ModuleFlow* one = running_;
  do {
    if (one->has_lost_rank(rank_.space)) return one;
    one = one->next;
  } while (one != running_);
  return nullptr;
}

void RankModules::wait(wait::WaitFor& wait, wait::detail::Ready ready, void* condition) {
  require_stack();
  ModuleFlow& me = *running_;
  me.wait = &wait;
  me.ready = ready;
  me.condition = condition;
  me.holds = false;
  me.gone = {};
  const struct Waits {
    RankModules& modules;
    ModuleFlow& me;
    ~Waits() {
      modules.rank_waits_ = false;
      me.wait = nullptr;
    }
  } waits{*this, me};
  rank_waits_ = true;  // what conditions do is no module's
  while (!me.look()) {
    ModuleFlow* next = find_ready();
    if (next == nullptr) next = &wait_for_any(wait);
    if (next == &me) continue;
    rank_waits_ = false;
    switch_to(*next);
    rank_waits_ = true;
  }
  if (me.failure != nullptr) std::rethrow_exception(std::exchange(me.failure, nullptr));
}

// The one whose condition holds goes on before any other: it may have found room, which another one
// would take.
ModuleFlow& RankModules::wait_for_any(const wait::WaitFor& mine) {
  wait::WaitFor wait = rank_wait(mine, *running_);
  struct Looking {
    RankModules& modules;
    ModuleFlow* found = nullptr;
    std::uint32_t looks = 0;
    std::uint64_t gone = 0;  // ranks, as far as was looked for those who wait for them

    bool look() {
      const std::atomic<std::uint64_t>& done = modules.rank_.done;
      std::uint64_t before = 0;
      // A look may execute calls, which make true what was looked at before it.
      do {
        before = done.load(std::memory_order_relaxed);
        found = modules.running_->look() ? modules.running_ : modules.find_ready();
      } while (found == nullptr && done.load(std::memory_order_relaxed) != before);
      if (found == nullptr && is_time_for_lost()) found = modules.find_lost();
      return found != nullptr;
    }
    /// When more have gone, and then now and then: their last records may still come.
    bool is_time_for_lost() {
      const auto& all = modules.rank_.space.header().gone;
      const std::uint64_t now = std::uint64_t{all.left.load(std::memory_order_acquire)} +
                                all.deaths.load(std::memory_order_acquire);
      return std::exchange(gone, now) != now || (now != 0 && ++looks % 16 == 0);
    }
  } looking{*this};
  wait::detail::wait_for_rank(
      wait, [](void* what) { return static_cast<Looking*>(what)->look(); }, &looking);
  return *looking.found;
}

void RankModules::yield() {
  rank_waits_ = true;
  ModuleFlow* const next = find_ready();
  rank_waits_ = false;
  if (next != nullptr) switch_to(*next);
}

void RankModules::end() {
  wait::WaitFor never{.what = space::Awaiting::completion, .call = "the end of a module"};
  wait(
      never, [](void*) { return false; }, nullptr);
  std::abort();  // it does not return
}

void RankModules::give_up(ModuleFlow& module) {
  module.is_given_up = true;
  // It may be the one that waits for the rank, with a method on top.
  if (running_ == &module) world_slot.put(rank_.slots, own_.world);
}

ModuleFlow* RankModules::find_given_up() {
  for (ModuleFlow* one = own_.next; one != &own_; one = one->next)
    if (one->is_given_up) return one;
  return nullptr;
}

int RankModules::left() const {
  int count = 0;
  for (const ModuleFlow* one = own_.next; one != &own_; one = one->next)
    if (!one->is_given_up) ++count;
  return count;
}

std::byte* RankModules::remove(ModuleFlow& module) {
  ModuleFlow* before = &module;
  while (before->next != &module) before = before->next;
  before->next = module.next;
  std::byte* const stack = module.stack;
  module.~ModuleFlow();
  return stack;
}

}  // namespace armature::hosting
