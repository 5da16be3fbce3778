#pragma once

#include <compare>
#include <cstddef>
#include <type_traits>

#include "armature/detail/export.hpp"
#include "armature/rank.hpp"

namespace armature {

namespace detail {
/// The address, if that rank's memory is mapped here; else throws Error(bad_address) that says
/// whose memory it is and which calls reach it.
ARMATURE_API void* direct(Rank rank, const void* address);
}  // namespace detail

/// A type that put and get move: bytes that may be copied.
template <class T>
concept Transferable = std::is_trivially_copyable_v<T>;

/// A place in some rank's memory: who owns it, and its address. The address is the same in every
/// process of the owner's node. Arithmetic is that of T*; it never checks, the calls that use the
/// pointer do.
template <class T>
class global_ptr {
 public:
  using element_type = T;

  constexpr global_ptr() = default;
  constexpr global_ptr(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)
  constexpr global_ptr(Rank rank, T* address) : address_(address), rank_(rank) {}
  template <class U>
  requires std::is_convertible_v<U*, T*>
  constexpr global_ptr(global_ptr<U> other)  // NOLINT(google-explicit-constructor)
      : address_(other.address()), rank_(other.rank()) {}

  [[nodiscard]] constexpr Rank rank() const { return rank_; }
  /// The address in the owner's process; to dereference it here, use direct().
  [[nodiscard]] constexpr T* address() const { return address_; }
  /// A plain pointer, for ranks on my node. Throws Error(bad_address) for a rank on another node.
  [[nodiscard]] T* direct() const { return static_cast<T*>(detail::direct(rank_, address_)); }

  constexpr explicit operator bool() const { return address_ != nullptr; }
  template <class U>
  [[nodiscard]] constexpr global_ptr<U> cast() const {
    return {rank_,
            static_cast<U*>(
                static_cast<std::conditional_t<std::is_const_v<T>, const void, void>*>(address_))};
  }

  constexpr global_ptr& operator+=(std::ptrdiff_t n) requires(!std::is_void_v<T>) {
    address_ += n;
    return *this;
  }
  constexpr global_ptr& operator-=(std::ptrdiff_t n) requires(!std::is_void_v<T>) {
    address_ -= n;
    return *this;
  }
  constexpr global_ptr& operator++() { return *this += 1; }
  constexpr global_ptr& operator--() { return *this -= 1; }
  friend constexpr global_ptr operator+(global_ptr p, std::ptrdiff_t n) { return p += n; }
  friend constexpr global_ptr operator-(global_ptr p, std::ptrdiff_t n) { return p -= n; }
  friend constexpr std::ptrdiff_t operator-(global_ptr a, global_ptr b) {
    return a.address_ - b.address_;
  }
  constexpr global_ptr operator[](std::ptrdiff_t n) const { return *this + n; }
  friend constexpr bool operator==(global_ptr a, global_ptr b) {
    return a.address_ == b.address_ && (a.rank_ == b.rank_ || a.address_ == nullptr);
  }

 private:
  T* address_ = nullptr;
  Rank rank_ = Rank::none();
};

}  // namespace armature
