#pragma once

namespace armature::wait {

/// A rank that looks again and again calls deliver() at one look in so many, and at the others
/// where has_come() says so.
inline constexpr int long_look_one_in = 16;

/// Takes in work while a rank waits, as messages and remote calls: implemented by higher floors.
class WorkSource {
 public:
  WorkSource() = default;
  WorkSource(const WorkSource&) = delete;
  WorkSource& operator=(const WorkSource&) = delete;
  virtual ~WorkSource() = default;
  /// Never blocks, but what it calls may. Counts what it gets done in RankContext::done.
  virtual void deliver() = 0;
  /// Whether something has come that deliver() would execute: a look of a few instructions, for in
  /// between. False where such a look says nothing.
  [[nodiscard]] virtual bool has_come() { return false; }
  /// Takes in what has come from that rank, which waits for it. Returns whether deliver() has more
  /// to do.
  virtual bool deliver_from(int /*rank*/) { return false; }
  /// Whether deliver() would find something that nobody notifies it of; asked before falling
  /// asleep.
  [[nodiscard]] virtual bool has_work() { return false; }
  /// Lets others see what was held back for them. By any thread; never blocks.
  virtual void publish() {}

 private:
  friend struct RankContext;
  WorkSource* next_ = nullptr;
};

}  // namespace armature::wait
