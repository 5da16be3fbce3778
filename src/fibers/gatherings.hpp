#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "fibers/rank_fiber.hpp"

namespace armature::fibers {

/// Ranks of one process that wait until a word has come to that value.
struct Gathering {
  const std::atomic<std::uint64_t>* word;
  std::uint64_t value;
  std::vector<RankFiber*> ranks;  // in the order in which they came

  [[nodiscard]] bool is_over() const { return word->load(std::memory_order_acquire) >= value; }
};

/// The ranks of a process that wait together (wait::WaitFor::word). The process looks at each word
/// for all of them. So a word that comes costs one notification, and a rank that waits for it one
/// turn.
///
/// Invariant: a rank is in a gathering only while it is in a wait for that word. So the memory of
/// the word is there as long as the gathering is.
class Gatherings {
 public:
  /// The rank waits for that, and for nothing else.
  void add(RankFiber& fiber, const std::atomic<std::uint64_t>& word, std::uint64_t value);
  /// Its wait is over, or it goes to another process; does nothing where it is in none.
  void remove(RankFiber& fiber) {
    if (fiber.waiting.gathering != nullptr) [[unlikely]]
      take_out(fiber);
  }
  /// Takes out all whose word has come, and calls f(fiber) for each. False: there are none.
  template <class F>
  bool take_out(F&& f) {
    bool some = false;
    for (auto at = gatherings_.begin(); at != gatherings_.end();) {
      Gathering& gathering = at->second;
      ++at;
      if (!gathering.is_over()) continue;
      some = true;
      for (RankFiber* const fiber : gathering.ranks) {
        fiber->waiting.gathering = nullptr;
        f(*fiber);
      }
      end(gathering);
    }
    return some;
  }
  /// Forgets them all: ranks are found anew.
  void clear();

  [[nodiscard]] std::size_t size() const { return gatherings_.size(); }

 private:
  Gathering& of(const std::atomic<std::uint64_t>& word, std::uint64_t value);
  void take_out(RankFiber& fiber);
  void end(Gathering& gathering);

  std::unordered_map<const void*, Gathering> gatherings_;  // by their words
  Gathering* last_ = nullptr;     // that a rank has come to, while it is there
  std::vector<RankFiber*> room_;  // empty: of one that is over, for the next
};

}  // namespace armature::fibers
