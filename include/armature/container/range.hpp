#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "armature/container/block_store.hpp"
#include "armature/error.hpp"
#include "armature/team.hpp"

namespace armature {

/// An element that may lie elsewhere: reading it gets it, assigning to it puts it, with the order
/// and completion of get and put. `v[i] += x` is a get and a put, not one step: for that, see
/// distributed_vector::pointer and fetch_add.
template <class T>
class element_reference {
  using Value = std::remove_const_t<T>;

 public:
  element_reference(detail::BlockStore<Value>& store, std::size_t i) : store_(&store), i_(i) {}

  operator Value() const { return store_->read(i_); }  // NOLINT(google-explicit-constructor)
  const element_reference& operator=(const Value& value) const requires(!std::is_const_v<T>) {
    store_->write(i_, value);
    return *this;
  }
  element_reference(const element_reference&) = default;
  const element_reference& operator=(const element_reference& other) const
      requires(!std::is_const_v<T>) {
    return *this = static_cast<Value>(other);
  }
  element_reference& operator=(const element_reference& other) {
    std::as_const(*this) = static_cast<Value>(other);
    return *this;
  }
  /// The elements change places, not what refers to them.
  friend void swap(element_reference a, element_reference b) requires(!std::is_const_v<T>) {
    const Value of_a = a;
    a = static_cast<Value>(b);
    b = of_a;
  }
  template <class U>
  const element_reference& operator+=(const U& by) const {
    return *this = static_cast<Value>(static_cast<Value>(*this) + by);
  }
  template <class U>
  const element_reference& operator-=(const U& by) const {
    return *this = static_cast<Value>(static_cast<Value>(*this) - by);
  }

 private:
  detail::BlockStore<Value>* store_;
  std::size_t i_;
};

/// A section of a distributed_vector, and how it is divided among the members of its team
/// (STAPL's pRange): what an algorithm works on. Every member has a piece, possibly empty, as a
/// contiguous C++20 range; pieces follow each other in team order. A value that does not keep the
/// vector alive; invalid when the vector is resized.
///
/// An index is the element's place in this range. Calls that are not said to be collective may be
/// made by one member.
template <class T>
class distributed_range {
 public:
  using element_type = T;
  using value_type = std::remove_const_t<T>;
  using Store = detail::BlockStore<value_type>;

  distributed_range(Store& store, std::size_t first, std::size_t last)
      : store_(&store), first_(first), last_(last) {
    require(first, last, store.blocks().size());
  }
  distributed_range(const distributed_range&) = default;
  distributed_range& operator=(const distributed_range&) = default;
  template <class U>
  requires std::same_as<T, const U> distributed_range(
      const distributed_range<U>& other)  // NOLINT(google-explicit-constructor)
      : store_(&other.store()), first_(other.first()), last_(other.first() + other.size()) {}

  [[nodiscard]] const Team& team() const { return store_->team(); }
  [[nodiscard]] std::size_t size() const { return last_ - first_; }
  [[nodiscard]] bool empty() const { return first_ == last_; }

  // -- pieces
  /// A member's piece is [begin_of(member), begin_of(member + 1)).
  [[nodiscard]] std::size_t begin_of(int member) const {
    if (member < 0 || member > team().size()) [[unlikely]]
      refuse_member(member);
    return std::clamp(store_->blocks().first(member), first_, last_) - first_;
  }
  [[nodiscard]] std::size_t size_of(int member) const {
    return begin_of(member + 1) - begin_of(member);
  }
  [[nodiscard]] int owner(std::size_t i) const { return store_->blocks().owner(place(i)); }
  /// The index of the first element of my piece; where it would be, when my piece is empty.
  [[nodiscard]] std::size_t offset() const { return begin_of(team().rank()); }
  /// My piece.
  [[nodiscard]] std::span<T> local() const {
    const int me = team().rank();
    const std::size_t skipped = first_ + begin_of(me) - store_->blocks().first(me);
    const std::size_t n = size_of(me);
    return {n == 0 ? nullptr : store_->mine() + skipped, n};
  }

