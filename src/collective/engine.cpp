// Collectives that failed are told by messages in a context of their own, which a rank receives
// from anyone while it has collectives under way. The way rejected is a mark in the data messages:
// each would be longer, and the bytes of a long one would have to lie behind it.
#include "collective/engine.hpp"

#include <sched.h>

#include <algorithm>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "armature/error.hpp"
#include "base/bytes.hpp"
#include "base/fail.hpp"
#include "message/label.hpp"
#include "space/layout.hpp"
#include "team/show_breakdown.hpp"
#include "team/team_state.hpp"
#include "wait/poller.hpp"

namespace armature::collective {
namespace {

constexpr message::Label any_notice{message::context::collective_failures, message::Label::any,
                                    message::Label::any};

}  // namespace

/// Has the engine as long as it lives, or finds that another has it.
class Engine::Busy {
 public:
  enum class If { free, waits };
  Busy(Engine& engine, If how) : engine_(engine) {
    while (!(has_it_ = !engine_.is_busy_.exchange(true, std::memory_order_acquire)) &&
           how == If::waits)
      sched_yield();
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  ~Busy() {
    if (has_it_) engine_.is_busy_.store(false, std::memory_order_release);
  }
  explicit operator bool() const { return has_it_; }

 private:
  Engine& engine_;
  bool has_it_ = false;
};

Engine::Letter::Letter(int to, const Notice& the_notice)
    : notice(the_notice),
      piece{&notice, sizeof notice},
      request({to, message::context::collective_failures, 0}, std::span(&piece, 1)) {}

Engine::Engine(wait::RankContext& rank) : rank_(rank) { engine_slot.put(rank_.slots, this); }

Engine::~Engine() {
  if (is_source_) {
    rank_.remove(*this);
    wait::helped_ranks().remove(*this);
  }
  const Busy busy(*this, Busy::If::waits);
  for (Operation* const one : running_) one->end();
  if (listening_) messages().abandon(*listening_);
  for (Letter& one : letters_) messages().abandon(one.request);
  engine_slot.put(rank_.slots, nullptr);
}

Engine& this_engine(const char* call) { return *engine_slot.in(wait::this_rank(call).slots); }

/// Programs without such collectives have a work source less to ask.
void Engine::become_source() {
  if (std::exchange(is_source_, true)) return;
  rank_.add(*this);
  if (rank_.scheduler == nullptr && wait::poller() != nullptr)
    wait::helped_ranks().add(*this, rank_);
}

void Engine::prepare_threads() {
  const Busy busy(*this, Busy::If::waits);
  become_source();
}

void Engine::refuse(const Team& team, Errc why) {
  const armature::detail::TeamState& state = *team.state();
  const Busy busy(*this, Busy::If::waits);
  become_source();
  tell(team, {state.id(), next_[state.id()]++, why, rank_.space.me()}, state.members());
  count();
}

void Engine::begin(Operation& operation) {
  const auto fails_by = [&](const Notice& notice) {
    if (!concerns(notice, operation.team(), operation.number())) return false;
    operation.fail(notice);
    return true;
  };
  std::erase_if(early_, fails_by);
  if (const auto death = deaths_.find(operation.team()); death != deaths_.end())
    (void)fails_by(death->second);
  if (!is_held_.load(std::memory_order_relaxed)) (void)operation.advance();
  if (!operation.is_over()) listen();
}

Handle Engine::start(std::unique_ptr<Operation> operation) {
  const bool is_helped = !operation->is_kept();
  bool awaits_here = false;
  {
    const Busy busy(*this, Busy::If::waits);
    become_source();
    operation->set_number(next_[operation->team()]++);
    running_.push_back(operation.get());
    count();
    try {
      begin(*operation);
    } catch (...) {  // no memory even to say so by messages
      team::show_breakdown(operation->team_state(),
                           {operation->number(), Errc::out_of_memory, rank_.space.me()});
      std::erase(running_, operation.get());
      count();
      operation->end();
      throw;
    }
    awaits_here = operation->awaits_here();
  }
  Handle handle(operation.get());
  const Operation& begun = *operation.release();
  if (begun.is_over() && !begun.has_failed()) {
    handle.wait();
    return {};
  }
  if (wait::Poller* const net = wait::poller(); net != nullptr && is_helped && !begun.is_over()) {
    if (awaits_here) wait::helped_ranks().help_soon();
    awaits_here ? net->thread().look_now() : net->thread().leave_to_thread();
  }
  return handle;
}

void Engine::remove(Operation& operation) {
  const Busy busy(*this, Busy::If::waits);
  std::erase(running_, &operation);
  if (running_.empty()) stop_listening();
  count();
}

void Engine::deliver() {
  if (count_.load(std::memory_order_relaxed) == 0 || is_held_.load(std::memory_order_relaxed))
    return;
  const Busy busy(*this, Busy::If::free);
  if (busy && advance_all()) rank_.done.fetch_add(1, std::memory_order_relaxed);
}

bool Engine::help() {
  if (count_.load(std::memory_order_relaxed) == 0) return false;
  const Busy busy(*this, Busy::If::free);
  if (!busy) return true;
  try {
    (void)advance_all();
  } catch (...) {
    return true;  // no memory: the rank meets that itself
  }
  return std::ranges::any_of(running_, [](const Operation* one) {
    return !one->is_over() && !one->is_kept() && one->awaits_here();
  });
}

bool Engine::advance_all() {
  bool any = hear();
  for (Operation* const one : running_)
    if (one->is_for_this_thread()) any = one->advance() || any;
  while (!letters_.empty() && messages().advance(letters_.front().request)) letters_.pop_front();
  count();
  return any;
}

void Engine::count() { count_.store(running_.size() + letters_.size(), std::memory_order_relaxed); }

/// False where there is no memory to tell one of them.
bool Engine::post(const Notice& notice, std::span<const std::int32_t> ranks) {
  for (const std::int32_t rank : ranks) {
    if (rank == rank_.space.me()) continue;
    try {
      letters_.emplace_back(rank, notice);
    } catch (const std::bad_alloc&) {
      return false;
    }
    try {
      messages().start(letters_.back().request, "collective");
    } catch (...) {
      letters_.pop_back();
      return false;
    }
  }
  return true;
}

void Engine::tell(const Team& team, const Notice& notice, std::span<const std::int32_t> ranks) {
  if (!post(notice, ranks))
    team::show_breakdown(*team.state(),
                         {notice.number + (notice.is_for_later ? 1 : 0), notice.code, notice.rank});
  if (notice.code == Errc::rank_lost) deaths_.try_emplace(notice.team, notice);
}

bool Engine::hear() {
  bool any = false;
  while (listening_ && messages().advance(*listening_)) {
    const bool is_whole = listening_->outcome.bytes == sizeof heard_;
    listening_.reset();
    if (is_whole) handle(heard_);
    if (!running_.empty()) listen();
    any = true;
  }
  return any;
}

bool Engine::has_begun(const Notice& notice) const {
  const auto found = next_.find(notice.team);
  return found != next_.end() && static_cast<std::int32_t>(notice.number - found->second) < 0;
}

void Engine::handle(const Notice& notice) {
  if (notice.code == Errc::rank_lost) deaths_.try_emplace(notice.team, notice);
  if (!has_begun(notice) && !notice.is_for_later) early_.push_back(notice);
  for (Operation* const one : running_)
    if (concerns(notice, one->team(), one->number())) one->fail(notice);
}

void Engine::listen() {
  if (listening_) return;
  listening_.emplace(any_notice, std::span<const iovec>(&ear_, 1), message::TooLong::is_cut);
  messages().start(*listening_);
}

// A notice that has been matched is heard when the next collective is under way.
void Engine::stop_listening() {
  if (listening_ && messages().cancel(*listening_)) listening_.reset();
}

void* Engine::take_scratch(std::size_t bytes, const char* call) {
  if (bytes == 0) return nullptr;
  constexpr std::size_t alignment = 64;
  space::AddressSpace& space = rank_.space;
  if (void* const memory = space.reuse(bytes, alignment)) return memory;
  space::AddressSpace::Failure failure;
  if (void* const memory =
          space.local().allocate(bytes, alignment, space::LocalMemory::Contents::any, failure))
    return memory;
  if (bytes < space::address_end) {
    try {
      return new std::byte[bytes];
    } catch (const std::bad_alloc&) {
      // told below
    }
  }
  base::fail(Errc::out_of_memory, fmt::format("{}: no memory for {}: {}", call,
                                              base::readable_bytes(bytes), failure.limit));
}

void Engine::give_back_scratch(void* memory) {
  if (memory != nullptr && !rank_.space.keep(memory) && !rank_.space.local().free(memory))
    delete[] static_cast<std::byte*>(memory);
}

}  // namespace armature::collective
