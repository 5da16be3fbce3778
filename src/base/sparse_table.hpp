#pragma once

#include <cstddef>
#include <cstdlib>
#include <deque>
#include <new>
#include <type_traits>
#include <vector>

namespace armature::base {

/// Memory of zeros that nobody has touched yet, for large tables of which little is used.
template <class T>
struct ZeroPages {
  using value_type = T;
  ZeroPages() = default;
  template <class U>
  ZeroPages(const ZeroPages<U>& /*other*/) {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t n) {
    void* const memory = std::calloc(n, sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t /*n*/) { std::free(memory); }
  // Zeros are what a T begins as.
  template <class U>
  void construct(U* /*place*/) {}
  friend bool operator==(const ZeroPages&, const ZeroPages&) { return true; }
};

/// A table of things that begin as zeros, one for each rank, where most ranks are never dealt with.
template <class T>
requires std::is_trivially_destructible_v<T> && std::is_trivially_copyable_v<T>
using ZeroTable = std::vector<T, ZeroPages<T>>;

/// The same for things that are made when they are first asked for.
template <class T>
class SparseTable {
 public:
  explicit SparseTable(std::size_t size) : places_(size) {}

  T& operator[](std::size_t index) {
    T*& place = places_[index];
    if (place == nullptr) [[unlikely]] {
      place = &made_.emplace_back();
      indices_.push_back(static_cast<int>(index));
    }
    return *place;
  }
  /// Those that were made, in that order, and where.
  [[nodiscard]] const std::deque<T>& made() const { return made_; }
  [[nodiscard]] const std::vector<int>& indices() const { return indices_; }

 private:
  ZeroTable<T*> places_;
  std::deque<T> made_;  // stay in place
  std::vector<int> indices_;
};

}  // namespace armature::base
