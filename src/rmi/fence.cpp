#include "rmi/fence.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "team/team_state.hpp"
#include "wait/cost_model.hpp"
#include "wait/notifier.hpp"
#include "wait/ordered.hpp"
#include "wait/wait.hpp"

namespace armature::rmi {

using detail::FutureState;
using space::FenceLine;

namespace {

/// Settled by advance(), which deliver() calls: poll() runs nothing.
class FenceFuture final : public FutureState<void> {
 public:
  [[nodiscard]] bool comes_from_outside() const override { return true; }  // as its loss does
  [[nodiscard]] Rank awaited() const override {
    return settled() || fence == nullptr ? Rank::none() : Rank(fence->awaited());
  }

  const Fences::OfTeam* fence = nullptr;
};

/// The cost of the wave in a simulation that predicts times: each member tells all of its tally.
wait::RoundCost cost_of_wave(const Fences::OfTeam& fence) {
  return {.team = fence.block->fence_lines(),
          .round = fence.termination.wave(),
          .member = static_cast<std::size_t>(fence.me),
          .ranks = {fence.block->ranks(), fence.block->size}};
}

/// Whether tallies of the wave may be read: false in such a simulation while they are on their way.
bool have_come(const Fences::OfTeam& fence) {
  const wait::CostModel* const model = wait::CostModel::of_job();
  return model == nullptr || model->has_heard(cost_of_wave(fence));
}

}  // namespace

int Fences::OfTeam::awaited() const {
  const int member = by_sums && me == 0 ? gathered_from : termination.awaited();
  const detail::TeamState* const state = team.state().get();
  if (const int dead = state != nullptr ? state->deaths().ends_fences() : -1; dead >= 0)
    return dead;
  return block->ranks()[static_cast<std::uint32_t>(member) % block->size];
}

Fences::OfTeam& Fences::enter_one(const Team& team, std::shared_ptr<FutureState<void>> future,
                                  const char* call) {
  if (context_.in_method())
    base::fail(
        Errc::misuse,
        fmt::format("{}: called inside a remote method: the fence waits for that very method",
                    call));
  detail::TeamState& state = team.checked(call);
  std::unique_ptr<OfTeam>& fence = teams_[state.id()];
  // An id comes again when 2^32 teams were made.
  if (fence == nullptr || fence->block != &state.block()) {
    fence = std::make_unique<OfTeam>();
    fence->block = &state.block();
    fence->me = state.rank();
    // Each looks for itself whom it waits for where the job goes on without the dead.
    fence->by_sums = fence->block->size > space::TeamBlock::flat_max && !state.proxy().is_far() &&
                     space_.header().settings.on_death != space::OnDeath::go_on;
  }
  fence->team = team;
  ++fence->entered;
  fence->futures.push_back(std::move(future));
  if (!fence->termination.under_way()) begin(*fence);
  return *fence;
}

void Fences::begin(OfTeam& fence) {
  active_.push_back(&fence);
  fence.termination.begin();
  show(fence);
}

/// Whether this rank tells other nodes of waves, for its node.
bool Fences::tells(const OfTeam& fence) {
  const team::Proxy& proxy = fence.team.state()->proxy();
  return proxy.is_far() && proxy.waves_are_gathered() && proxy.leader() == fence.me;
}

void Fences::show(OfTeam& fence) {
  Tally tally;
  if (fence.team.size() == space_.ranks()) {
    tally = {outbox_.sent(), inbox_.executed()};
  } else {
    for (int i = 0; i < fence.team.size(); ++i) {
      const int rank = fence.block->ranks()[i];
      tally.sent += outbox_.sent(rank);
      tally.executed += inbox_.executed(rank);
    }
  }
  const std::uint64_t wave = fence.termination.wave();
  fence.executed[Termination::line_of(wave)] = inbox_.executed();
  FenceLine& line = fence.block->fence_line(static_cast<std::size_t>(fence.me), wave);
  line.sent.store(tally.sent, std::memory_order_relaxed);
  line.executed.store(tally.executed, std::memory_order_relaxed);
  // Release: who sees the wave sees its tally; and a tally of the next wave, sampled after this one
  // was seen complete, is sampled after every one of this wave.
  line.wave.store(wave, std::memory_order_release);
  if (wait::CostModel* const model = wait::CostModel::of_job(); model != nullptr) [[unlikely]]
    model->show(cost_of_wave(fence));
  if (fence.by_sums) {
    fence.gathered = {};
    fence.gathered_from = 0;
    return wait::notify(space_.slot(fence.block->ranks()[0]));
  }
  const team::Proxy& proxy = fence.team.state()->proxy();
  if (tells(fence))
    fence.team.state()->proxy().tell_wave(wave);
  else if (proxy.is_far() && !proxy.waves_are_gathered())
    proxy.send_wave(fence.me, wave);
  for (int i = 0; i < fence.team.size(); ++i)
    if (const int rank = fence.block->ranks()[i]; !proxy.is_far() || space_.is_here(rank))
      wait::notify(space_.slot(rank));
}

/// Returns what that member shows of that wave; in a large team what all together do. Nothing
/// before.
std::optional<Tally> Fences::look(const OfTeam& fence, int member, std::uint64_t wave) {
  const FenceLine& line = fence.by_sums
                              ? fence.block->sums[Termination::line_of(wave)]
                              : fence.block->fence_line(static_cast<std::size_t>(member), wave);
  if (line.wave.load(std::memory_order_acquire) < wave) return std::nullopt;
  return Tally{line.sent.load(std::memory_order_relaxed),
               line.executed.load(std::memory_order_relaxed)};
}

/// Member 0 of a large team reads the lines that have come. The sums of wave w - 2 are overwritten
/// when all have shown w, so all have seen those of w - 1.
void Fences::gather(OfTeam& fence) {
  space::TeamBlock& block = *fence.block;
  const std::uint64_t wave = fence.termination.wave();
  const auto size = static_cast<int>(block.size);
  if (fence.gathered_from == size) return;
  for (; fence.gathered_from < size; ++fence.gathered_from) {
    const FenceLine& line = block.fence_line(static_cast<std::size_t>(fence.gathered_from), wave);
    // Acquire, and release below: who sees the sums sees what each of these members has released.
    if (line.wave.load(std::memory_order_acquire) < wave) return;
    fence.gathered.sent += line.sent.load(std::memory_order_relaxed);
    fence.gathered.executed += line.executed.load(std::memory_order_relaxed);
  }
  FenceLine& sums = block.sums[Termination::line_of(wave)];
  sums.sent.store(fence.gathered.sent, std::memory_order_relaxed);
  sums.executed.store(fence.gathered.executed, std::memory_order_relaxed);
  sums.wave.store(wave, std::memory_order_release);
  for (int i = 1; i < size; ++i) wait::notify(space_.slot(block.ranks()[i]));
}

void Fences::advance_one(OfTeam& fence) {
  Termination& termination = fence.termination;
  while (termination.under_way()) {
    if (fence.by_sums && fence.me == 0) gather(fence);
    if (!have_come(fence)) return;
    const auto read = [&](int member, std::uint64_t wave) { return look(fence, member, wave); };
    const int lines = fence.by_sums ? 1 : fence.team.size();
    const std::uint64_t wave = termination.wave();
    const Termination::Step step = termination.advance(lines, read);
    // The team is told after that: when the wave is complete all is told of it before this rank
    // goes on.
    if (tells(fence)) fence.team.state()->proxy().tell_wave(wave);
    switch (step) {
      case Termination::Step::wait:
        return;
      case Termination::Step::show:
        show(fence);
        context_.made_progress();
        // Requests still to be executed must have their turn: a lone member sees each of its own
        // waves at once, and would show one after the other for ever.
        return;
      case Termination::Step::miscounted:
        base::fail(Errc::corrupt, "rmi_fence: more requests executed than sent");
      case Termination::Step::finished: {
        ++fence.over;
        const auto future = std::move(fence.futures.front());
        fence.futures.pop_front();
        std::erase(active_, &fence);
        // rmi_wait counts from here. What this rank has executed since it showed the tally of the
        // wave before came from ranks that have left the fence already.
        inbox_.count_as_waited(fence.executed[Termination::line_of(termination.wave() - 1)]);
        if (fence.futures.empty())
          fence.team = {};  // may go; the waves go on when there is another fence
        else
          begin(fence);
        if (future != nullptr) {
          future->set({});
          future->run_continuations();
        }
      }
    }
  }
}

void Fences::advance_all() {
  // The loop goes by index: one that is over leaves the list, and its continuations may enter
  // others. A fence that is passed over has its turn the next time.
  for (std::size_t i = 0; i < active_.size(); ++i) advance_one(*active_[i]);
}

void Fences::wait(const Team& team, const char* call) {
  EndpointContext::Use in_use = context_.use();
  OfTeam& fence = enter_one(team, nullptr, call);
  const std::uint64_t mine = fence.entered;
  if (in_use.owns_lock()) in_use.unlock();
  wait::WaitFor wait{
      .what = space::Awaiting::fence, .team = fence.block->id, .object = fence.block, .call = call};
  wait::wait_until(wait, [&] {
    context_.endpoint.deliver();
    const EndpointContext::Use looking = context_.use();
    wait.peer = fence.awaited();
    wait.detail = fence.termination.wave();
    return fence.over >= mine;
  });
  wait::hear_from(-1);
}

void Fences::forget_teams() {
  ARMATURE_ASSERT(active_.empty());
  std::erase_if(teams_, [](const auto& team) { return team.first != 0; });
}

bool Fences::can_advance(const OfTeam& fence) {
  const Termination& termination = fence.termination;
  const std::uint64_t wave = termination.wave();
  if (look(fence, termination.awaited(), wave)) return have_come(fence);
  if (fence.by_sums && fence.me == 0 && fence.gathered_from < static_cast<int>(fence.block->size)) {
    const auto next = static_cast<std::size_t>(fence.gathered_from);
    return fence.block->fence_line(next, wave).wave.load(std::memory_order_acquire) >= wave;
  }
  return tells(fence) && fence.team.state()->proxy().may_tell_wave(wave);
}

bool Fences::can_advance() const {
  return std::any_of(active_.begin(), active_.end(),
                     [](const OfTeam* fence) { return can_advance(*fence); });
}

future<void> Fences::enter(const Team& team) {
  const EndpointContext::Use in_use = context_.use();
  auto state = std::make_shared<FenceFuture>();
  state->fence = &enter_one(team, state, "fence_async");
  return future<void>(state);
}

}  // namespace armature::rmi
