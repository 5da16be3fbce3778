#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "armature/accumulate.hpp"
#include "armature/array/handles.hpp"
#include "armature/array/plan.hpp"
#include "armature/array/store.hpp"
#include "armature/array/transfers.hpp"
#include "armature/array/view.hpp"
#include "armature/error.hpp"

namespace armature {

template <class T>
class section_schedule;
template <class F, class... U>
class section_expression;

/// A section of a distributed_array: a value that does not keep the array alive. Transfers between
/// it and local memory are one-sided, and one operation for each rank that has a part. Their
/// completion and order are those of put, get and accumulate.
///
/// Assignment of a section to another is collective; see schedule.hpp.
template <class T>
class array_section {
  using Value = std::remove_const_t<T>;
  using Verb = detail::ArrayTransfers::Verb;

 public:
  array_section(const detail::ArrayStore& store, const detail::ArraySection& section)
      : store_(&store), section_(section) {}
  array_section(const array_section&) = default;
  template <class U>
  requires std::same_as<T, const U> array_section(
      const array_section<U>& other)  // NOLINT(google-explicit-constructor)
      : store_(&other.store()), section_(other.section()) {}

  /// How many dimensions it has: those of which it takes more than an index by itself.
  [[nodiscard]] int dimensions() const { return section_.open; }
  [[nodiscard]] std::ptrdiff_t extent(int k) const { return section_.count(k); }
  [[nodiscard]] std::ptrdiff_t size() const { return section_.size(); }
  /// This section with its dimensions in another order: dimension k is dimension order[k] of this
  /// section.
  [[nodiscard]] array_section permuted(std::span<const int> order) const {
    detail::ArraySection section = section_;
    unsigned seen = 0;
    for (const int k : order)
      if (k >= 0 && k < section_.open) seen |= 1U << static_cast<unsigned>(k);
    if (static_cast<int>(order.size()) != section_.open || seen + 1 != 1U << order.size())
      throw Error(Errc::bad_argument,
                  "distributed_array '" + store_->name() + "': no permutation of the " +
                      std::to_string(section_.open) + " dimensions of a section");
    for (std::size_t k = 0; k < order.size(); ++k) {
      section.axes[k] = section_.axes[static_cast<std::size_t>(order[k])];
      section.spread[k] = section_.spread[static_cast<std::size_t>(order[k])];
    }
    return {*store_, section};
  }
  [[nodiscard]] array_section permuted(std::initializer_list<int> order) const {
    return permuted(std::span<const int>(order.begin(), order.size()));
  }
  /// Dimensions in the opposite order.
  [[nodiscard]] array_section transposed() const {
    std::array<int, array_dimensions_max> order{};
    for (int k = 0; k < section_.open; ++k)
      order[static_cast<std::size_t>(k)] = section_.open - 1 - k;
    return permuted(std::span<const int>(order).first(static_cast<std::size_t>(section_.open)));
  }

  /// This section with a dimension more, number k, along which it has the same elements `count`
  /// times (Fortran's SPREAD): `matrix.all() = row.all().spread(0, rows)`. It is only read.
  [[nodiscard]] array_section<const T> spread(int k, std::ptrdiff_t count) const {
    return {*store_, detail::spread_section(store_->name(), section_, k, count)};
  }

  // -- transfers; views have the section's shape. A span has it in the order of a C array. Those
  // that are repeated are not planned again (plan_cache.hpp).
  template <int M>
  section_handle get_async(array_view<Value, M> to) const {
    return start(Verb::get, placed(to));
  }
  template <int M>
  void get(array_view<Value, M> to) const {
    perform(Verb::get, placed(to));
  }
  void get(std::span<Value> to) const { perform(Verb::get, placed(to)); }
  section_handle get_async(std::span<Value> to) const { return start(Verb::get, placed(to)); }
  [[nodiscard]] std::vector<Value> get() const requires(!std::same_as<Value, bool>) {
    std::vector<Value> elements(static_cast<std::size_t>(size()));
    get(std::span<Value>(elements));
    return elements;
  }

  template <class U, int M>
  requires std::same_as<std::remove_const_t<U>, T> section_handle put_async(array_view<U, M> from)
  const { return start(Verb::put, placed(from)); }
  template <class U, int M>
  requires std::same_as<std::remove_const_t<U>, T>
  void put(array_view<U, M> from) const { perform(Verb::put, placed(from)); }
  void put(std::span<const T> from) const requires(!std::is_const_v<T>) {
    perform(Verb::put, placed(from));
  }
  section_handle put_async(std::span<const T> from) const requires(!std::is_const_v<T>) {
    return start(Verb::put, placed(from));
  }

