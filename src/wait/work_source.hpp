#pragma once

namespace armature::wait {

/// Takes in work while a rank waits, as messages and remote calls: implemented by higher floors.
class WorkSource {
 public:
  WorkSource() = default;
  WorkSource(const WorkSource&) = delete;
  WorkSource& operator=(const WorkSource&) = delete;
  virtual ~WorkSource() = default;
  /// Never blocks, but what it calls may. Counts what it gets done in RankContext::done.
  virtual void deliver() = 0;
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
