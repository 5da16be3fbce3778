#pragma once

#include <atomic>
#include <mutex>
#include <vector>

namespace armature::wait {

struct RankContext;

/// Has work that the network's thread may do while the rank computes. Threads other than the
/// rank's own may do it at any time: implemented by higher floors.
class HelpedRank {
 public:
  /// Never blocks. Whether it is to be called again soon, though nothing comes from other nodes.
  virtual bool help() = 0;

 protected:
  ~HelpedRank() = default;
};

/// The ranks of a process that its network's thread helps.
class HelpedRanks {
 public:
  void add(HelpedRank& helped, RankContext& rank);
  /// Nobody helps it any more when this returns. Does nothing where it is not there.
  void remove(const HelpedRank& helped);
  // By the network's thread. While it helps it holds no lock.
  void help();
  /// Whether some want to be helped again soon.
  [[nodiscard]] bool are_to_be_helped_soon() const { return soon_.load(std::memory_order_relaxed); }
  /// By a rank that computes from now on, before it tells the thread to look.
  void help_soon() { soon_.store(true, std::memory_order_relaxed); }

 private:
  struct One {
    HelpedRank* helped;
    RankContext* rank;
  };
  std::mutex mutex_;
  std::vector<One> all_;
  std::atomic<bool> soon_ = false;
};

/// Those of the calling thread's runtime.
HelpedRanks& helped_ranks();

}  // namespace armature::wait
