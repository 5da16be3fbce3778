#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "armature/error.hpp"
#include "armature/future.hpp"
#include "armature/rmi.hpp"

// Waits for messages of a mailbox. A method that waits is described by values, so that the wait
// moves with its element. Mailboxes name each other by the distance of their addresses, since they
// are members of one object, wherever that is. A future waits where it is, and so does its element.

namespace armature::detail {

class MailboxWaits;

/// Takes what is waited for, if all of it is there, and returns what is to be done with it.
using TakeMessages = std::function<void()> (*)(MailboxWaits& first,
                                               const std::vector<std::byte>& what);

/// The future of messages, as its mailbox knows it.
struct MailboxFuture {
  MailboxFuture() = default;
  MailboxFuture(const MailboxFuture&) = delete;
  MailboxFuture& operator=(const MailboxFuture&) = delete;
  virtual ~MailboxFuture() = default;
  /// Settles it if all messages are there.
  virtual bool take(MailboxWaits& first) = 0;
  virtual void fail(std::exception_ptr error) = 0;
  /// Whether nobody has it any more.
  [[nodiscard]] virtual bool is_dropped() const = 0;
};

/// One wait: of a method, or of a future.
struct MailboxWait {
  std::uint64_t take = 0;       // names a TakeMessages
  std::vector<std::byte> what;  // for that
  std::unique_ptr<MailboxFuture> future;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(take, what);
  }
};

/// The part of a mailbox that does not depend on its messages: the waits for which it is the first
/// mailbox, and where the first ones of others are.
class MailboxWaits {
 public:
  MailboxWaits() = default;
  /// Has the methods that wait there; futures stay with the original.
  MailboxWaits(const MailboxWaits& other) : firsts_(other.firsts_) {
    for (const MailboxWait& wait : other.waits_)
      if (wait.future == nullptr)
        waits_.push_back({.take = wait.take, .what = wait.what, .future = nullptr});
  }
  MailboxWaits& operator=(const MailboxWaits& other) { return *this = MailboxWaits(other); }
  MailboxWaits(MailboxWaits&& other) noexcept
      : waits_(std::move(other.waits_)), firsts_(std::move(other.firsts_)) {}
  MailboxWaits& operator=(MailboxWaits&& other) noexcept {
    close();
    waits_ = std::move(other.waits_);
    firsts_ = std::move(other.firsts_);
    return *this;
  }
  ~MailboxWaits() { close(); }

  /// All futures of messages that are waited for throw Error(object_gone); methods wait no more.
  void close() noexcept {
    for (MailboxWait& wait : std::exchange(waits_, {})) {
      if (wait.future == nullptr || wait.future->is_dropped()) continue;
      try {
        wait.future->fail(std::make_exception_ptr(
            Error(Errc::object_gone, "mailbox: it was closed before the messages had come")));
      } catch (...) {  // NOLINT: the rank has left the job, and nobody waits
      }
    }
  }

  [[nodiscard]] std::ptrdiff_t distance_to(const MailboxWaits& other) const {
    return reinterpret_cast<const std::byte*>(&other) - reinterpret_cast<const std::byte*>(this);
  }
  [[nodiscard]] MailboxWaits& at(std::ptrdiff_t distance) {
    return *reinterpret_cast<MailboxWaits*>(reinterpret_cast<std::byte*>(this) + distance);
  }

  /// For the first mailbox of a wait. Methods that wait for nothing more are called before it
  /// returns, one after the other; throws what the first one throws that does.
  void add(MailboxWait wait) {
    waits_.push_back(std::move(wait));
    run();
  }
  /// For each other mailbox of it.
  void tell(const MailboxWaits& first) {
    const std::ptrdiff_t distance = distance_to(first);
    for (const std::ptrdiff_t known : firsts_)
      if (known == distance) return;
    firsts_.push_back(distance);
  }

 protected:
  /// A message has come.
  void arrived() {
    run();
    for (std::size_t i = 0; i < firsts_.size(); ++i) at(firsts_[i]).run();
  }

  template <class Archive>
  void describe(Archive& archive) {
    std::erase_if(waits_, [](const MailboxWait& wait) {
      return wait.future != nullptr && wait.future->is_dropped();
    });
    for (const MailboxWait& wait : waits_)
      if (wait.future != nullptr)
        throw Error(Errc::misuse,
                    "mailbox: it cannot travel while a future of its messages is waited for");
    archive(waits_, firsts_);
  }

 private:
  /// While it is there methods are being called.
  class Running {
   public:
    explicit Running(bool& runs) : runs_(runs) { runs_ = true; }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running() { runs_ = false; }

   private:
    bool& runs_;
  };
  /// Settles futures of which all is there. Returns the next method like that, if methods may be
  /// called; empty when there is none.
  std::function<void()> take_next(bool calls_methods) {
    for (auto one = waits_.begin(); one != waits_.end();) {
      std::function<void()> call;
      bool is_over = false;
      if (one->future != nullptr) {
        is_over = one->future->is_dropped() || one->future->take(*this);
      } else if (calls_methods) {
        call = reinterpret_cast<TakeMessages>(decode(CodePointer{one->take}))(*this, one->what);
        is_over = call != nullptr;
      }
      one = is_over ? waits_.erase(one) : one + 1;
      if (call != nullptr) return call;
    }
    return {};
  }
  // A method may wait anew, or wait for what others do. Those whose messages come meanwhile are
  // called behind it, by the same loop: no chain of them takes stack.
  // One that is under way may wait for a future itself.
  void run() {
    if (runs_) return void(take_next(false));
    std::exception_ptr failure;
    {
      // Ends also where messages cannot be taken, such as for want of memory.
      const Running running(runs_);
      while (const std::function<void()> call = take_next(true)) {
        try {
          call();
        } catch (...) {
          if (failure == nullptr) failure = std::current_exception();
        }
      }
    }
    if (failure != nullptr) std::rethrow_exception(failure);
  }

  std::vector<MailboxWait> waits_;
  std::vector<std::ptrdiff_t> firsts_;
  bool runs_ = false;
};

}  // namespace armature::detail
