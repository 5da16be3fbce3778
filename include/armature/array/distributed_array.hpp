#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "armature/array/distribution.hpp"
#include "armature/array/element.hpp"
#include "armature/array/layout.hpp"
#include "armature/array/range.hpp"
#include "armature/array/section.hpp"
#include "armature/array/store.hpp"
#include "armature/array/view.hpp"
#include "armature/atomic.hpp"
#include "armature/error.hpp"
#include "armature/global_ptr.hpp"
#include "armature/team.hpp"

namespace armature {

namespace detail {
template <int N>
constexpr std::array<int, static_cast<std::size_t>(N)> first_dimensions() {
  std::array<int, static_cast<std::size_t>(N)> dimensions{};
  for (int d = 0; d < N; ++d) dimensions[static_cast<std::size_t>(d)] = d;
  return dimensions;
}
}  // namespace detail

/// How an array is spread and laid out. Everything has a default, and is the same on all members.
template <int N>
struct array_options {
  /// Errors name the array so.
  std::string name = "array";
  /// One for each dimension.
  std::array<Distribution, static_cast<std::size_t>(N)> distribution{};
  /// The positions of the process grid in each dimension; 0: chosen, so that blocks are compact.
  /// Fewer positions than members leave the last members without elements.
  std::array<int, static_cast<std::size_t>(N)> grid{};
  /// How many elements of its neighbours a block keeps copies of, on both sides of a dimension.
  /// Needs a distribution in blocks. See exchange_ghosts().
  std::array<std::ptrdiff_t, static_cast<std::size_t>(N)> ghosts{};
  Order order = Order::row_major;
};

/// How an array of N dimensions lies beside another: see distributed_array::like.
template <int N>
struct array_alignment {
  /// The dimensions of the other array, one for each; by default the first ones.
  std::array<int, static_cast<std::size_t>(N)> dimensions = detail::first_dimensions<N>();
  /// The index there that goes with index 0.
  std::array<std::ptrdiff_t, static_cast<std::size_t>(N)> first{};
  /// Whether each position of the grid in the other dimensions has a copy. Else only position 0 has
  /// elements.
  bool is_replicated = false;
};

namespace detail {
/// f of each dimension.
template <int N, class F>
std::array<std::ptrdiff_t, static_cast<std::size_t>(N)> per_dimension(F f) {
  std::array<std::ptrdiff_t, static_cast<std::size_t>(N)> all{};
  for (int d = 0; d < N; ++d) all[static_cast<std::size_t>(d)] = f(d);
  return all;
}
}  // namespace detail

/// An array of N dimensions that is spread over the members of a team and is one object to all of
/// them (Global Arrays, HPF). Elements lie in the global address space: another's are read and
/// written without its doing, by global indices that count from 0.
///
/// Collective calls (said so; also construction, destruction and move assignment) are made by all
/// members in the same order. What a member wrote is seen by the others after fence().
///
/// An index that there is not throws Error(bad_argument), naming array, index, dimension and bound.
template <class T, int N>
class distributed_array {
  static_assert(Transferable<T> && !std::is_const_v<T>,
                "elements of a distributed_array are copied as bytes");
  static_assert(N >= 1 && N <= array_dimensions_max, "an array has one to eight dimensions");

 public:
  using value_type = T;
  using Indices = std::array<std::ptrdiff_t, static_cast<std::size_t>(N)>;
  using Ranges = std::array<Range, static_cast<std::size_t>(N)>;
  using View = array_view<T, N>;

