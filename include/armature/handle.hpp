#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "armature/detail/export.hpp"
#include "armature/rank.hpp"

namespace armature {

template <class T>
class future;

namespace detail {
struct Request;  // an operation under way; see src/wait/request.hpp
ARMATURE_API bool test(Request*& request);
ARMATURE_API void wait(Request*& request);
ARMATURE_API void abandon(Request* request) noexcept;
}  // namespace detail

/// The completion of one non-blocking transfer: a lighter future<void>, which converts to one.
/// wait() completes it locally (armci-rma-2006, 4.1). After that the source of a put or accumulate
/// may be reused, and the target of a get holds the data. Remote completion of puts and accumulates
/// is fence()'s. A handle that is empty, or was waited for, is complete. Moves only; its destructor
/// waits.
///
/// Between ranks of a node an operation is complete when its call returns: the handle is empty.
///
/// then() and co_await are those of future<void>, need <armature/future.hpp>, and leave the handle
/// empty.
class [[nodiscard]] Handle {
 public:
  Handle() = default;
  explicit Handle(detail::Request* request) : request_(request) {}
  Handle(Handle&& other) noexcept : request_(other.request_) { other.request_ = nullptr; }
  Handle& operator=(Handle&& other) noexcept {
    // Dropping the old operation waits, and a method may look at this object meanwhile.
    detail::Request* const abandoned = std::exchange(request_, other.release());
    if (abandoned != nullptr) detail::abandon(abandoned);
    return *this;
  }
  ~Handle() {
    if (request_ != nullptr) detail::abandon(request_);
  }

  /// True once the operation is complete; lets the library make progress. Never blocks.
  [[nodiscard]] bool test() { return request_ == nullptr || detail::test(request_); }
  /// Whether there is nothing to wait for, known without a look.
  [[nodiscard]] bool is_empty() const { return request_ == nullptr; }
  void wait() {
    if (request_ != nullptr) detail::wait(request_);
  }
  /// Calls f() when the operation is complete; a future of what f returns.
  template <class F>
  auto then(F f);

  /// The operation, which the handle knows nothing of any more.
  [[nodiscard]] detail::Request* release() { return std::exchange(request_, nullptr); }

 private:
  detail::Request* request_ = nullptr;
};

namespace detail {
ARMATURE_API void keep_implicit(Rank rank, Handle operation, const char* call);
/// Turns it into an operation to that rank with implicit handle.
inline void make_implicit(Rank rank, Handle operation, const char* call) {
  if (!operation.is_empty()) keep_implicit(rank, std::move(operation), call);
}
}  // namespace detail

/// Completes all of them locally.
ARMATURE_API void wait_all(std::span<Handle> handles);
/// True when all are complete.
[[nodiscard]] ARMATURE_API bool test_all(std::span<Handle> handles);
/// Blocks until one is complete; returns its index. Throws Error(bad_argument) for an empty span.
ARMATURE_API std::size_t wait_any(std::span<Handle> handles);
/// The index of one that is complete, or handles.size() when none is.
[[nodiscard]] ARMATURE_API std::size_t test_any(std::span<Handle> handles);
/// Blocks until one is complete; writes the indices of all that are to `complete`, in their order,
/// and returns how many. Throws Error(bad_argument) for an empty span, and where `complete` is
/// shorter than `handles`.
ARMATURE_API std::size_t wait_some(std::span<Handle> handles, std::span<std::size_t> complete);
/// Writes the indices of those that are complete as wait_some does, and does not block; 0 when none
/// is.
[[nodiscard]] ARMATURE_API std::size_t test_some(std::span<Handle> handles,
                                                 std::span<std::size_t> complete);

/// Completes locally every non-blocking operation with implicit handle (`..._nbi`) of this rank.
/// Throws Error(rank_lost) once, when all are over, where one needed a rank that is lost.
ARMATURE_API void wait_all();
/// Completes those to one rank, as wait_all() does for all.
ARMATURE_API void wait_all(Rank rank);

}  // namespace armature
