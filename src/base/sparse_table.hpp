#pragma once

#include <array>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <memory>
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

/// The same for things that are made when they are first asked for. Their places are found in two
/// steps: a table of all would be pages that are touched here and there.
template <class T>
class SparseTable {
 public:
  explicit SparseTable(std::size_t size) : rows_((size + row_places - 1) / row_places) {}

  T& operator[](std::size_t index) {
    if (T* const there = find(index)) [[likely]]
      return *there;
    std::unique_ptr<Row>& row = rows_[index / row_places];
    if (row == nullptr) row = std::make_unique<Row>();
    indices_.push_back(static_cast<int>(index));
    return *((*row)[index % row_places] = &made_.emplace_back());
  }
  /// nullptr when nobody has asked for it.
  [[nodiscard]] T* find(std::size_t index) const {
    const std::unique_ptr<Row>& row = rows_[index / row_places];
    return row == nullptr ? nullptr : (*row)[index % row_places];
  }
  /// Where those are that were made, in that order.
  [[nodiscard]] const std::vector<int>& indices() const { return indices_; }

 private:
  static constexpr std::size_t row_places = 64;
  using Row = std::array<T*, row_places>;

  std::vector<std::unique_ptr<Row>> rows_;
  std::deque<T> made_;  // stay in place
  std::vector<int> indices_;
};

}  // namespace armature::base
