#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "armature/mutex.hpp"
#include "armature/team.hpp"
#include "base/clock.hpp"
#include "base/fail.hpp"
#include "progress/lock.hpp"
#include "progress/rank_context.hpp"
#include "rma/far.hpp"
#include "team/team_state.hpp"

namespace armature {

using base::fail;
using progress::LockWord;

/// A mutex has a cache line of its own.
struct alignas(64) MutexLine {
  LockWord word{0};
};

struct Mutexes::State {
  std::shared_ptr<const detail::Allotment> allotment;
  int me = 0;

  [[nodiscard]] LockWord& word(int member, int index, const char* call) const {
    if (member < 0 || static_cast<std::size_t>(member) >= allotment->shares.size())
      fail(Errc::bad_rank,
           fmt::format("{}: there is no member {}: the mutexes are at members 0 to {}", call,
                       member, allotment->shares.size() - 1));
    const auto& share = allotment->shares[static_cast<std::size_t>(member)];
    const std::size_t count = share.bytes / sizeof(MutexLine);
    if (index < 0 || static_cast<std::size_t>(index) >= count)
      fail(Errc::bad_argument,
           fmt::format("{}: there is no mutex {}: member {} has {}", call, index, member, count));
    return static_cast<MutexLine*>(share.address)[index].word;
  }
};

namespace {

/// Of a member on another node: a lock word is changed by atomics there. An unlock comes after the
/// puts that this rank has made to that one before.
class FarLock {
 public:
  FarLock(rma::Network& net, const Mutexes::State& state, int member, const LockWord& word)
      : net_(net),
        rank_(state.allotment->shares[static_cast<std::size_t>(member)].rank),
        address_(reinterpret_cast<std::uint64_t>(&word)),
        token_(progress::lock_token(state.me)) {}

  /// What was found: 0 when it is ours now.
  std::uint64_t try_take() const { return swap(0, token_, "Mutexes::lock"); }
  /// False when it was not ours.
  [[nodiscard]] bool give_back() const { return swap(token_, 0, "Mutexes::unlock") == token_; }

  /// One wait, however often it is asked: a deadlock shows as one.
  void take(int member, int index) const {
    constexpr const char* call = "Mutexes::lock";
    std::uint64_t found = try_take();
    if (found == 0) return;
    refuse_own(found, member, index);
    constexpr std::uint64_t nap_max_ns = 200'000;
    std::uint64_t nap_ns = 2'000, ask_ns = base::now_ns() + nap_ns;
    std::optional<rma::AtomicUnderWay> asked;
    progress::WaitFor wait{.what = space::Awaiting::mutex,
                           .peer = progress::lock_holder(found),
                           .object = reinterpret_cast<const void*>(address_),
                           .detail = static_cast<std::uint64_t>(index),
                           .rings = false,
                           .call = call};
    auto try_again = [&] {
      net_.try_poll();
      if (!asked && base::now_ns() >= ask_ns) asked.emplace(net_, rank_, swapped(0, token_));
      if (!asked || !asked->is_answered()) return false;
      found = asked->value(call);
      asked.reset();
      wait.peer = progress::lock_holder(found);
      ask_ns = base::now_ns() + nap_ns;
      nap_ns = std::min(nap_ns * 2, nap_max_ns);
      return found == 0;
    };
    try {
      progress::wait_until(wait, try_again);
    } catch (const Error&) {
      // Its holder has died. It may have given it back before, so that what is under way has it.
      if (!asked || asked->value(call) != 0) throw;
    }
  }

 private:
  void refuse_own(std::uint64_t found, int member, int index) const {
    if (found == token_)
      fail(Errc::misuse, fmt::format("Mutexes::lock: this rank holds mutex {} of member {} already",
                                     index, member));
  }

  [[nodiscard]] rma::AtomicRecord swapped(std::uint64_t expected, std::uint64_t desired) const {
    return {.question = 0,
            .address = address_,
            .operand = desired,
            .expected = expected,
            .code = rma::AtomicCode::compare_swap,
            .bytes = sizeof(std::uint64_t)};
  }

