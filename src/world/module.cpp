#include "armature/module.hpp"

#include <cstddef>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "wait/wait.hpp"
#include "world/rank_modules.hpp"

namespace armature {

namespace detail {

struct ModuleState {
  ModuleState(Team team, std::function<void(World&)> the_body)
      : world(std::move(team)), body(std::move(the_body)) {}

  World world;
  std::function<void(World&)> body;
  hosting::ModuleFlow* flow = nullptr;
  std::exception_ptr failure;
  bool has_ended = false;
  int exceptions = std::uncaught_exceptions();
};

}  // namespace detail

namespace {

using detail::ModuleState;
using hosting::RankModules;

RankModules& modules_of(wait::RankContext& rank) {
  return static_cast<RankModules&>(*rank.modules);
}

/// All that happens on a module's stack.
void live(void* argument) {
  auto& state = *static_cast<ModuleState*>(argument);
  try {
    state.body(state.world);
  } catch (...) {
    state.failure = std::current_exception();
  }
  state.body = nullptr;
  state.has_ended = true;
  modules_of(wait::this_rank("a module")).end();
}

void wait_for_end(ModuleState& state) {
  wait::RankContext& rank = wait::this_rank("Module::wait");
  if (!state.has_ended && !rank.modules->may_switch())
    base::fail(Errc::misuse,
               "Module::wait: called inside a remote method or a continuation, while which no "
               "module goes on");
  wait::WaitFor wait{.what = space::Awaiting::completion, .call = "Module::wait"};
  wait::wait_until(wait, [&] { return state.has_ended; });
  RankModules& modules = modules_of(rank);
  modules.give_up(*std::exchange(state.flow, nullptr));
  // A method may run on that very stack, and while others are looked at.
  if (!modules.may_switch()) return;
  while (hosting::ModuleFlow* const one = modules.find_given_up())
    state.world.free_local_bytes(Rank(rank.space.me()), modules.remove(*one));
  if (!modules.are_over()) return;
  delete rank.modules;
  rank.modules = nullptr;
}

/// Ends the program with the message of the exception, as one that leaves a thread does.
void rethrow_uncaught(const std::exception_ptr& failure) noexcept {
  std::rethrow_exception(failure);
}

}  // namespace

Module::Module() noexcept = default;
Module::Module(std::unique_ptr<ModuleState> state) : state_(std::move(state)) {}
Module::Module(Module&& other) noexcept = default;

Module& Module::operator=(Module&& other) noexcept {
  const Module old(std::move(*this));
  state_ = std::move(other.state_);
  return *this;
}

Module::~Module() {
  if (state_ == nullptr) return;
  if (std::uncaught_exceptions() != state_->exceptions) {
    (void)state_.release();  // it may still run
    return;
  }
  wait_for_end(*state_);
  if (state_->failure != nullptr) rethrow_uncaught(state_->failure);
}

bool Module::has_ended() const { return state_ == nullptr || state_->has_ended; }

void Module::wait() {
  if (state_ == nullptr) base::fail(Errc::misuse, "Module::wait: there is no module, or no more");
  std::unique_ptr<ModuleState> state = std::move(state_);
  try {
    wait_for_end(*state);
  } catch (...) {
    // A module that has not ended stands in it, and may be waited for again.
    if (!state->has_ended) *this = Module(std::move(state));
    throw;
  }
  if (state->failure != nullptr) std::rethrow_exception(state->failure);
}

Module start_module(const Team& team, std::function<void(World&)> f, std::size_t stack_bytes) {
  constexpr const char* name = "start_module";
  constexpr std::size_t stack_min = 16 << 10;
  if (stack_bytes < stack_min)
    base::fail(Errc::bad_argument, fmt::format("{}: a stack of {} bytes is too small: at least {}",
                                               name, stack_bytes, stack_min));
  (void)team.checked(name);
  wait::RankContext& rank = wait::this_rank(name);
  if (!wait::runs_rank() || (rank.sender != nullptr && rank.sender->level > 0))
    base::fail(Errc::misuse, fmt::format("{}: called inside a remote method, or by a thread that "
                                         "the program has started",
                                         name));
  auto state = std::make_unique<ModuleState>(team.duplicate(), std::move(f));
  auto* const stack =
      static_cast<std::byte*>(state->world.allocate_local_bytes_for_overwrite(stack_bytes, 64));
  if (rank.modules == nullptr) rank.modules = new RankModules(rank);
  state->flow = &modules_of(rank).add(stack, stack_bytes, state->world, live, state.get());
  return Module(std::move(state));
}

}  // namespace armature