  // -- elements, mine or another's; an index that there is not is Error(bad_argument)
  [[nodiscard]] element_reference<T> operator[](std::size_t i) const { return {*store_, place(i)}; }
  [[nodiscard]] value_type read(std::size_t i) const { return store_->read(place(i)); }
  /// Copies the section from index i that is as long as `to`.
  void read(std::size_t i, std::span<value_type> to) const {
    require_count(i, to.size());
    store_->read(first_ + i, to);
  }
  void write(std::size_t i, const value_type& value) const requires(!std::is_const_v<T>) {
    store_->write(place(i), value);
  }
  void write(std::size_t i, std::span<const value_type> from) const requires(!std::is_const_v<T>) {
    require_count(i, from.size());
    store_->write(first_ + i, from);
  }

  // -- what my piece depends on
  /// The element before my piece, and the one behind it, when there are.
  [[nodiscard]] std::optional<value_type> previous() const {
    const std::size_t begin = offset();
    return begin == 0 ? std::nullopt : std::optional<value_type>(read(begin - 1));
  }
  [[nodiscard]] std::optional<value_type> next() const {
    const std::size_t end = offset() + local().size();
    return end == size() ? std::nullopt : std::optional<value_type>(read(end));
  }

  /// Collective: what any member wrote to the vector before is seen by all after.
  void fence() const { store_->fence(); }

  /// The elements [begin, end). Throws Error(bad_argument).
  [[nodiscard]] distributed_range slice(std::size_t begin, std::size_t end) const {
    require(begin, end, size());
    return {*store_, first_ + begin, first_ + end};
  }
  [[nodiscard]] distributed_range view() const { return *this; }
  /// Whether every member's piece has the same indices in both.
  template <class U>
  [[nodiscard]] bool divided_as(const distributed_range<U>& other) const {
    for (int m = 0; m <= team().size(); ++m)
      if (begin_of(m) != other.begin_of(m)) return false;
    return true;
  }
  [[nodiscard]] Store& store() const { return *store_; }
  [[nodiscard]] std::size_t first() const { return first_; }

 private:
  /// The index of element i in the vector.
  [[nodiscard]] std::size_t place(std::size_t i) const {
    if (i >= size()) [[unlikely]]
      throw Error(Errc::bad_argument, "distributed_range: there is no element " +
                                          std::to_string(i) + " in one of " +
                                          std::to_string(size()));
    return first_ + i;
  }
  void require_count(std::size_t i, std::size_t count) const {
    // The sum may be too large for an index.
    require(i, count > SIZE_MAX - i ? SIZE_MAX : i + count, size());
  }
  [[noreturn]] void refuse_member(int member) const {
    throw Error(Errc::bad_rank, "distributed_range: there is no member " + std::to_string(member) +
                                    " in a team of " + std::to_string(team().size()));
  }
  static void require(std::size_t first, std::size_t last, std::size_t size) {
    if (first > last || last > size)
      throw Error(Errc::bad_argument, "a distributed_range of the elements " +
                                          std::to_string(first) + " to " + std::to_string(last) +
                                          " of " + std::to_string(size));
  }

  Store* store_;
  std::size_t first_;
  std::size_t last_;
};

namespace detail {
template <class R>
inline constexpr bool is_distributed_range = false;
template <class T>
inline constexpr bool is_distributed_range<distributed_range<T>> = true;

template <class R>
using ViewOf = decltype(std::declval<R&>().view());
}  // namespace detail

/// A distributed_vector or a distributed_range.
template <class R>
concept DistributedRange = requires(std::remove_reference_t<R>& range) {
  range.view();
  requires detail::is_distributed_range<decltype(range.view())>;
};
/// A range whose elements may be written.
template <class R>
concept WritableDistributedRange = DistributedRange<R> &&
    !std::is_const_v<typename detail::ViewOf<std::remove_reference_t<R>>::element_type>;

template <DistributedRange R>
using range_value_t = typename detail::ViewOf<std::remove_reference_t<R>>::value_type;

}  // namespace armature
