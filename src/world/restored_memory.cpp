#include "world/restored_memory.hpp"

#include <cstdlib>
#include <span>

#include "base/futex.hpp"
#include "bootstrap/environment.hpp"
#include "virtual/checkpoint/load.hpp"

namespace armature {

std::optional<checkpoints::Found> checkpoint_to_go_on_from() {
  const char* const directory = std::getenv(bootstrap::restart_variable);
  if (directory == nullptr) return std::nullopt;
  return checkpoints::find_latest(directory);
}

void begin_filling(const space::JobMemory& memory, const checkpoints::Found& found) {
  const space::Control control = space::map_control(memory.control.get());
  control.header().halt.is_filling.store(1, std::memory_order_relaxed);
  checkpoints::prepare(found, control);
}

void fill(space::JobMemory& memory, const checkpoints::Found& found) {
  checkpoints::fill(found, std::span(&memory, 1), {}, [&] {
    std::atomic<std::uint32_t>& word =
        space::map_control(memory.control.get()).header().halt.is_filling;
    // Release: who sees this sees the memory.
    word.store(0, std::memory_order_release);
    base::futex_wake(word);
  });
}

}  // namespace armature
