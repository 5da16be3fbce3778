#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>

#include "armature/detail/export.hpp"

// Ranks that share a process share its globals and statics. What each rank is to have by itself is
// a rank_local, as what each thread is to have is thread_local.

namespace armature {

namespace detail {
struct RankLocalType {
  void* (*make)(const void* variable);
  void (*destroy)(void* value) noexcept;
};
/// The calling rank's value for that variable, made when it is asked for first. Throws
/// Error(misuse) outside run().
ARMATURE_API void* rank_local(const void* variable, const RankLocalType& type);

/// How such a variable begins in the program's file.
struct RankLocalMark {
  std::uint64_t words[2] = {0x6361'6f6c'5f6b'6e61, 0x7261'6d72'615f'6c72};
};
}  // namespace detail

/// A global or static variable of which every rank has its own value: `armature::rank_local<int>
/// count;` and then `*count += 1`. The value begins as a copy of what the variable was made with,
/// when the rank uses it first. It goes with a rank that moves, and ends when the rank leaves the
/// job. What destructors of such values make anew then ends too, but no more than four times.
///
/// Such variables begin with a mark, so that `armature run` can tell them from others. For
/// variables that code has to make, it finds the tag in their names instead.
template <std::copy_constructible T>
class [[gnu::abi_tag("rank_local")]] rank_local {
 public:
  constexpr rank_local() requires std::default_initializable<T>
  = default;
  constexpr explicit rank_local(T first) : first_(std::move(first)) {}
  rank_local(const rank_local&) = delete;
  rank_local& operator=(const rank_local&) = delete;
  ~rank_local() = default;

  /// The calling rank's. Throws Error(misuse) outside run().
  [[nodiscard]] T& get() const {
    static constexpr detail::RankLocalType type = {
        [](const void* variable) -> void* {
          const auto& first = static_cast<const rank_local*>(variable)->first_;
          if constexpr (std::default_initializable<T>)
            if (!first) return new T();
          return new T(*first);
        },
        [](void* value) noexcept { delete static_cast<T*>(value); }};
    return *static_cast<T*>(detail::rank_local(this, type));
  }
  [[nodiscard]] T& operator*() const { return get(); }
  [[nodiscard]] T* operator->() const { return &get(); }

 private:
  [[maybe_unused]] detail::RankLocalMark mark_;
  std::optional<T> first_;  // without one the ranks' values are made as if by T()
};

}  // namespace armature
