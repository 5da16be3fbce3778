#pragma once

#include <sys/uio.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "armature/handle.hpp"
#include "collective/notice.hpp"
#include "collective/operation.hpp"
#include "message/messages.hpp"
#include "wait/context_slot.hpp"
#include "wait/helped_ranks.hpp"
#include "wait/rank_context.hpp"
#include "wait/work_source.hpp"

namespace armature::collective {

/// The collectives that a rank has under way. They advance whenever the rank waits or polls. Of a
/// job on several nodes the network's thread does so besides, while the rank computes; not for a
/// virtual rank, whose memory must come from its own segment, and may be in another process soon.
///
/// Invariant: operations are begun, advanced and removed by who has `is_busy_`. A thread that finds
/// it taken while it only looks leaves the work to the other.
class Engine final : public wait::WorkSource, public wait::HelpedRank, public OperationHost {
 public:
  explicit Engine(wait::RankContext& rank);
  ~Engine() override;

  /// Begins the next collective of the operation's team. Empty where it is complete already.
  [[nodiscard]] Handle start(std::unique_ptr<Operation> operation);
  /// This member cannot begin the next collective of that team: the others learn of it.
  void refuse(const Team& team, Errc why);

  /// Is asked for what it has to do from now on: so threads may begin collectives while the rank's
  /// own one waits.
  void prepare_threads();
  void deliver() override;
  /// By the network's thread; whether it is to look again soon, as nobody wakes it.
  bool help() override;

  [[nodiscard]] wait::RankContext& rank() const override { return rank_; }
  void advance() override { deliver(); }
  void remove(Operation& operation) override;
  void tell(const Team& team, const Notice& notice, std::span<const std::int32_t> ranks) override;
  [[nodiscard]] void* take_scratch(std::size_t bytes, const char* call) override;
  void give_back_scratch(void* memory) override;

  /// While one lives nothing is sent: for ranks that are about to let go of what lies between them.
  /// What is under way goes on afterwards.
  class Held {
   public:
    explicit Held(Engine& engine) : engine_(engine) {
      engine_.is_held_.store(true, std::memory_order_relaxed);
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() { engine_.is_held_.store(false, std::memory_order_relaxed); }

   private:
    Engine& engine_;
  };

 private:
  class Busy;
  struct Letter {
    Letter(int to, const Notice& the_notice);
    Notice notice;
    iovec piece;
    message::SendRequest request;
  };

  bool advance_all();
  [[nodiscard]] bool post(const Notice& notice, std::span<const std::int32_t> ranks);
  void become_source();
  void begin(Operation& operation);
  bool hear();
  void handle(const Notice& notice);
  void listen();
  void stop_listening();
  void count();
  [[nodiscard]] bool has_begun(const Notice& notice) const;

  wait::RankContext& rank_;
  std::atomic<bool> is_busy_ = false;
  std::atomic<bool> is_held_ = false;
  std::atomic<std::size_t> count_ = 0;  // of running_ and letters_
  std::vector<Operation*> running_;
  std::unordered_map<std::uint32_t, std::uint32_t> next_;  // numbers, by team
  std::vector<Notice> early_;                              // of collectives not begun here
  std::unordered_map<std::uint32_t, Notice> deaths_;       // by team: all that follow fail
  std::deque<Letter> letters_;
  Notice heard_;
  iovec ear_{&heard_, sizeof heard_};
  std::optional<message::ReceiveRequest> listening_;
  bool is_source_ = false;
};

inline constexpr wait::ContextSlot<Engine> engine_slot{7};
/// The calling rank's. Throws Error(misuse) naming the call outside of a rank.
Engine& this_engine(const char* call);

}  // namespace armature::collective
