#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "net/network.hpp"
#include "rma/iov_cursor.hpp"
#include "wait/notifier.hpp"
#include "wait/outstanding.hpp"
#include "wait/request.hpp"

namespace armature::rma {

/// A request to a rank on another node, while the answer is on its way. Its number says which it
/// is; a number that is not, or not any more, under way is nobody's. Made and ended by whoever
/// asks; the answer comes under the links' lock.
class PendingRequest {
 public:
  explicit PendingRequest(Rank rank);
  PendingRequest(const PendingRequest&) = delete;
  PendingRequest& operator=(const PendingRequest&) = delete;
  virtual ~PendingRequest();

  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] Rank rank() const { return rank_; }
  /// Acquire: what was got is there.
  [[nodiscard]] bool is_answered() const { return answered_.load(std::memory_order_acquire); }
  /// Blocks. Throws Error(rank_lost) when the process that was asked is gone.
  void wait(const char* call);
  /// Blocks without letting the rank do anything else meanwhile. Ends when the link does.
  void wait_alone(const char* call);
  /// Whether it is of this process. When its rank has gone to another one of the node, the answer
  /// comes all the same where it was asked.
  [[nodiscard]] bool is_of_process() const;
  /// Throws that error when it is so.
  void check(const char* call) const;

  static const std::array<transport::Handling, 5> handlers;
  /// Nobody will answer what that process was asked.
  static void give_up(int process);
  /// Whether ranks of this process wait for no answer; under the links' lock. And then: those that
  /// asked may go to other processes.
  [[nodiscard]] static bool all_are_answered();
  static void forget_all();

 protected:
  /// Whether that is the whole answer.
  [[nodiscard]] virtual bool take(const transport::Arrived& answer) = 0;
  /// The request counts as an operation of so many bytes until it is answered. To be called before
  /// it is sent.
  void count(std::size_t bytes) {
    charge_.begin(bytes);
    // Given up before: nobody will end it. One that is given up just now ends with the request.
    if (is_answered()) charge_.end();
  }
  /// From now on an answer is nobody's. By destructors of those who take answers.
  void retire();

 private:
  static void on_answer(const transport::Arrived& answer);
  /// The last that is done with it: whoever has asked may end it as soon as he sees that.
  void finish() {
    charge_.end();
    answered_.store(true, std::memory_order_release);
  }
  void give_up() {
    lost_.store(true, std::memory_order_relaxed);
    finish();
  }

  Rank rank_;
  int process_;  // where it was asked, and the answer comes
  std::uint64_t number_ = 0;
  bool retired_ = false;
  wait::Charge charge_;
  std::atomic<bool> answered_ = false;
  std::atomic<bool> lost_ = false;
};

/// Bytes that were asked for.
class PendingGet : public PendingRequest {
 public:
  PendingGet(Rank rank, IovCursor into, std::size_t bytes)
      : PendingRequest(rank), into_(std::move(into)), left_(bytes) {}
  ~PendingGet() override { retire(); }
  /// Nobody blocks for it.
  void count() { PendingRequest::count(left_); }

 private:
  bool take(const transport::Arrived& answer) override;

  IovCursor into_;
  std::size_t left_;
};

/// A get behind a handle.
struct AsyncGet final : detail::Request, PendingGet {
  AsyncGet(Rank rank, IovCursor into, std::size_t bytes);
};

}  // namespace armature::rma