  /// Adds scale times the elements of `from`, atomically for each element.
  template <class U, int M>
  requires std::same_as<std::remove_const_t<U>, T> && Accumulable<T> section_handle
  accumulate_async(array_view<U, M> from, Value scale = Value(1))
  const { return start(Verb::accumulate, placed(from), &scale); }
  template <class U, int M>
  requires std::same_as<std::remove_const_t<U>, T> && Accumulable<T>
  void accumulate(array_view<U, M> from, Value scale = Value(1)) const {
    perform(Verb::accumulate, placed(from), &scale);
  }
  void accumulate(std::span<const T> from, Value scale = Value(1)) const requires Accumulable<T> {
    perform(Verb::accumulate, placed(from), &scale);
  }

  /// A get, put or accumulate that is planned once, to run it any number of times: `memory` is a
  /// view or span as above. Include section_schedule.hpp.
  template <class Memory>
  [[nodiscard]] section_schedule<T> get_schedule(const Memory& memory) const;
  template <class Memory>
  [[nodiscard]] section_schedule<T> put_schedule(const Memory& memory) const;
  template <class Memory>
  [[nodiscard]] section_schedule<T> accumulate_schedule(const Memory& memory,
                                                        Value scale = Value(1)) const;

  /// The members that have a part of it.
  [[nodiscard]] std::vector<int> owners() const {
    std::vector<int> members;
    for (const auto& partner : detail::plan_section(store_->layout(), section_, {}))
      members.push_back(partner.member);
    return members;
  }

  /// Collective: copies the elements of a section of the same shape, as copy() does. Include
  /// schedule.hpp.
  template <class U>
  requires(std::same_as<std::remove_const_t<U>, T> && !std::is_const_v<T>) const array_section&
  operator=(const array_section<U>& from) const;
  const array_section& operator=(const array_section& from) const requires(!std::is_const_v<T>) {
    return this->template operator=<T>(from);
  }
  array_section& operator=(const array_section& from) requires(!std::is_const_v<T>) {
    this->template operator=<T>(from);
    return *this;
  }

  /// Collective: the elements become those of an expression of sections of the same shape. Include
  /// section_expression.hpp.
  template <class F, class... U>
  requires(!std::is_const_v<T> &&
           std::is_invocable_r_v<T, const F&, const U&...>) const array_section&
  operator=(const section_expression<F, U...>& expression) const;

  [[nodiscard]] const detail::ArrayStore& store() const { return *store_; }
  [[nodiscard]] const detail::ArraySection& section() const { return section_; }

 private:
  friend class section_schedule<T>;

  /// Local memory of the section's shape.
  struct Place {
    Value* data;
    detail::PerDimension strides;
  };

  template <class U, int M>
  Place placed(array_view<U, M> view) const {
    store_->require_shape(section_, view.extents().data(), M);
    Place place{const_cast<Value*>(view.data()), {}};
    for (std::size_t k = 0; k < static_cast<std::size_t>(M); ++k)
      place.strides[k] = view.strides()[k];
    return place;
  }
  template <class U>
  Place placed(std::span<U> elements) const {
    const std::ptrdiff_t given = std::ssize(elements);
    if (given != size()) store_->require_shape(section_, &given, 1);
    Place place{const_cast<Value*>(elements.data()), {}};
    std::ptrdiff_t stride = 1;
    for (int k = section_.open; k-- > 0;) {
      place.strides[static_cast<std::size_t>(k)] = stride;
      stride *= section_.count(k);
    }
    return place;
  }

  static void accumulate_by(detail::ArrayTransfers& transfers, const Value* scale) {
    if constexpr (Accumulable<Value>)
      if (scale != nullptr) transfers.accumulate_by(detail::element_of<Value>, scale);
  }
  [[nodiscard]] auto lend(Verb verb, const Place& place) const {
    return store_->transfers(verb, section_, place.strides,
                             reinterpret_cast<std::byte*>(place.data));
  }
  void perform(Verb verb, const Place& place, const Value* scale = nullptr) const {
    const auto transfers = lend(verb, place);
    accumulate_by(*transfers, scale);
    transfers->perform();
  }
  section_handle start(Verb verb, const Place& place, const Value* scale = nullptr) const {
    const auto transfers = lend(verb, place);
    accumulate_by(*transfers, scale);
    std::vector<Handle> under_way;
    transfers->start(under_way);
    return section_handle(std::move(under_way));
  }

  const detail::ArrayStore* store_;
  detail::ArraySection section_;
};

}  // namespace armature
