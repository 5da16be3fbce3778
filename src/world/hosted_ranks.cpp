#include "world/hosted_ranks.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "base/runtime.hpp"
#include "base/start_thread.hpp"
#include "failure/crash_report.hpp"
#include "world/call_body.hpp"
#include "world/job.hpp"

// Named, so that the launcher knows these functions on a stack that it shows.
namespace armature::hosting {
namespace {

/// Shared by the ranks of a run. The threads wait at the gate until all are there.
struct Run {
  enum class Gate { closed, open, nobody_goes };

  detail::Body body;
  void* callable;
  base::Runtime& runtime = base::Runtime::here();
  std::atomic<Gate> gate = Gate::closed;
};

struct HostedRank {
  Run& run;
  space::AddressSpace& space;
  pthread_t thread = {};
  int status = 0;
};

/// Binds this rank as the launcher wants; should that not be possible, it runs where its process
/// may.
void bind(const space::RankSlot& slot) {
  cpu_set_t mask;
  static_assert(sizeof mask == sizeof slot.bound_to.bits);
  std::memcpy(&mask, slot.bound_to.bits, sizeof mask);
  if (CPU_COUNT(&mask) > 0) (void)sched_setaffinity(0, sizeof mask, &mask);
}

void perform(HostedRank& rank) {
  bind(rank.space.slot(rank.space.me()));
  Job job(rank.space);
  rank.status = call_body(rank.run.body, rank.run.callable, job.world());
  job.leave();
}

/// A thread rank from its first to its last instruction.
void* live(void* hosted) {
  auto& rank = *static_cast<HostedRank*>(hosted);
  const base::UseRuntime used(rank.run.runtime);
  // Acquire: what was made ready before the gate was opened is seen.
  rank.run.gate.wait(Run::Gate::closed, std::memory_order_acquire);
  if (rank.run.gate.load(std::memory_order_acquire) == Run::Gate::nobody_goes) return nullptr;
  const failure::SignalStack stack;
  perform(rank);
  return nullptr;
}

void open(Run& run, Run::Gate gate) {
  run.gate.store(gate, std::memory_order_release);
  run.gate.notify_all();
}

/// The C library's default is the main thread's limit too, but 2 MiB where that is unlimited.
class ThreadAttributes {
 public:
  ThreadAttributes() {
    constexpr std::size_t instead_of_unlimited = std::size_t{256} << 20;
    rlimit limit{};
    getrlimit(RLIMIT_STACK, &limit);
    pthread_attr_init(&attributes_);
    (void)pthread_attr_setstacksize(&attributes_, limit.rlim_cur == RLIM_INFINITY
                                                      ? instead_of_unlimited
                                                      : static_cast<std::size_t>(limit.rlim_cur));
  }
  ThreadAttributes(const ThreadAttributes&) = delete;
  ThreadAttributes& operator=(const ThreadAttributes&) = delete;
  ~ThreadAttributes() { pthread_attr_destroy(&attributes_); }

  [[nodiscard]] const pthread_attr_t* get() const { return &attributes_; }

 private:
  pthread_attr_t attributes_{};
};

/// Threads for all but the first. Behind the gate none of them is a rank yet.
void start_threads(std::vector<HostedRank>& ranks) {
  const ThreadAttributes attributes;
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    const int error = pthread_create(&ranks[i].thread, attributes.get(), live, &ranks[i]);
    if (error == 0) continue;
    open(ranks[i].run, Run::Gate::nobody_goes);
    for (std::size_t started = 1; started < i; ++started)
      pthread_join(ranks[started].thread, nullptr);
    base::fail_without_thread(fmt::format("for rank {}", static_cast<int>(ranks[i].space.me())),
                              error);
  }
}

}  // namespace

int run(const HostedSpaces& spaces, detail::Body body, void* callable) {
  Run together{body, callable};
  std::vector<HostedRank> ranks;
  for (const auto& space : spaces) ranks.push_back({together, *space});
  start_threads(ranks);
  wait::set_joining_rank(-1);  // other threads' messages are no rank's
  open(together, Run::Gate::open);
  perform(ranks[0]);
  for (std::size_t i = 1; i < ranks.size(); ++i) pthread_join(ranks[i].thread, nullptr);
  const auto failed =
      std::find_if(ranks.begin(), ranks.end(), [](const HostedRank& r) { return r.status != 0; });
  return failed == ranks.end() ? 0 : failed->status;
}

}  // namespace armature::hosting
