#include <fmt/format.h>

#include "armature/collectives.hpp"
#include "armature/mutex.hpp"
#include "armature/named_call.hpp"
#include "base/fail.hpp"
#include "net/network.hpp"
#include "rma/protocol.hpp"
#include "rma/remote_lock.hpp"
#include "team/free.hpp"
#include "team/team_state.hpp"
#include "wait/lock.hpp"
#include "wait/ordered.hpp"
#include "wait/rank_context.hpp"
#include "wait/thread_call.hpp"

namespace armature {

using base::fail;
using wait::LockWord;

/// A mutex has a cache line of its own.
struct alignas(64) MutexLine {
  LockWord word{0};
};

struct Mutexes::State {
  std::shared_ptr<const detail::AllocationTable> table;
  int me = 0;

  [[nodiscard]] LockWord& word(int member, int index, const char* call) const {
    if (member < 0 || member >= table->members()) [[unlikely]]
      no_member(member, call);
    const auto share = table->share(member);
    const std::size_t count = share.bytes / sizeof(MutexLine);
    if (index < 0 || static_cast<std::size_t>(index) >= count) [[unlikely]]
      no_mutex(member, index, count, call);
    return static_cast<MutexLine*>(share.address)[index].word;
  }

 private:
  [[noreturn, gnu::cold]] void no_member(int member, const char* call) const {
    fail(Errc::bad_rank,
         fmt::format("{}: there is no member {}: the mutexes are at members 0 to {}", call, member,
                     table->members() - 1));
  }
  [[noreturn, gnu::cold]] static void no_mutex(int member, int index, std::size_t count,
                                               const char* call) {
    fail(Errc::bad_argument,
         fmt::format("{}: there is no mutex {}: member {} has {}", call, index, member, count));
  }
};

namespace {

/// A mutex of a member on another node, whose process keeps the queue.
class RemoteLock {
 public:
  RemoteLock(const Mutexes::State& state, int member, const LockWord& word)
      : net_(*net::network()),
        rank_(state.table->share(member).rank),
        word_(&word),
        token_(wait::lock_token_of_thread(state.me)) {}

  /// Tries to take the mutex. Returns the word that was found: 0 when the mutex is ours now.
  [[nodiscard]] std::uint64_t try_take() const {
    std::uint64_t found = 0;
    (void)rma::start_good({.rank = rank_,
                           .record = {.request = 0,
                                      .address = reinterpret_cast<std::uint64_t>(word_),
                                      .operand = token_,
                                      .expected = 0,
                                      .code = rma::AtomicCode::compare_swap,
                                      .bytes = sizeof(std::uint64_t)},
                           .call = "Mutexes::try_lock"},
                          rma::Finish::now, found);
    return found;
  }
  void take(int index) const {
    rma::lock_remote(net_, {rank_, word_, index}, token_, "Mutexes::lock");
  }
  /// False when it was not ours.
  [[nodiscard]] bool give_back(int index) const {
    // Puts to the mutex's own process are ahead of this on the way.
    net_.flush().to_reachable("Mutexes::unlock", net_.mapping().slot(rank_).process);
    return rma::unlock_remote(net_, {rank_, word_, index}, token_, "Mutexes::unlock");
  }

