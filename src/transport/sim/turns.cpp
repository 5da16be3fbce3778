// The word of each process in the shared file is a futex: 1 when it is its turn. Who has the turn
// alone touches all else there; giving it away releases, taking it acquires what the others have
// done.
#include "transport/sim/turns.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <ctime>
#include <new>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "base/file_descriptor.hpp"
#include "base/futex.hpp"
#include "base/no_signals.hpp"
#include "base/runtime.hpp"

namespace armature::transport::sim {

namespace {

constexpr const char* file_key = "simulation.turns";
constexpr int processes_max = 64, fates_max = 8;
constexpr std::size_t lane_bytes = std::size_t{1} << 20;
// So many turns of each in which nobody got on, with nothing under way: nobody ever will.
constexpr std::uint64_t idle_turns_of_each = 40'000;

struct Joined {
  Turns* turns = nullptr;  // for ever: the clock is asked until the process ends
};

}  // namespace

struct Turns::Actor {
  alignas(64) std::atomic<std::uint32_t> has_turn{0};  // futex word
  std::uint32_t weight = 1;                            // how often it has its turn
  bool ended = false;
  bool has_said = false;                      // what it waits for, in a stall
  std::uint64_t killed_ns = 0, known_ns = 0;  // on its node
  std::int64_t waiting = 0, under_way = 0;    // packets: here, to here
};

/// What is to happen to a process.
struct Turns::Fate {
  int process = -1;  // -1: nothing any more
  std::uint64_t at_ns = 0;
};

struct Turns::Shared {
  std::atomic<std::uint32_t> arrived{0};
  base::Random random{0};
  std::uint64_t now_ns = 1;
  std::uint64_t idle_turns = 0;  // in a row
  Fate deaths[fates_max], leaves[fates_max];
  bool is_stalled = false;
  std::size_t text_bytes = 0;
  char text[16384];  // what all wait for
  Actor actors[processes_max];
};

namespace {

std::size_t file_bytes(std::size_t head_bytes, int processes) {
  const auto count = static_cast<std::size_t>(processes);
  return head_bytes + count * count * lane_bytes;
}

/// Made by the first process; the others open it while it keeps it.
base::FileDescriptor meet(bootstrap::Exchange& exchange, std::size_t bytes) {
  base::FileDescriptor file;
  if (exchange.process() == 0) {
    file = base::FileDescriptor(memfd_create("armature-turns", MFD_CLOEXEC));
    if (!file || ftruncate(file.get(), static_cast<off_t>(bytes)) != 0)
      base::fail(Errc::start,
                 fmt::format("no memory for a simulation: {}", base::system_text(errno)));
    const std::string path = fmt::format("/proc/{}/fd/{}", getpid(), file.get());
    exchange.put(file_key, std::as_bytes(std::span(path)));
  }
  exchange.fence();
  if (exchange.process() != 0) {
    const std::vector<std::byte> told = exchange.get(0, file_key);
    const std::string path(reinterpret_cast<const char*>(told.data()), told.size());
    file = base::FileDescriptor(open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (!file)
      base::fail(Errc::start,
                 fmt::format("a simulation's memory, {}: {}", path, base::system_text(errno)));
  }
  return file;
}

/// Turns are short. Beside programs that compute, whoever is woken has the core at once that way
/// (Linux 6.12; where it is older, or does not let us, it takes longer).
void ask_for_short_slices() {
  struct {
    std::uint32_t size, policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t slice_ns, deadline_ns, period_ns;
  } wanted{.size = sizeof wanted,
           .policy = SCHED_OTHER,
           .nice = getpriority(PRIO_PROCESS, 0),  // as it is
           .slice_ns = 100'000};
  (void)syscall(SYS_sched_setattr, 0, &wanted, 0);
}

}  // namespace

void Turns::join(bootstrap::Exchange& exchange, const Options& options) {
  base::state<Joined>().turns = new Turns(exchange, options);
  base::simulated.now_ns = [] { return of_process()->now_ns(); };
}

Turns* Turns::of_process() { return base::state<Joined>().turns; }

Turns::Turns(bootstrap::Exchange& exchange, const Options& options)
    : process_(exchange.process()),
      processes_(exchange.processes()),
      options_(options),
      told_(static_cast<std::size_t>(processes_)),
      seen_(told_.size()) {
  if (processes_ > processes_max)
    base::fail(Errc::start, fmt::format("a simulation of {} processes on several nodes: there may "
                                        "be {}",
                                        processes_, processes_max));
  const std::size_t bytes = file_bytes(sizeof(Shared), processes_);
  const base::FileDescriptor file = meet(exchange, bytes);
  void* const start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (start == MAP_FAILED)
    base::fail(Errc::start,
               fmt::format("a simulation's memory cannot be mapped: {}", base::system_text(errno)));
  shared_ = static_cast<Shared*>(start);
  if (process_ == 0) {
    new (shared_) Shared;
    shared_->random = base::Random(options.seed);
    for (Actor& actor : shared_->actors)
      actor.weight = shared_->random.chance(0.25)
                         ? 1
                         : static_cast<std::uint32_t>(1 + shared_->random.below(40));
    plan_fates();
  }
  exchange.fence();
  if (options.deaths == 0) return;
  const base::NoSignals none;
  std::thread([this] { await_death(); }).detach();
}

base::Random& Turns::random() { return shared_->random; }
std::uint64_t Turns::now_ns() const { return shared_->now_ns; }
void Turns::count_waiting(int more) { actor(process_).waiting += more; }
void Turns::count_under_way(int to, int more) { actor(to).under_way += more; }
std::uint64_t Turns::killed_ns(int process) const { return actor(process).killed_ns; }

Turns::Actor& Turns::actor(int process) const {
  return shared_->actors[static_cast<std::size_t>(process)];
}

std::span<std::byte> Turns::lane(int from, int to) const {
  const auto number = static_cast<std::size_t>(from) * static_cast<std::size_t>(processes_) +
                      static_cast<std::size_t>(to);
  return {reinterpret_cast<std::byte*>(shared_ + 1) + number * lane_bytes, lane_bytes};
}

int Turns::choose() {
  const auto weight = [&](std::size_t p) -> std::uint64_t {
    const Actor& one = actor(static_cast<int>(p));
    return one.ended ? 0 : one.weight;
  };
  return static_cast<int>(shared_->random.choose(static_cast<std::size_t>(processes_), weight));
}

void Turns::give_turn(int process) {
  actor(process).has_turn.store(1, std::memory_order_release);
  base::futex_wake(actor(process).has_turn);
}

void Turns::await_turn() {
  constexpr timespec nap{0, 200'000};
  constexpr long look_again_ns = 1'000'000'000;
  std::atomic<std::uint32_t>& mine = actor(process_).has_turn;
  while (mine.load(std::memory_order_acquire) == 0) base::futex_wait(mine, 0, look_again_ns);
  mine.store(0, std::memory_order_relaxed);
  // The fate of the job does not depend on how soon the launcher has a core.
  for (int p = 0; p < processes_; ++p) {
    const auto place = static_cast<std::size_t>(p);
    if (actor(p).killed_ns == 0 || seen_[place]) continue;
    while (!options_.death_is_seen(p)) nanosleep(&nap, nullptr);
    seen_[place] = true;
  }
  if (shared_->is_stalled) stalled();
}

void Turns::begin() {
  ask_for_short_slices();
  begun_ = true;
  const auto all = static_cast<std::uint32_t>(processes_);
  // Both: whoever is first sees what all have done until now.
  if (shared_->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == all) give_turn(choose());
  await_turn();
}

void Turns::pass(bool got_on) {
  if (!begun_) return;
  die_if_due();
  shared_->idle_turns = got_on || some_are_under_way() ? 0 : shared_->idle_turns + 1;
  if (shared_->idle_turns > idle_turns_of_each * static_cast<std::uint64_t>(processes_)) stalled();
  const std::uint64_t turn_ns_max = shared_->random.chance(0.02) ? 40'000 : 500;
  shared_->now_ns += 20 + shared_->random.below(turn_ns_max);
  if (const int next = choose(); next != process_) {
    give_turn(next);
    await_turn();
  }
  tell_deaths();
  tell_leaves();
}

void Turns::end() {
  if (!begun_) return;
  begun_ = false;
  actor(process_).ended = true;
  if (others_are_left()) give_turn(choose());
}

bool Turns::others_are_left() const {
  for (int p = 0; p < processes_; ++p)
    if (p != process_ && !actor(p).ended) return true;
  return false;
}

bool Turns::some_are_under_way() const {
  for (int p = 0; p < processes_; ++p)
    if (!actor(p).ended && (actor(p).waiting != 0 || actor(p).under_way != 0)) return true;
  return false;
}

// -- deaths, and leaving --------------------------------------------------------------------------

/// Early or late: as likely in the first half of a millisecond as from its tenth on.
void Turns::plan_fates() {
  constexpr double first_exponent = 5.5, exponents = 2;
  base::Random& random = shared_->random;
  const auto plan = [&](Fate* fates, int count) {
    const std::span<Fate> all(fates, static_cast<std::size_t>(std::min(count, fates_max)));
    for (Fate& one : all) {
      const double chance = static_cast<double>(random.below(1000)) / 1000;
      one.process = static_cast<int>(random.below(static_cast<std::uint64_t>(processes_)));
      one.at_ns = static_cast<std::uint64_t>(std::pow(10, first_exponent + exponents * chance));
    }
    std::ranges::sort(all, {}, &Fate::at_ns);
  };
  plan(shared_->deaths, options_.deaths);
  plan(shared_->leaves, options_.leaves);
}

void Turns::die_if_due() {
  constexpr std::uint64_t known_ns_max = 300'000;
  const auto is_due = [&](const Fate& death) {
    return death.process == process_ && death.at_ns <= shared_->now_ns;
  };
  if (std::ranges::none_of(shared_->deaths, is_due)) return;
  Actor& me = actor(process_);
  me.ended = true;
  me.killed_ns = shared_->now_ns;
  me.known_ns = shared_->now_ns + shared_->random.below(known_ns_max);
  is_to_die_.release();
  syscall(SYS_set_tid_address, &runs_);  // the kernel clears that at the end of this thread
  syscall(SYS_exit, 0);
  __builtin_unreachable();
}

/// By a thread with a stack of its own: the others may write over what a rank has on its stack as
/// soon as it is their turn, so nobody may run on that any more.
void Turns::await_death() {
  constexpr long look_again_ns = 1'000'000'000;
  is_to_die_.acquire();
  while (runs_.load(std::memory_order_acquire) != 0) base::futex_wait(runs_, 1, look_again_ns);
  if (others_are_left()) give_turn(choose());
  raise(SIGKILL);
}

void Turns::tell_deaths() {
  for (int p = 0; p < processes_; ++p) {
    const auto place = static_cast<std::size_t>(p);
    if (actor(p).killed_ns == 0 || told_[place] || shared_->now_ns < actor(p).known_ns) continue;
    told_[place] = options_.on_death(p);
  }
}

/// One after the other, as they are planned: who has begun to leave has left before the next
/// begins.
void Turns::tell_leaves() {
  if (options_.leaves == 0) return;
  for (Fate& leave : shared_->leaves) {
    if (leave.process < 0 || leave.at_ns > shared_->now_ns) continue;
    if (options_.on_leave(leave.process)) leave.process = -1;
    return;
  }
}

// -- stalls ---------------------------------------------------------------------------------------

/// Each adds what its ranks wait for; the last one ends the job.
void Turns::stalled() {
  shared_->is_stalled = true;
  actor(process_).has_said = true;
  const std::string text = options_.waits();
  const std::size_t bytes = std::min(text.size(), sizeof shared_->text - 1 - shared_->text_bytes);
  std::memcpy(shared_->text + shared_->text_bytes, text.data(), bytes);
  shared_->text_bytes += bytes;
  for (int p = 0; p < processes_; ++p)
    if (!actor(p).ended && !actor(p).has_said) {
      give_turn(p);
      for (;;) pause();
    }
  options_.give_up(1, fmt::format("simulation with seed {}: no rank can go on{}", seed(),
                                  std::string(shared_->text, shared_->text_bytes))
                          .c_str());
  std::abort();
}

}  // namespace armature::transport::sim
