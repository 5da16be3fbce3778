#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
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

/// A table of things that are made when they are first asked for, and found by their number's hash.
/// It takes as much memory as there are things, not as there are ranks. Used by one thread.
template <class T>
class SparseTable {
 public:
  T& operator[](std::size_t index) {
    if (T* const there = find(index)) [[likely]]
      return *there;
    if (2 * (made_.size() + 1) > places_.size()) grow();
    made_.push_back(std::make_unique<T>());
    indices_.push_back(static_cast<int>(index));
    put(index, made_.back().get());
    return *made_.back();
  }
  /// nullptr when nobody has asked for it.
  [[nodiscard]] T* find(std::size_t index) const {
    if (places_.empty()) return nullptr;
    std::size_t place = first_place(index);
    // Half of the places are free at least.
    while (places_[place].thing != nullptr && places_[place].index != index) place = after(place);
    return places_[place].thing;
  }
  /// The indices of those that were made, in that order.
  [[nodiscard]] const std::vector<int>& indices() const { return indices_; }

 private:
  struct Place {
    std::size_t index = 0;
    T* thing = nullptr;
  };
  static constexpr int bits_at_first = 2;

  [[nodiscard]] std::size_t first_place(std::size_t index) const {
    constexpr std::uint64_t golden = 0x9e37'79b9'7f4a'7c15;
    return static_cast<std::size_t>(index * golden >> shift_);
  }
  [[nodiscard]] std::size_t after(std::size_t place) const {
    return (place + 1) & (places_.size() - 1);
  }
  void put(std::size_t index, T* thing) {
    std::size_t place = first_place(index);
    while (places_[place].thing != nullptr) place = after(place);
    places_[place] = {index, thing};
  }
  void grow() {
    --shift_;
    places_.assign(std::size_t{1} << (64 - shift_), {});
    for (std::size_t i = 0; i < made_.size(); ++i)
      put(static_cast<std::size_t>(indices_[i]), made_[i].get());
  }

  std::vector<Place> places_;  // a power of two, 2^(64 - shift)
  int shift_ = 64 - bits_at_first + 1;
  std::vector<std::unique_ptr<T>> made_;  // in the order of indices
  std::vector<int> indices_;
};

}  // namespace armature::base
