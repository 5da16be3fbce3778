#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "armature/detail/export.hpp"
#include "armature/global_ptr.hpp"
#include "armature/rank.hpp"

namespace armature {

/// How memory is touched that loads and stores do not reach, as that of a device. Copies between it
/// and ordinary memory, both of this process; each is complete when it returns. Any thread of the
/// process may call, several at a time. It throws nothing, and calls nothing of Armature. One that
/// a virtual rank uses has static storage.
class ARMATURE_API MemoryKind {
 public:
  MemoryKind() = default;
  MemoryKind(const MemoryKind&) = delete;
  MemoryKind& operator=(const MemoryKind&) = delete;
  virtual ~MemoryKind();

  /// `to` is of this kind.
  virtual void write(void* to, const void* from, std::size_t bytes) const noexcept = 0;
  /// `from` is.
  virtual void read(void* to, const void* from, std::size_t bytes) const noexcept = 0;
};

namespace detail {
/// Returns the calling rank.
ARMATURE_API Rank expose(const void* memory, std::size_t bytes, const MemoryKind* kind);
ARMATURE_API void conceal(Rank owner, const void* memory, std::size_t bytes) noexcept;
}  // namespace detail

/// Memory of the calling rank that no segment holds, while other ranks may reach it: statics, the
/// stack, mappings of its own. Moves only.
template <class T>
class [[nodiscard]] Exposed {
 public:
  Exposed() = default;
  Exposed(global_ptr<T> first, std::size_t count) : first_(first), count_(count) {}
  Exposed(Exposed&& other) noexcept
      : first_(other.first_), count_(std::exchange(other.count_, 0)) {}
  Exposed& operator=(Exposed&& other) noexcept {
    if (this != &other) {
      conceal();
      first_ = other.first_;
      count_ = std::exchange(other.count_, 0);
    }
    return *this;
  }
  ~Exposed() { conceal(); }

  /// The pointer by which others reach the first element.
  [[nodiscard]] global_ptr<T> pointer() const { return first_; }
  [[nodiscard]] std::size_t size() const { return count_; }

  /// Ends it. No operation on that memory may be under way: a fence and a barrier say so.
  void conceal() noexcept {
    if (count_ != 0)
      detail::conceal(first_.rank(), first_.address(), std::exchange(count_, 0) * sizeof(T));
  }

 private:
  global_ptr<T> first_;
  std::size_t count_ = 0;
};

/// Lets all ranks put to, get from, accumulate into and do atomics on this memory of the calling
/// rank, until what it returns is gone. It serves all operations, in the same order, as a segment
/// does. There are two differences: between processes of a node a value may be seen half written,
/// and direct() does not reach it. It is also slower. Where it is a shared file, the other
/// processes of the node map the file, too, and a value is never seen half written. For other
/// memory the kernel copies (process_vm_writev). Where the kernel may not, and for atomics and
/// accumulates, a thread does the work. This call starts it beside the rank.
///
/// Throws Error(bad_argument) for no memory. A virtual rank can expose its stack and what it
/// allocates; for other memory, such as statics of its process, the call throws
/// Error(bad_argument), too. Throws Error(out_of_memory) if the rank exposes 500 pieces already,
/// and Error(start) if no thread can be started.
template <class T, std::size_t extent>
Exposed<T> expose(std::span<T, extent> memory) {
  const Rank me = detail::expose(memory.data(), memory.size_bytes(), nullptr);
  return {global_ptr<T>(me, memory.data()), memory.size()};
}
/// Exposes memory of a kind that loads and stores do not reach, in the same way. `kind` outlives
/// the Exposed.
template <class T, std::size_t extent>
Exposed<T> expose(std::span<T, extent> memory, const MemoryKind& kind) {
  const Rank me = detail::expose(memory.data(), memory.size_bytes(), &kind);
  return {global_ptr<T>(me, memory.data()), memory.size()};
}

}  // namespace armature
