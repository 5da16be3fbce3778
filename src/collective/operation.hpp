#pragma once

#include <sys/uio.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "armature/detail/collective.hpp"
#include "armature/error.hpp"
#include "armature/team.hpp"
#include "collective/notice.hpp"
#include "collective/schedule.hpp"
#include "message/messages.hpp"
#include "wait/request.hpp"

namespace armature::collective {

class Operation;

/// The surroundings of operations: what their rank has for all of them.
class OperationHost {
 public:
  OperationHost() = default;
  OperationHost(const OperationHost&) = delete;
  OperationHost& operator=(const OperationHost&) = delete;

  [[nodiscard]] virtual wait::RankContext& rank() const = 0;
  [[nodiscard]] message::Messages& messages() const { return message::messages_of(rank()); }
  /// Has operations advance, unless another thread is at it.
  virtual void advance() = 0;
  /// The operation's handle lets go of it.
  virtual void remove(Operation& operation) = 0;
  /// Tells those members of the team, but not this one, that a collective has failed; all of them
  /// where it has no memory to tell these. By who has the engine.
  virtual void tell(const Team& team, const Notice& notice,
                    std::span<const std::int32_t> ranks) = 0;
  /// Memory of the segment, where there is some, which others can read; nullptr for none. Throws
  /// Error(out_of_memory).
  [[nodiscard]] virtual void* take_scratch(std::size_t bytes, const char* call) = 0;
  virtual void give_back_scratch(void* memory) = 0;

 protected:
  ~OperationHost() = default;
};

/// The operator of a collective, which it owns until it is over. No operator: nullptr.
struct Operator {
  std::size_t element_bytes = 1;
  armature::detail::Combine combine = nullptr;
  std::unique_ptr<void, void (*)(void*)> op{nullptr, [](void* /*none*/) {}};
};

/// The addresses of the buffers of one run; that of the scratch memory is the operation's.
struct Buffers {
  const void* input = nullptr;
  void* output = nullptr;
  std::vector<std::byte> first = {};
};

/// One run of a schedule by one member. It, and all that is under way for it, lies in the rank's
/// memory: so it goes where a virtual rank goes.
///
/// It is advanced by one thread at a time, which has the engine. Who waits looks at is_over alone.
class Operation final : public armature::detail::Request {
 public:
  Operation(OperationHost& host, const Team& team, std::shared_ptr<const Schedule> schedule,
            Buffers buffers, Operator with, const char* call);
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  ~Operation();

  [[nodiscard]] std::uint32_t team() const { return team_id_; }
  [[nodiscard]] armature::detail::TeamState& team_state() const { return *team_.state(); }
  [[nodiscard]] std::uint32_t number() const { return number_; }
  /// It is that collective of its team. Before it begins.
  void set_number(std::uint32_t number) { number_ = number; }
  /// The calling thread alone advances it, and so calls its operator, which it may only have been
  /// lent. Of a virtual rank, whose threads change, any that runs it. Before it begins.
  void keep_to_caller();
  [[nodiscard]] bool is_kept() const { return is_kept_; }
  /// Whether the calling thread may advance it.
  [[nodiscard]] bool is_for_this_thread() const;
  /// Takes all memory that sending and receiving will need. Before it begins. Throws
  /// Error(out_of_memory).
  void open_mailboxes();

  // By who has the engine.
  /// Goes on as far as its messages have come; whether it did something.
  bool advance();
  /// Another member has failed.
  void fail(const Notice& notice);
  /// The rank leaves the job.
  void end();

  [[nodiscard]] bool is_over() const { return is_over_.load(std::memory_order_acquire); }
  [[nodiscard]] bool has_failed() const { return failure_ != nullptr; }
  /// Whether one of these is on this node: it does not wake the network's thread.
  [[nodiscard]] bool awaits_here() const;

 private:
  struct Coming {
    Coming(const message::Label& from, void* into, std::size_t bytes)
        : piece{into, bytes}, request(from, std::span(&piece, 1), message::TooLong::is_kept) {}
    iovec piece;
    message::ReceiveRequest request;
  };
  struct Going {
    Going(const message::Address& to, void* from, std::size_t bytes)
        : piece{from, bytes}, request(to, std::span(&piece, 1)) {}
    iovec piece;
    message::SendRequest request;
  };
  /// The messages of the stage.
  struct UnderWay {
    bool has_begun = false;
    std::size_t came = 0;  // of `coming`, from the first on
    std::size_t gone = 0;  // of `going`
    std::size_t sent = 0;  // so many were given to the message room
    std::deque<Coming> coming;
    std::deque<Going> going;
  };

  void hear_of_breakdown();
  void begin_stage();
  [[nodiscard]] bool have_all_come();
  [[nodiscard]] bool have_all_gone();
  void run(const Step& step);
  void give_up(const Notice& notice, std::exception_ptr why);
  [[nodiscard]] std::vector<std::int32_t> those_that_wait() const;
  void let_go();
  void be_over();
  [[nodiscard]] std::byte* at(const Place& place) const {
    return bases_[static_cast<std::size_t>(place.buffer)] + place.at;
  }
  [[nodiscard]] int rank_of(int member) const { return members_[static_cast<std::size_t>(member)]; }

  OperationHost& host_;
  const Team team_;
  const std::span<const std::int32_t> members_;
  const std::uint32_t team_id_;
  std::uint32_t number_ = 0;
  const std::shared_ptr<const Schedule> schedule_;
  const std::vector<std::byte> first_;
  Operator with_;
  const char* const call_;
  void* scratch_ = nullptr;
  std::array<std::byte*, buffers_count> bases_{};

  std::size_t stage_ = 0;
  UnderWay under_way_;
  std::exception_ptr failure_;
  std::atomic<bool> is_over_ = false;  // release: results, or failure_
  bool has_ended_ = false;             // the rank has left the job
  bool is_broken_ = false;             // its team has broken down (team/breakdown.hpp)
  bool is_kept_ = false;
  std::uint32_t kept_to_ = 0;  // that thread's number; 0: any that runs the rank
};

}  // namespace armature::collective
