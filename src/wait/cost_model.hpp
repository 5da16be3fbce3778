#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "base/runtime.hpp"

namespace armature::wait {

/// One member's part of a round of a team (team/team_state.hpp), as far as its cost goes.
struct RoundCost {
  enum class Reads : std::uint8_t { everything, what_root_reads, own_blocks, pieces_of_root };

  const void* team = nullptr;  // the same for all members
  std::uint64_t round = 0;
  std::size_t member = 0;
  std::span<const std::int32_t> ranks;  // of all members
  std::size_t shown_bytes = 0;          // by this member
  Reads reads = Reads::everything;      // who reads what others show
  std::size_t root = 0;
  bool is_fence = false;  // what was put before has come
};

/// The costs of communicating and computing in a simulation that predicts times. Rooms that move
/// bytes say so here; on a real machine nobody asks, as moving them takes the time. All calls are
/// by the rank that runs, but for what `arrived` does.
class CostModel {
 public:
  CostModel() = default;
  CostModel(const CostModel&) = delete;
  CostModel& operator=(const CostModel&) = delete;
  virtual ~CostModel() = default;

  /// nullptr where time is real.
  [[nodiscard]] static CostModel* of_job() {
    if (!base::has_extras()) [[likely]]
      return nullptr;
    const OfJob* const job = base::Runtime::here().find<OfJob>();
    return job == nullptr ? nullptr : job->model;
  }
  static void set_of_job(CostModel* model);

  /// The calling rank computes for so long.
  virtual void compute(double seconds) = 0;
  /// Bytes go from the calling rank to another one's memory. `arrived` is called when they are
  /// there: later, by no rank, in the order of calls for the same two ranks.
  virtual void send(int to, std::size_t bytes, std::function<void()> arrived) = 0;
  /// Asks for bytes of another rank's memory. `read` is called when the request is there,
  /// `arrived` when its answer has come.
  virtual void fetch(int from, std::size_t bytes, std::function<void()> read,
                     std::function<void()> arrived) = 0;
  /// The calling rank has copied bytes of another one's memory, of which a message has told it.
  virtual void copied(int from, std::size_t bytes) = 0;
  /// Returns when all that went to that rank is there, and this rank knows it; -1: to all.
  virtual void fence(int to) = 0;
  /// How many notifications that one has sent to the other, to be counted by who sends them.
  virtual std::uint64_t& notified(int from, int to) = 0;
  /// Up to where `to` sees the ring of messages from `from`, at most `written`.
  virtual std::uint64_t visible_messages(int from, int to, std::uint64_t written) = 0;
  /// Around a member's part of a round: the second returns when news of all has reached it.
  virtual void enter(const RoundCost& round) = 0;
  virtual void leave(const RoundCost& round) = 0;
  /// A member's part of a round for which it does not wait. It is notified when news of all has
  /// reached it, and `has_heard` is true from then on. Rounds of one team follow each other.
  virtual void show(const RoundCost& round) = 0;
  [[nodiscard]] virtual bool has_heard(const RoundCost& round) const = 0;

 private:
  struct OfJob {
    static constexpr std::size_t runtime_place = 8;  // every fence asks
    CostModel* model = nullptr;
  };
};

/// Whether operations of this process may end after the call that begins them.
[[nodiscard]] bool completes_later_with_extras();
[[nodiscard]] inline bool completes_later() {
  return base::has_extras() && completes_later_with_extras();
}

}  // namespace armature::wait
