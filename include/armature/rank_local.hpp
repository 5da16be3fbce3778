#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "armature/detail/export.hpp"

// Ranks that share a process share its globals and statics. What each rank is to have by itself is
// a rank_local, as what each thread is to have is thread_local.

namespace armature {

namespace detail {
struct RankLocalType {
  void* (*make)(const void* first);
  void (*destroy)(void* value) noexcept;
};
/// The calling rank's value for that variable, made when it is asked for first. Throws
/// Error(misuse) outside run().
ARMATURE_API void* rank_local(const void* variable, const RankLocalType& type);
}  // namespace detail

/// A global or static variable of which every rank has its own value: `armature::rank_local<int>
/// count;` and then `*count += 1`. The value begins as a copy of what the variable was made with,
/// when the rank uses it first; goes with a rank that moves; ends when the rank leaves the job.
/// What destructors of such values make anew then ends too, but no more than four times. The tag
/// stands in the names of such variables, so that `armature run` can tell them from others.
template <std::copy_constructible T>
class [[gnu::abi_tag("rank_local")]] rank_local {
 public:
  rank_local() requires std::default_initializable<T>
  = default;
  explicit rank_local(T first) : first_(std::move(first)) {}
  rank_local(const rank_local&) = delete;
  rank_local& operator=(const rank_local&) = delete;
  ~rank_local() = default;

  /// The calling rank's. Throws Error(misuse) outside run().
  [[nodiscard]] T& get() const {
    static constexpr detail::RankLocalType type = {
        [](const void* first) -> void* { return new T(*static_cast<const T*>(first)); },
        [](void* value) noexcept { delete static_cast<T*>(value); }};
    return *static_cast<T*>(detail::rank_local(&first_, type));
  }
  [[nodiscard]] T& operator*() const { return get(); }
  [[nodiscard]] T* operator->() const { return &get(); }

 private:
  T first_{};
};

}  // namespace armature
