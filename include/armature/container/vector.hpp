#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "armature/collectives.hpp"
#include "armature/container/block_store.hpp"
#include "armature/container/blocks.hpp"
#include "armature/container/range.hpp"
#include "armature/container/vector_ref.hpp"
#include "armature/team.hpp"

namespace armature {

/// A vector that is spread over the members of a team in contiguous blocks, one each, and is one
/// object to all of them. Elements that are trivially copyable lie in the global address space:
/// another's element is read and written without its owner's doing. Others must be marshallable;
/// reading one asks its owner.
///
/// Collective calls (said so; also construction, destruction and move assignment) are made by all
/// members in the same order. What a member wrote is seen by the others after the next collective
/// call of the vector that begins with a fence, or of an algorithm on it.
template <class T>
class distributed_vector : public detail::VectorVisits<T> {
  using Visits = detail::VectorVisits<T>;

  static_assert(!std::is_same_v<T, bool>,
                "a distributed_vector of bool cannot be: use char or std::uint8_t (a std::vector "
                "of bool, in which elements are kept on their way, has none that could be copied)");

 public:
  using value_type = T;
  using size_type = std::size_t;

  explicit distributed_vector(const Team& team) : distributed_vector(team, std::size_t{0}) {}
  /// `size` elements, zero or as default-constructed, in blocks as equal as can be.
  distributed_vector(const Team& team, std::size_t size)
      : distributed_vector(std::make_unique<Store>(team, Blocks::even(size, team.size()))) {}
  distributed_vector(const Team& team, std::size_t size, const T& value)
      : distributed_vector(team, size) {
    std::ranges::fill(local(), value);
    fence();
  }
  /// Makes a vector of these values; the list is the same on every member.
  distributed_vector(const Team& team, std::initializer_list<T> values)
      : distributed_vector(team, values.size()) {
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(offset()), local().size(),
                local().begin());
    fence();
  }
  /// Every member's own elements, in team order; each keeps its own. See balance().
  template <std::ranges::input_range R>
  [[nodiscard]] static distributed_vector from_local(const Team& team, R&& mine) {
    std::vector<T> elements;
    for (auto&& element : mine) elements.push_back(std::forward<decltype(element)>(element));
    const auto counts = allgather(team, elements.size());
    distributed_vector vector(std::make_unique<Store>(team, Blocks::of(counts)));
    std::ranges::move(elements, vector.local().begin());
    vector.fence();
    return vector;
  }

  distributed_vector(distributed_vector&&) noexcept = default;
  distributed_vector& operator=(distributed_vector&& other) noexcept {
    Visits::operator=(std::move(other));
    store_ = std::move(other.store_);
    staged_ = std::move(other.staged_);
    return *this;
  }
  ~distributed_vector() { this->end_visits(); }
  /// Collective.
  [[nodiscard]] distributed_vector clone() const {
    fence();
    distributed_vector copy(std::make_unique<Store>(team(), blocks()));
    std::ranges::copy(local(), copy.local().begin());
    copy.fence();
    return copy;
  }

  [[nodiscard]] const Team& team() const { return store_->team(); }
  [[nodiscard]] std::size_t size() const { return blocks().size(); }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] const Blocks& blocks() const { return store_->blocks(); }

  // -- my block
  [[nodiscard]] std::span<T> local() { return {store_->mine(), blocks().count(team().rank())}; }
  [[nodiscard]] std::span<const T> local() const {
    return {store_->mine(), blocks().count(team().rank())};
  }
  /// The index of local()[0].
  [[nodiscard]] std::size_t offset() const { return blocks().first(team().rank()); }
  [[nodiscard]] bool is_local(std::size_t i) const { return i - offset() < local().size(); }

  // -- elements
  /// Reading or writing an element that there is not throws Error(bad_argument).
  [[nodiscard]] element_reference<T> operator[](std::size_t i) { return {*store_, i}; }
  [[nodiscard]] T operator[](std::size_t i) const { return store_->read(i); }
  /// Throws it at once.
  [[nodiscard]] element_reference<T> at(std::size_t i) {
    detail::require_element(i, size());
    return {*store_, i};
  }
  [[nodiscard]] T at(std::size_t i) const {
    detail::require_element(i, size());
    return store_->read(i);
  }
  /// Returns where an element lies, for one-sided operations: put_async, fetch_add, accumulate...
  [[nodiscard]] global_ptr<T> pointer(std::size_t i) const requires Transferable<T> {
    return store_->pointer(i);
  }
  /// A copy of the section of `count` elements from `first`.
  [[nodiscard]] std::vector<T> read(std::size_t first, std::size_t count) const {
    detail::require_section(first, count, size());
    std::vector<T> elements(count);
    store_->read(first, std::span<T>(elements));
    return elements;
  }
  /// Collective: what any member wrote before is seen by all after, and visits are done.
  void fence() const { store_->fence(); }

  // -- as ranges
  [[nodiscard]] distributed_range<T> view() { return {*store_, 0, size()}; }
  [[nodiscard]] distributed_range<const T> view() const { return {*store_, 0, size()}; }
  /// The elements [first, last). Throws Error(bad_argument).
  [[nodiscard]] distributed_range<T> slice(std::size_t first, std::size_t last) {
    return {*store_, first, last};
  }
  [[nodiscard]] distributed_range<const T> slice(std::size_t first, std::size_t last) const {
    return {*store_, first, last};
  }

  // -- group updates: collective, and each begins with a fence. Afterwards blocks are as equal as
  // can be.
  void resize(std::size_t new_size, const T& value = T()) {
    fence();
    detail::even_out(store_, new_size, value);
    this->begin_visits(*store_);
    fence();
  }
  void assign(std::size_t new_size, const T& value) {
    fence();
    *this = distributed_vector(team(), new_size, value);
  }
  void clear() {
    staged_.clear();
    resize(0);
  }
  /// Keeps `value` aside on this member until flush(), assign() or clear(), which drop it; not
  /// collective.
  void push_back(T value) { staged_.push_back(std::move(value)); }
  /// Appends what the members have kept aside, in team order. Moves elements: let many come
  /// together.
  void flush() {
    const std::size_t before = size();
    const auto counts = allgather(team(), staged_.size());
    const Blocks added = Blocks::of(counts);
    fence();
    detail::even_out(store_, before + added.size(), T());
    this->begin_visits(*store_);
    store_->write(before + added.first(team().rank()), std::span<const T>(staged_));
    staged_.clear();
    fence();
  }
  /// Appends every member's elements, in team order.
  template <std::ranges::input_range R>
  void append(R&& mine) {
    for (auto&& element : mine) staged_.push_back(std::forward<decltype(element)>(element));
    flush();
  }
  /// Makes the blocks as equal as possible, with the same elements in the same order.
  void balance() {
    fence();
    detail::even_out(store_, size(), T());
    this->begin_visits(*store_);
    fence();
  }

 private:
  using Store = detail::BlockStore<T>;

  explicit distributed_vector(std::unique_ptr<Store> store)
      : Visits(*store), store_(std::move(store)) {}
  std::unique_ptr<Store> store_;
  std::vector<T> staged_;
};

}  // namespace armature
