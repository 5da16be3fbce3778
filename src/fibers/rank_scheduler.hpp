#pragma once

#include <cstdint>

#include "fibers/idle_loop.hpp"
#include "fibers/process_ranks.hpp"
#include "fibers/quiesce_body.hpp"
#include "fibers/turn_handoff.hpp"
#include "wait/scheduler.hpp"

namespace armature::fibers {

/// Runs the virtual ranks of this process in turn, on its main thread: whoever waits makes room for
/// the next that is ready. Nobody is interrupted. The next one is found without looking at those
/// that wait, however many there are.
class RankScheduler : public wait::Scheduler, protected Sleeper {
 public:
  /// `segment_file` is where the segments lie; `body` says what is done while no rank runs.
  RankScheduler(const space::Mapping& mapping, int process, int segment_file, QuiesceBody& body);
  ~RankScheduler() override;

  /// A rank that begins has its turns here from now on.
  void add(RankFiber& fiber);
  /// A rank that comes from a checkpoint has its turns here.
  void restore(RankFiber& fiber);
  /// All that are to run here now have, wherever they stood; none runs.
  void take_ranks();
  /// Returns when all of the job have finished: until then ranks may come here.
  virtual void run();
  /// The calling rank goes on in that process.
  /// False: it stays, since what is kept of it here cannot go along.
  [[nodiscard]] bool move(int process);

  [[nodiscard]] ProcessRanks& ranks() { return ranks_; }
  [[nodiscard]] QuiesceBody& body() const { return body_; }

  /// The calling rank has its next turn when base::now_ns() has come to that, or earlier: when it
  /// is in another process, or goes on from a checkpoint.
  void sleep_until(std::uint64_t time_ns);

  /// The scheduler of the calling thread's process.
  static RankScheduler& here();

  void yield(bool made_progress) override;
  wait::Turn wait(bool made_progress, const wait::WaitFor& wait) override;
  void waited() override;
  void goes_on(bool at_once) override;
  bool wakes(int process, int rank) override;
  [[nodiscard]] std::uint64_t now_ns() const override { return ranks_.clock.now_ns(); }

  /// All that happens on a rank's stack.
  [[noreturn]] static void begin(boost::context::detail::transfer_t from);

 protected:
  void park(Until until, std::uint32_t times, long timeout_ns) override;
  /// Makes this one here() from now on.
  void take_process();

 private:
  RankFiber* next();
  void switch_from(RankFiber& me);
  [[noreturn]] void depart();
  void take_in();
  void take_in_woken();
  void wake(RankFiber& fiber);
  void look_around();

  ProcessRanks ranks_;
  QuiesceBody& body_;
  IdleLoop idle_;
  TurnHandoff turn_handoff_{ranks_};
  bool quiesces_ = false;  // no rank has its turn until all go on
};

/// A rank, ready to live; `file` holds its segment.
RankFiber& make_rank(const space::Mapping& mapping, int file, int rank, Life life);

}  // namespace armature::fibers
