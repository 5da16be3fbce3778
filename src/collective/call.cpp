#include "collective/call.hpp"

#include <new>
#include <utility>

#include <fmt/format.h>

#include "armature/error.hpp"
#include "base/fail.hpp"
#include "message/label.hpp"
#include "team/pieces.hpp"
#include "team/team_state.hpp"
#include "wait/cost_model.hpp"
#include "wait/request.hpp"
#include "wait/wait.hpp"

namespace armature::collective {

Call::Call(const Team& team, const char* name) : team_(team), name_(name) {
  const armature::detail::TeamState& state = team.checked(name);
  if (state.id() >= message::context::first_of_collectives)
    base::fail(
        Errc::out_of_memory,
        fmt::format("{}: team {} has no messages of its own: 2^31 teams do", name, state.id()));
  members_ = {state.rank(), state.size()};
}

int Call::nodes() const {
  if (wait::CostModel::of_job() != nullptr) return team_.size();
  const team::Proxy& proxy = team_.state()->proxy();
  return proxy.is_far() ? static_cast<int>(proxy.nodes().size()) : 1;
}

bool Call::is_reproducible() const {
  return team_.state()->space().header().settings.reproducible != 0;
}

template <class Check>
void Call::require(Check&& check) const {
  try {
    check();
  } catch (const Error& error) {
    this_engine(name_).refuse(team_, error.code());
    throw;
  }
}

void Call::require_root(int root) const {
  require([&] { armature::detail::require_root(*team_.state(), root, name_); });
}

void Call::require_counts(std::span<const std::size_t> counts, std::size_t bytes_each) const {
  require([&] {
    if (counts.size() != static_cast<std::size_t>(members_.size))
      base::fail(Errc::bad_argument,
                 fmt::format("{}: {} counts for {} members", name_, counts.size(), members_.size));
    std::size_t all = 0, bytes = 0;
    for (const std::size_t count : counts)
      if (__builtin_mul_overflow(count, bytes_each, &bytes) ||
          __builtin_add_overflow(all, bytes, &all))
        base::fail(Errc::bad_argument, fmt::format("{}: the counts overflow", name_));
  });
}

void Call::require_own_block(std::size_t bytes_from, std::size_t bytes_to) const {
  require([&] {
    if (bytes_from != bytes_to)
      base::fail(Errc::bad_argument,
                 fmt::format("{}: the member's own block has {} bytes where it comes from and {} "
                             "where it goes",
                             name_, bytes_from, bytes_to));
  });
}

std::unique_ptr<Operation> Call::make(Buffers buffers, Operator with) {
  schedule_->end();
  return std::make_unique<Operation>(this_engine(name_), team_, schedule_, std::move(buffers),
                                     std::move(with), name_);
}

Handle Call::start(Buffers buffers, Operator with) {
  Engine& engine = this_engine(name_);
  wait::require_turn(engine.rank(), name_);
  std::unique_ptr<Operation> operation;
  try {
    operation = make(std::move(buffers), std::move(with));
  } catch (const Error& error) {
    engine.refuse(team_, error.code());
    throw;
  } catch (const std::bad_alloc&) {
    engine.refuse(team_, Errc::out_of_memory);
    throw;
  }
  return engine.start(std::move(operation));
}

std::unique_ptr<Operation> Call::prepare(Buffers buffers, Operator with) {
  auto operation = make(std::move(buffers), std::move(with));
  operation->keep_to_caller();
  operation->open_mailboxes();
  return operation;
}

void Call::run(std::unique_ptr<Operation> prepared) {
  Operation& running = *prepared;
  Handle handle = this_engine(name_).start(std::move(prepared));
  if (handle.is_empty()) return;
  wait::WaitFor wait{.what = space::Awaiting::collective,
                     .team = team_.state()->id(),
                     .is_notified = false,
                     .call = name_};
  wait::wait_until(wait, [&] { return running.is_complete(running); });
  handle.wait();  // throws what went wrong
}

std::vector<std::size_t> offsets_of(std::span<const std::size_t> counts, std::size_t bytes_each) {
  std::vector<std::size_t> offsets{0};
  offsets.reserve(counts.size() + 1);
  for (const std::size_t count : counts) offsets.push_back(offsets.back() + count * bytes_each);
  return offsets;
}

std::vector<std::size_t> equal_offsets(int members, std::size_t block) {
  return offsets_of(std::vector<std::size_t>(static_cast<std::size_t>(members), block), 1);
}

}  // namespace armature::collective
