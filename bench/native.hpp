#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

// The network engine's own operations between the same two processes, for comparison: put and get
// to registered memory, an active message and its answer. In a module that is loaded for this
// (ucx/), so that the command itself needs no network library.

namespace armature::bench {

class Native {
 public:
  Native() = default;
  Native(const Native&) = delete;
  Native& operator=(const Native&) = delete;
  virtual ~Native() = default;

  /// The address that the other must know to reach this process and its memory.
  [[nodiscard]] virtual std::span<const std::byte> address() const = 0;
  /// Returns what went wrong, or nullptr.
  [[nodiscard]] virtual const char* connect(std::span<const std::byte> other) = 0;

  // All return when they are complete at the other, which must be in answer(). Of several
  // transfers, each of so many bytes and behind the one before, none waits for another.
  virtual void put(std::size_t offset, const void* from, std::size_t bytes, int count = 1) = 0;
  virtual void get(void* to, std::size_t offset, std::size_t bytes, int count = 1) = 0;
  /// An active message and its answer, where the engine has such a thing.
  virtual void question() {}
  /// Ends the other's answer().
  virtual void release() = 0;
  /// Progresses until the other has called release().
  virtual void answer() = 0;
};

/// The module exports this as `armature_open_native`: nullptr, and why in `problem`, when it cannot
/// work here. The other process may put to `memory` and get from it.
using OpenNative = Native* (*)(std::span<std::byte> memory, char* problem,
                               std::size_t problem_bytes);

/// nullptr, and why, where there is no such module or it cannot work.
std::unique_ptr<Native> open_native(std::span<std::byte> memory, std::string& problem);

}  // namespace armature::bench
