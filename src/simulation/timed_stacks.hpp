#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "fibers/fiber.hpp"

namespace armature::simulation {

/// The stacks of all ranks of a simulation. A guard page makes a stack two areas of memory, of
/// which a process may have 65,530 (vm.max_map_count). So many ranks have their stacks in one area,
/// without guard pages; a word at the lower end of each tells whether it was used up.
class TimedStacks {
 public:
  static constexpr std::size_t bytes_each = std::size_t{256} << 10;

  /// Throws std::bad_alloc.
  explicit TimedStacks(std::size_t ranks);
  TimedStacks(const TimedStacks&) = delete;
  TimedStacks& operator=(const TimedStacks&) = delete;
  ~TimedStacks();

  /// A fiber on that rank's stack. It is gone before this is, or done.
  [[nodiscard]] std::unique_ptr<fibers::Fiber> fiber(std::size_t rank, std::function<void()> body);
  [[nodiscard]] bool is_used_up(std::size_t rank) const;

 private:
  std::span<std::byte> area_;  // empty: stacks have guard pages
};

}  // namespace armature::simulation