  /// An array of zeros. Throws Error(bad_argument), on every member, for options that do not fit,
  /// and Error(out_of_memory).
  distributed_array(const Team& team, const Indices& shape, const array_options<N>& options = {})
      : distributed_array(
            team, options.name,
            detail::ArrayLayout({options.name, shape, options.distribution, options.grid,
                                 options.ghosts, options.order, team.size()})) {}
  /// An array aligned with another: of the same shape, each element at the same member and place.
  template <class U>
  [[nodiscard]] static distributed_array like(const distributed_array<U, N>& other,
                                              std::string name = "array") {
    return distributed_array(other.team(), std::move(name), other.layout());
  }
  /// An array that is aligned with some dimensions of another (HPF's ALIGN): its index i of
  /// dimension k lies with index first[k] + i of dimension dimensions[k] of `other`. Throws
  /// Error(bad_argument), which names both, when there is none.
  template <class U, int M>
  [[nodiscard]] static distributed_array like(const distributed_array<U, M>& other,
                                              const Indices& shape,
                                              const array_alignment<N>& alignment,
                                              std::string name = "array") {
    detail::ArrayLayout layout =
        other.layout().aligned({name, other.name(), shape, alignment.dimensions, alignment.first,
                                alignment.is_replicated});
    return distributed_array(other.team(), std::move(name), std::move(layout));
  }
  distributed_array(const Team& team, std::string name, detail::ArrayLayout layout)
      : store_(std::make_unique<detail::ArrayStore>(team, std::move(name), std::move(layout),
                                                    sizeof(T), alignof(T))) {}

  explicit distributed_array(std::unique_ptr<detail::ArrayStore> store)
      : store_(std::move(store)) {}

  distributed_array(distributed_array&&) noexcept = default;
  distributed_array& operator=(distributed_array&&) noexcept = default;

  [[nodiscard]] const Team& team() const { return store_->team(); }
  [[nodiscard]] const std::string& name() const { return store_->name(); }
  [[nodiscard]] static constexpr int dimensions() { return N; }
  [[nodiscard]] std::ptrdiff_t extent(int d) const { return layout().axis(d).extent(); }
  [[nodiscard]] Indices shape() const {
    return detail::per_dimension<N>([&](int d) { return extent(d); });
  }
  [[nodiscard]] std::ptrdiff_t size() const { return layout().size(); }
  /// The positions of the process grid.
  [[nodiscard]] std::array<int, static_cast<std::size_t>(N)> grid() const {
    std::array<int, static_cast<std::size_t>(N)> grid{};
    for (int d = 0; d < N; ++d) grid[static_cast<std::size_t>(d)] = layout().axis(d).positions();
    return grid;
  }
  [[nodiscard]] const detail::ArrayLayout& layout() const { return store_->layout(); }
  /// Whether each element is the same one of the same member in both, so that operations on both
  /// move nothing. Ghosts may differ.
  template <class U>
  [[nodiscard]] bool is_aligned_with(const distributed_array<U, N>& other) const {
    return layout().is_aligned_with(other.layout());
  }

  // -- elements: global indices
  template <std::integral... I>
  requires(sizeof...(I) == static_cast<std::size_t>(N)) [[nodiscard]] array_element<T> operator()(
      I... i) {
    return array_element<T>(pointer({static_cast<std::ptrdiff_t>(i)...}),
                            store_->is_plain() ? nullptr : store_.get());
  }
  template <std::integral... I>
  requires(sizeof...(I) == static_cast<std::size_t>(N)) [[nodiscard]] T operator()(I... i) const {
    const Indices at{static_cast<std::ptrdiff_t>(i)...};
    store_->require_indices(detail::ArrayUse::get, at.data());
    return armature::get(pointer(at));
  }
  /// The place of an element, for one-sided operations: put_async, fetch_add, accumulate... Of a
  /// replicated array it is the nearest copy, which is only read so.
  [[nodiscard]] global_ptr<T> pointer(const Indices& i) const {
    const global_ptr<std::byte> at = store_->pointer(i.data());
    return {at.rank(), reinterpret_cast<T*>(at.address())};
  }
  /// The member that has an element, or the nearest copy of it.
  [[nodiscard]] int owner(const Indices& i) const { return store_->owner(i.data()); }
  /// Adds to an integer element in one step, and returns what it was before. Throws
  /// Error(bad_argument) for a replicated array: its copies could not be changed in one step.
  T read_increment(const Indices& i, T by = 1) requires AtomicInteger<T> {
    if (store_->is_replicated())
      throw Error(Errc::bad_argument, "distributed_array '" + name() +
                                          "' is replicated: no step increments all copies");
    store_->require_indices(detail::ArrayUse::accumulate, i.data());
    return fetch_add(pointer(i), by);
  }

