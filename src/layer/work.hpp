#pragma once

#include <sys/uio.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "message/messages.hpp"
#include "wait/context_slot.hpp"
#include "wait/rank_context.hpp"
#include "wait/work_source.hpp"

namespace armature::layers {

/// A rank's part in what layers do: records that come for it are handled here, and those that it
/// sends and that there was no room for are kept. All of it lies in the rank's memory, as its
/// messages do, so that it moves and is checkpointed with the rank.
///
/// A rank may have a second thread, which executes calls; both deliver. Invariant: handlers, polls
/// and news of deaths are called by whoever has `is_handling_`, so one at a time; who finds it
/// taken leaves the work to the other.
class Work final : public wait::WorkSource {
 public:
  /// Becomes the rank's until it ends.
  explicit Work(wait::RankContext& rank);
  ~Work() override;

  void deliver() override;
  /// The layer's own polls are asked at each look.
  bool has_come() override { return true; }
  bool has_work() override { return looks_again_.load(std::memory_order_relaxed); }

  /// False: that rank has died. Waits for room outside of handlers.
  [[nodiscard]] bool send(std::uint32_t service, std::uint8_t kind, int to,
                          std::span<const std::byte> bytes);
  /// Whether the calling thread is in a handler, a poll or such of this rank's.
  [[nodiscard]] bool is_in_handler() const;
  /// Holds records back: while one lives, records that come stay messages. No handler runs that
  /// could send others, nor a poll. For ranks that are about to let go of what lies between them.
  class Held {
   public:
    explicit Held(Work& work) : work_(work) {
      work_.is_held_.store(true, std::memory_order_relaxed);
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() { work_.is_held_.store(false, std::memory_order_relaxed); }

   private:
    Work& work_;
  };

  /// The lowest number of a team's context that this rank has not used.
  std::uint32_t& next_context() { return next_context_; }

 private:
  /// A record that is sent when there is room for it.
  struct Outgoing {
    Outgoing(const message::Address& address, std::span<const std::byte> data);
    std::vector<std::byte> bytes;
    iovec piece;
    message::SendRequest request;
  };
  /// A record whose bytes are still at its sender.
  struct Incoming {
    Incoming(message::Messages& messages, std::unique_ptr<message::Arrival> arrival);
    message::Label label;
    std::vector<std::byte> bytes;
    iovec piece;
    message::ReceiveRequest request;
  };

  [[nodiscard]] message::Messages& messages() const { return message::messages_of(rank_); }
  bool handle_records();
  bool handle_incoming();
  bool handle(const message::Label& label, std::span<const std::byte> bytes) noexcept;
  bool look_at_deaths() noexcept;
  bool poll() noexcept;
  bool push();
  void wait_for_room(int to);
  [[nodiscard]] bool is_full(std::size_t part);

  wait::RankContext& rank_;
  std::atomic<bool> is_handling_ = false;
  std::atomic<bool> looks_again_ = false;
  std::atomic<bool> is_held_ = false;
  std::unique_ptr<Incoming> incoming_;
  std::uint32_t deaths_seen_ = 0;
  std::vector<bool> is_told_dead_;  // by rank
  std::uint32_t next_context_ = message::context::first_of_teams;
  // Records to be sent, and their bytes: under the mutex, which no thread holds while it waits.
  std::mutex mutex_;
  std::deque<std::unique_ptr<Outgoing>> outgoing_;
  std::size_t outgoing_bytes_ = 0;
  bool is_source_ = false;
};

inline constexpr wait::ContextSlot<Work> work_slot{6};
/// The calling rank's. Throws Error(misuse) naming the call outside of a rank.
Work& this_work(const char* call);

}  // namespace armature::layers