  std::uint64_t swap(std::uint64_t expected, std::uint64_t desired, const char* call) const {
    return rma::atomic_far(net_, rank_, swapped(expected, desired), call);
  }

  rma::Network& net_;
  Rank rank_;
  std::uint64_t address_;
  std::uint64_t token_;
};

std::optional<FarLock> far_lock(const Mutexes::State& state, int member, const LockWord& word) {
  rma::Network* const net = progress::network();
  if (net == nullptr ||
      net->mapping().is_here(state.allotment->shares[static_cast<std::size_t>(member)].rank))
    return std::nullopt;
  return FarLock(*net, state, member, word);
}

const Mutexes::State& checked(const Mutexes& mutexes, const char* call) {
  if (!mutexes || mutexes.state()->allotment->freed)
    fail(Errc::misuse, fmt::format("{}: these mutexes were destroyed, or never created", call));
  return *mutexes.state();
}

}  // namespace

void Mutexes::lock(int member, int index) const {
  const State& state = checked(*this, "Mutexes::lock");
  LockWord& word = state.word(member, index, "Mutexes::lock");
  if (const auto far = far_lock(state, member, word)) return far->take(member, index);
  if (progress::try_lock(word, state.me)) [[likely]]
    return;
  if (word.load(std::memory_order_relaxed) == progress::lock_token(state.me))
    fail(Errc::misuse, fmt::format("Mutexes::lock: this rank holds mutex {} of member {} already",
                                   index, member));
  progress::WaitFor wait{.what = space::Awaiting::mutex,
                         .detail = static_cast<std::uint64_t>(index),
                         .call = "Mutexes::lock"};
  progress::lock_contended(word, state.me, wait);
}

bool Mutexes::try_lock(int member, int index) const {
  const State& state = checked(*this, "Mutexes::try_lock");
  LockWord& word = state.word(member, index, "Mutexes::try_lock");
  if (const auto far = far_lock(state, member, word)) return far->try_take() == 0;
  return progress::try_lock(word, state.me);
}

void Mutexes::unlock(int member, int index) const {
  const State& state = checked(*this, "Mutexes::unlock");
  LockWord& word = state.word(member, index, "Mutexes::unlock");
  if (const auto far = far_lock(state, member, word)) {
    if (far->give_back()) return;
    fail(Errc::misuse, fmt::format("Mutexes::unlock: this rank does not hold mutex {} of member {}",
                                   index, member));
  }
  if (word.load(std::memory_order_relaxed) != progress::lock_token(state.me)) [[unlikely]]
    fail(Errc::misuse, fmt::format("Mutexes::unlock: this rank does not hold mutex {} of member {}",
                                   index, member));
  progress::unlock(word);
}

int Mutexes::count(int member) const {
  const State& state = checked(*this, "Mutexes::count");
  if (member < 0 || static_cast<std::size_t>(member) >= state.allotment->shares.size())
    fail(Errc::bad_rank, fmt::format("Mutexes::count: there is no member {}", member));
  return static_cast<int>(state.allotment->shares[static_cast<std::size_t>(member)].bytes /
                          sizeof(MutexLine));
}

Mutexes Team::create_mutexes(int count) const {
  const detail::TeamState& team = checked("Team::create_mutexes");
  const bool bad = allreduce(count < 0 ? 1 : 0, Maximum{}) != 0;
  if (bad)
    fail(Errc::bad_argument,
         fmt::format("Team::create_mutexes: a member asked for a negative number (this one: {})",
                     count));
  auto state = std::make_shared<Mutexes::State>();
  state->allotment =
      allocate_bytes(static_cast<std::size_t>(count) * sizeof(MutexLine), alignof(MutexLine));
  state->me = team.space().me();
  return Mutexes(std::move(state));
}

void Team::destroy_mutexes(Mutexes& mutexes) const {
  free_allotment(armature::checked(mutexes, "Team::destroy_mutexes").allotment);
  mutexes = {};
}

}  // namespace armature