  // -- sections
  /// The section of a range, or an index, in each dimension.
  [[nodiscard]] array_section<T> operator[](const Ranges& ranges) { return {*store_, cut(ranges)}; }
  [[nodiscard]] array_section<const T> operator[](const Ranges& ranges) const {
    return {*store_, cut(ranges)};
  }
  /// A section of ranges that may go over the ends, where the array begins again. In a section that
  /// is written no element comes twice.
  [[nodiscard]] array_section<T> periodic(const Ranges& ranges) {
    return {*store_, cut(ranges, true)};
  }
  [[nodiscard]] array_section<const T> periodic(const Ranges& ranges) const {
    return {*store_, cut(ranges, true)};
  }
  [[nodiscard]] array_section<T> all() { return (*this)[Ranges{}]; }
  [[nodiscard]] array_section<const T> all() const { return (*this)[Ranges{}]; }

  // -- what the caller has
  /// My elements: local indices count from 0. Where there are ghosts, -1 is the nearest one before
  /// the block, and extent(d) the nearest one behind it.
  [[nodiscard]] View local() {
    store_->require_use(detail::ArrayUse::local_access, [] { return "local()"; });
    return view_of<T>();
  }
  [[nodiscard]] array_view<const T, N> local() const { return view_of<const T>(); }
  /// My memory, with ghosts, in the order in which it lies.
  [[nodiscard]] std::span<T> local_memory() {
    store_->require_use(detail::ArrayUse::local_access, [] { return "local_memory()"; });
    return {reinterpret_cast<T*>(store_->mine()), static_cast<std::size_t>(store_->block().size)};
  }
  [[nodiscard]] std::span<const T> local_memory() const {
    return {reinterpret_cast<const T*>(store_->mine()),
            static_cast<std::size_t>(store_->block().size)};
  }
  /// The global indices of a local element.
  [[nodiscard]] Indices global(const Indices& local) const {
    const auto at = layout().place(store_->me());
    return detail::per_dimension<N>([&](int d) {
      return layout().axis(d).global(at[static_cast<std::size_t>(d)],
                                     local[static_cast<std::size_t>(d)]);
    });
  }
  /// The ranges of global indices that a member has. Throws Error(bad_argument) if a distribution
  /// is not in blocks: these have no ranges.
  [[nodiscard]] Ranges region(int member) const;
  [[nodiscard]] Ranges region() const { return region(store_->me()); }

  /// Collective: what any member wrote before is seen by all after.
  void fence() const { team().barrier(); }

  [[nodiscard]] const detail::ArrayStore& store() const { return *store_; }

 private:
  [[nodiscard]] detail::ArraySection cut(const Ranges& ranges, bool is_periodic = false) const {
    return detail::make_section(name(), layout(), ranges.data(), is_periodic);
  }
  template <class U>
  [[nodiscard]] array_view<U, N> view_of() const {
    const detail::ArrayBlock& block = store_->block();
    return {
        reinterpret_cast<U*>(store_->mine()) + block.first,
        detail::per_dimension<N>([&](int d) { return block.counts[static_cast<std::size_t>(d)]; }),
        detail::per_dimension<N>(
            [&](int d) { return block.strides[static_cast<std::size_t>(d)]; })};
  }

  std::unique_ptr<detail::ArrayStore> store_;
};

template <class T, int N>
auto distributed_array<T, N>::region(int member) const -> Ranges {
  Ranges ranges;
  const auto at = layout().place(member);
  for (int d = 0; d < N; ++d) {
    const detail::ArrayAxis& axis = layout().axis(d);
    if (!axis.is_contiguous())
      throw Error(Errc::bad_argument, "distributed_array '" + name() +
                                          "': what a member has of dimension " + std::to_string(d) +
                                          " is no range, as it is not distributed in blocks");
    const int position = at[static_cast<std::size_t>(d)];
    ranges[static_cast<std::size_t>(d)] =
        at[0] < 0 ? Range(0, 0) : Range(axis.first(position), axis.first(position + 1));
  }
  return ranges;
}

}  // namespace armature
