#pragma once

#include <cstdint>
#include <new>
#include <string>
#include <vector>

#include "space/layout.hpp"
#include "virtual/checkpoint/chain.hpp"
#include "virtual/nodes/left_behind.hpp"
#include "virtual/rank_fiber.hpp"
#include "virtual/ready_queue.hpp"
#include "wait/scheduler.hpp"

namespace armature::nodes {
class Steps;
}

namespace armature::fibers {

/// Whether ranks may go to that process of the node by now.
[[nodiscard]] inline bool takes_ranks(const space::Mapping& mapping, int process) {
  return mapping.process_slot(process).arrangement.load(std::memory_order_acquire) ==
         mapping.header().arrangement();
}

/// Runs the virtual ranks of this process in turn, on its main thread: whoever waits makes room for
/// the next that is ready. Nobody is interrupted. The next one is found without looking at those
/// that wait, however many there are.
class RankScheduler : public wait::Scheduler {
 public:
  /// `band_file` is where the bands lie.
  RankScheduler(const space::Mapping& mapping, int process, int band_file);
  RankScheduler(const RankScheduler&) = delete;
  RankScheduler& operator=(const RankScheduler&) = delete;
  ~RankScheduler() override;

  /// From now on it has its turns.
  void add(RankFiber& fiber);
  /// The same for one that comes from a checkpoint.
  void restore(RankFiber& fiber);
  /// Returns when all of the job are through: until then ranks may come here.
  virtual void run();
  /// The calling rank goes on in that process.
  /// False: it stays, since what is kept of it here cannot go along.
  [[nodiscard]] bool move(int process);

  /// Of the calling rank, from its next turn on.
  void set_priority(int priority) { running_->priority = static_cast<std::int8_t>(priority); }
  [[nodiscard]] int priority() const { return running_->priority; }

  /// What is kept of that rank's last checkpoint: checkpoints::kept_of.
  [[nodiscard]] std::uint64_t kept_of(int rank) const;

  /// From now on the time is added up that each rank here computes, wherever it goes.
  void measure_ranks();

  /// Who runs the ranks of the calling thread's process.
  static RankScheduler& here();

  void yield(bool got_on) override;
  bool wait(bool got_on, bool rings) override;
  void waited() override;
  void goes_on() override;
  bool wakes(int process, int rank) override;
  [[nodiscard]] std::uint64_t now_ns() const override { return now_ns_; }

  /// All that happens on a rank's stack.
  [[noreturn]] static void begin(boost::context::detail::transfer_t from);
  /// A rank, ready to live; `file` holds its band.
  static RankFiber& make_rank(const space::Mapping& mapping, int file, int rank, Life life);

 protected:
  enum class Until { woken, nap_is_over };
  /// When no rank can go on: until one is woken, or the process, more often than so many times, or
  /// the time is over.
  virtual void doze(Until until, std::uint32_t times, long timeout_ns);
  [[nodiscard]] space::ProcessSlot& home() const { return home_; }
  /// From now on this one is here().
  void take_process();

 private:
  RankFiber* next();
  void switch_from(RankFiber& me);
  void settle(LeftStack before);
  [[noreturn]] void depart();
  /// RankFiber::of, without its divisions.
  [[nodiscard]] RankFiber& fiber(int rank) const {
    const auto number = static_cast<std::uint64_t>(rank);
    return *std::launder(reinterpret_cast<RankFiber*>(records_ + number * mapping_.band_bytes() -
                                                      space::stack_shift(number)));
  }
  void leave(RankFiber& me);
  void enter(RankFiber& fiber);
  void set_ready(RankFiber& fiber);
  [[nodiscard]] bool is_costly(const RankFiber& fiber) const;
  [[nodiscard]] bool linger(bool shared) const;
  static void hear_again();
  void take_in();
  [[nodiscard]] bool is_time_for_urgent() const;
  void take_in_urgent();
  void wake(RankFiber& fiber);
  void host(RankFiber& fiber);
  void dismiss(RankFiber& fiber);
  void forget(RankFiber& fiber);
  void adopt(RankFiber& fiber);
  void send_off(RankFiber& fiber);
  [[nodiscard]] bool job_is_over() const;
  void housekeeping();
  // rank_halt.cpp: when no rank of the job runs
  void stand_still();
  void regroup();
  static void require_no_threads();
  void hand_over_claims() const;
  void take_ranks();
  void open_to_ranks() const;
  void change_nodes();
  void agree_on_what_has_changed(const nodes::Steps& steps) const;
  [[nodiscard]] std::string why_not_write() const;
  void count_processes();
  // rank_balance.cpp: work for processes that have none
  void measure(RankFiber& me);
  void ask_for_ranks();
  void ask_no_more();
  void give_rank_away();
  [[nodiscard]] bool may_go(RankFiber& fiber) const;
  static bool is_tied(const RankFiber& fiber);
  [[nodiscard]] bool send(RankFiber& fiber, int process);
  void note_leaving(RankFiber& fiber) const;
  void note_coming(RankFiber& fiber) const;
  // rank_idle.cpp: when nobody is ready
  void look_for_deaths();
  void look_again(std::size_t ranks);
  enum class Barrier { not_yet, passed };
  void look_at_announced(Barrier barrier);
  void idle();
  void sleep();

  const space::Mapping& mapping_;
  std::byte* const records_;  // the first rank's, but for its shift
  const int process_;
  const int band_file_;
  const int pid_, tid_;  // of this thread
  space::ProcessSlot& home_;
  const bool traces_;   // armature run --trace
  bool alone_ = false;  // no other process may ring
  bool bells_work_ = false;
  bool balances_ = false;
  bool measures_ = false;  // how long turns take
  bool crowded_ = false;   // more processes than cores
  RankFiber main_;         // the stack of run()
  RankFiber* running_ = nullptr;
  RankFiber* before_ = nullptr;  // whose stack was left last
  ReadyQueue ready_;
  RankQueue pollers_;  // wait for what no bell tells
  std::vector<RankFiber*> announced_;
  std::vector<RankFiber*> looking_;  // of those announced, while they are made ready
  std::vector<RankFiber*> hosted_;   // not through
  std::vector<bool> guarded_;        // whose stacks have guards in this process
  checkpoints::Kept kept_;           // of the last checkpoint to disk
  nodes::LeftBehind left_behind_;
  int goes_to_ = -1;        // where the rank that was left last moves to
  space::RankHeap*& heap_;  // of malloc
  std::size_t look_turn_ = 0;
  std::uint32_t turns_ = 0;
  std::uint32_t urgent_turn_ = 0;  // when it last looked for those that are urgent
  std::size_t looked_at_ = 0;      // at so many
  std::uint32_t idle_rounds_ = 0;  // since somebody got on
  std::uint32_t deaths_seen_ = 0;
  std::uint32_t times_woken_ = 0;  // when it last began to look whether there is something to do
  std::uint64_t now_ns_;
  std::uint64_t turn_began_ns_ = 0;  // where time is measured
  std::uint64_t idle_since_ns_ = 0;
  long nap_ns_ = 0;
  bool leaves_ = false;           // hosts no ranks any more
  bool some_are_urgent_ = false;  // have ever been
  bool halts_ = false;            // no rank has its turn until a checkpoint is written
  ExceptionState* exceptions_;    // of this thread
  int* error_number_;             // of this thread
};

}  // namespace armature::fibers
