#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

namespace armature::fibers {

/// A stack of its own on which a function runs until it suspends itself or returns. Used by one
/// thread.
class Fiber {
 public:
  /// Throws std::bad_alloc when there is no memory for the stack, which ends in a guard page.
  Fiber(std::size_t stack_bytes, std::function<void()> body);
  /// The stack is the caller's memory, and has no guard page.
  Fiber(std::span<std::byte> stack, std::function<void()> body);
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  /// Only once it is done, or before its first resume().
  ~Fiber();

  /// Runs it until it suspends itself; from outside.
  void resume();
  /// Back to whoever resumed it; from inside.
  void suspend();
  [[nodiscard]] bool done() const;

 private:
  struct Implementation;
  template <class Stack>
  void begin(Stack stack, std::function<void()> body);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace armature::fibers
