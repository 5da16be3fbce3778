#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace armature::net {

/// While a process connects to others: UCX does not return while the kernel asks a peer again and
/// again that does not answer, which takes two minutes. Nothing can call it back, so whoever has
/// been waited for too long is told by another thread, which ends the process.
class ConnectGuard {
 public:
  ConnectGuard(std::uint64_t patience_ns, std::function<void(int process)> give_up);
  ConnectGuard(const ConnectGuard&) = delete;
  ConnectGuard& operator=(const ConnectGuard&) = delete;
  ~ConnectGuard();

  /// From now on it is this one that is connected to.
  void watch(int process);

 private:
  void run();

  std::uint64_t patience_ns_;
  std::function<void(int process)> give_up_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int process_ = -1;
  std::uint64_t changes_ = 0;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace armature::net
