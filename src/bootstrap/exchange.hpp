#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bootstrap/start_timeout.hpp"

namespace armature::bootstrap {

/// The processes of a job speak through it before they can reach each other: each publishes values
/// under names, and reads what the others published. Behind it stands the starter of the job: PMIx,
/// PMI-1, an MPI that runs already. Used by one thread at a time.
class Exchange {
 public:
  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  virtual ~Exchange() = default;

  /// This process's number in the job, and how many there are, all nodes together.
  [[nodiscard]] virtual int process() const = 0;
  [[nodiscard]] virtual int processes() const = 0;

  /// Publishes a value of this process: of any length, once per name. A name is at most
  /// `key_chars_max` letters, digits, dots or dashes. Seen by others after the next fence.
  virtual void put(std::string_view key, std::span<const std::byte> value) = 0;
  /// Returns what that process published under that name before a fence that all have passed.
  /// Throws Error(start) when there is nothing.
  [[nodiscard]] std::vector<std::byte> get(int process, std::string_view key) {
    reads_.fetch_add(1, std::memory_order_relaxed);
    return look_up(process, key);
  }
  /// How many values this process has asked for. From any thread.
  [[nodiscard]] std::uint64_t reads() const { return reads_.load(std::memory_order_relaxed); }
  /// Whether get() reads this process's memory. If not it asks somebody, and may be in the way of
  /// an MPI of the program that asks the same one, or ends before the job does.
  [[nodiscard]] virtual bool is_in_memory() const { return false; }
  /// Collective over all processes: what was put before it can be read after it. Throws
  /// Error(start) when the launcher says that a process is gone, or when one does not come within
  /// the start time-out.
  void fence() { wait_for_all(start_timeout()); }
  /// A fence of others that may have much to do before they come: however long that takes.
  void fence_of_the_busy() { wait_for_all(std::chrono::hours(24 * 365)); }

  /// Asks who started the job to end it, on all nodes. From any thread; returns, perhaps with
  /// nothing done.
  virtual void end_job(int /*status*/) {}

  static constexpr std::size_t key_chars_max = 24;

 protected:
  [[nodiscard]] virtual std::vector<std::byte> look_up(int process, std::string_view key) = 0;
  virtual void wait_for_all(std::chrono::milliseconds patience) = 0;

 private:
  std::atomic<std::uint64_t> reads_{0};
};

}  // namespace armature::bootstrap