 private:
  net::Network& net_;
  Rank rank_;
  const LockWord* word_;
  std::uint64_t token_;
};

[[gnu::noinline]] bool is_on_other_node(const net::Network& net, Rank rank) {
  return !net.mapping().is_here(rank);
}

/// Whether the mutexes of that member are on another node: no call where the job has but one.
inline bool is_far(const Mutexes::State& state, int member) {
  const net::Network* const net = net::network();
  return net != nullptr && is_on_other_node(*net, state.table->share(member).rank);
}

/// Whether the owner's process is needed, too: who holds the mutex gives it back by way of that.
bool is_held_remotely(const wait::WaitFor& wait, std::size_t /*owner*/) {
  const net::Network* const net = net::network();
  return net != nullptr && wait.peer >= 0 && !net->mapping().is_here(wait.peer);
}

[[noreturn, gnu::cold]] void no_mutexes(const char* call) {
  fail(Errc::misuse, fmt::format("{}: these mutexes were destroyed, or never created", call));
}

inline const Mutexes::State& checked(const Mutexes& mutexes, const wait::ThreadCall& under_way,
                                     const char* call) {
  if (!under_way.is_of_rank()) [[unlikely]]
    (void)wait::this_rank(call);
  if (!mutexes || mutexes.state()->table->freed) [[unlikely]]
    no_mutexes(call);
  return *mutexes.state();
}

inline std::uint64_t token_of_caller(const Mutexes::State& state,
                                     const wait::ThreadCall& under_way) {
  return under_way.is_of_rank() ? wait::lock_token(state.me) : wait::lock_token_of_thread(state.me);
}

/// Waits for a mutex of this node that somebody holds.
[[gnu::cold]] void wait_for_holder(const Mutexes::State& state, int member, int index,
                                   LockWord& word, std::uint64_t token) {
  if (word.load(std::memory_order_relaxed) == token)
    fail(Errc::misuse, fmt::format("Mutexes::lock: this rank holds mutex {} of member {} already",
                                   index, member));
  const std::int32_t owner = state.table->share(member).rank;
  wait::WaitFor wait{.what = space::Awaiting::mutex,
                     .members = {&owner, 1},
                     .awaits = is_held_remotely,
                     .detail = static_cast<std::uint64_t>(index),
                     .call = "Mutexes::lock"};
  wait::lock_contended(word, token, wait);
}

[[noreturn, gnu::cold]] void not_held(int member, int index) {
  fail(Errc::misuse, fmt::format("Mutexes::unlock: this rank does not hold mutex {} of member {}",
                                 index, member));
}

}  // namespace

void Mutexes::lock(int member, int index) const {
  const wait::ThreadCall under_way("Mutexes::lock");
  const State& state = checked(*this, under_way, "Mutexes::lock");
  LockWord& word = state.word(member, index, "Mutexes::lock");
  if (is_far(state, member)) [[unlikely]]
    return RemoteLock(state, member, word).take(index);
  const std::uint64_t token = token_of_caller(state, under_way);
  if (!wait::try_lock_by(word, token)) [[unlikely]]
    wait_for_holder(state, member, index, word, token);
  wait::hear_of(&word, sizeof word);
}

bool Mutexes::try_lock(int member, int index) const {
  const wait::ThreadCall under_way("Mutexes::try_lock");
  const State& state = checked(*this, under_way, "Mutexes::try_lock");
  LockWord& word = state.word(member, index, "Mutexes::try_lock");
  if (is_far(state, member)) return RemoteLock(state, member, word).try_take() == 0;
  if (wait::try_lock_by(word, token_of_caller(state, under_way))) {
    wait::hear_of(&word, sizeof word);
    return true;
  }
  // A rank that tries until it succeeds may keep the holder from its turn.
  wait::let_others_run();
  return false;
}

void Mutexes::unlock(int member, int index) const {
  const wait::ThreadCall under_way("Mutexes::unlock");
  const State& state = checked(*this, under_way, "Mutexes::unlock");
  LockWord& word = state.word(member, index, "Mutexes::unlock");
  if (is_far(state, member)) [[unlikely]] {
    if (RemoteLock(state, member, word).give_back(index)) return;
    not_held(member, index);
  }
  if (wait::lock_holder(word.load(std::memory_order_relaxed)) != state.me) [[unlikely]]
    not_held(member, index);
  if (net::Network* const net = net::network()) [[unlikely]]
    net->flush().to_reachable("Mutexes::unlock");
  wait::complete_puts(-1);
  wait::tell(state.table->share(member).rank, &word, "Mutexes::unlock");
  wait::unlock(word);
}

int Mutexes::count(int member) const {
  const wait::ThreadCall under_way("Mutexes::count");
  const State& state = checked(*this, under_way, "Mutexes::count");
  if (member < 0 || member >= state.table->members())
    fail(Errc::bad_rank, fmt::format("Mutexes::count: there is no member {}", member));
  return static_cast<int>(state.table->share(member).bytes / sizeof(MutexLine));
}

Mutexes Team::create_mutexes(int count) const {
  const detail::TeamState& team = checked("Team::create_mutexes");
  const detail::NamedCall named(*this, detail::UserCall::create_mutexes);
  const bool bad = armature::allreduce(*this, count < 0 ? 1 : 0, Maximum{}) != 0;
  if (bad)
    fail(Errc::bad_argument,
         fmt::format("Team::create_mutexes: a member asked for a negative number (this one: {})",
                     count));
  auto state = std::make_shared<Mutexes::State>();
  state->table =
      allocate_bytes(static_cast<std::size_t>(count) * sizeof(MutexLine), alignof(MutexLine));
  state->me = team.space().me();
  return Mutexes(std::move(state));
}

void Team::destroy_mutexes(Mutexes& mutexes) const {
  const detail::NamedCall named(*this, detail::UserCall::destroy_mutexes);
  team::free_together(checked("Team::destroy_mutexes"), mutexes ? mutexes.state()->table : nullptr,
                      "Team::destroy_mutexes",
                      "these mutexes were destroyed, or never created by this team");
  mutexes = {};
}

}  // namespace armature
