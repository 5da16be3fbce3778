#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "base/file_descriptor.hpp"
#include "base/random.hpp"
#include "engines/engine.hpp"
#include "engines/hook/registrations.hpp"

namespace armature::transport {

/// The thread that plays a card. It is as unkind as a card may be. Of the operations that wait it
/// does any first. It copies pieces from the last to the first, and lets others run between. It
/// tells of what is done late, and of what was begun first not always first.
class CardThread {
 public:
  struct Operation {
    enum class What { put, get, atomic } what;
    const Window* window;
    std::uint64_t there;  // an address of the target
    std::byte* here;      // of a put it is read only
    std::size_t bytes;
    std::uint64_t token;
    WordAtomic atomic{};
  };

  /// Rough: an atomic reads, and then writes. Prompt: what is done is told at once. Throws
  /// Error(start).
  CardThread(std::uint64_t seed, bool is_rough, bool is_prompt);
  CardThread(const CardThread&) = delete;
  CardThread& operator=(const CardThread&) = delete;
  /// Does all that is left.
  ~CardThread();

  void begin(const Operation& operation);
  /// Whether there is something to take.
  [[nodiscard]] bool has_done() const { return has_done_.load(std::memory_order_acquire); }
  /// The tokens of what is done.
  [[nodiscard]] std::vector<std::uint64_t> take_done();
  /// Ends the thread, and returns the tokens of all that was left.
  [[nodiscard]] std::vector<std::uint64_t> end();
  /// Readable while there is something to take.
  [[nodiscard]] int descriptor() const { return event_.get(); }

 private:
  void serve();
  void carry_out(const Operation& operation);
  void move(const Operation& operation);
  void tell_due(std::uint64_t now_ns);
  [[nodiscard]] std::uint64_t delay_ns();

  base::Random random_;  // the thread's own
  const bool is_rough_, is_prompt_;
  base::FileDescriptor event_;
  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<Operation> waiting_;
  std::multimap<std::uint64_t, std::uint64_t> late_;  // tokens by when they are to be told
  std::vector<std::uint64_t> done_;
  std::atomic<bool> has_done_ = false;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace armature::transport
