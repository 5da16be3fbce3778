#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "armature/detail/export.hpp"
#include "armature/world.hpp"

namespace armature {

namespace detail {
struct ModuleState;
}

/// A further thread of control of the calling rank (armci-on-charm-2006, 2.1), until it has ended.
/// A module has the rank's number, memory and objects, and a world of its own: collectives of
/// several modules do not mix. Modules of a rank take turns where they wait; nobody is interrupted.
class ARMATURE_API Module {
 public:
  /// Bytes of stack that a module has unless it asks for others.
  static constexpr std::size_t stack_bytes = 256 << 10;

  Module() noexcept;
  explicit Module(std::unique_ptr<detail::ModuleState> state);
  Module(Module&& other) noexcept;
  Module& operator=(Module&& other) noexcept;
  /// Waits for its end, unless an exception is under way. What it has thrown and nobody has waited
  /// for ends the program.
  ~Module();

  [[nodiscard]] explicit operator bool() const { return state_ != nullptr; }
  /// Whether it has ended here; never blocks.
  [[nodiscard]] bool has_ended() const;
  /// Returns when it has ended on this rank, or throws what it has thrown. Once: Error(misuse)
  /// after. On other ranks it may still run. Error(misuse) inside a method while it runs: then it
  /// may be waited for again.
  void wait();

 private:
  std::unique_ptr<detail::ModuleState> state_;
};

/// Starts f(world) as a module of the calling rank. Collective over the team: all its members start
/// the same modules in the same order, and `world` has them in the same order. f begins when the
/// rank waits next. Inside it armature::world() is its own world; a module may start others. The
/// rank's memory, objects, mutexes, tags of messages and remote calls are shared with its other
/// modules: a fence of remote calls waits for those of the others, too. Methods run while any of
/// them waits; while a method waits no module goes on. Throws Error(misuse) inside a method,
/// Error(bad_argument) for less than 16 KiB of stack, Error(out_of_memory).
[[nodiscard]] ARMATURE_API Module start_module(const Team& team, std::function<void(World&)> f,
                                               std::size_t stack_bytes = Module::stack_bytes);

template <class F>
Module World::start_module(F f, std::size_t stack_bytes) const {
  return armature::start_module(*this, std::move(f), stack_bytes);
}

}  // namespace armature
