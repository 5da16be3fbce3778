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
    for (std::size_t k = 0; k < order.size(); ++k)
      section.axes[k] = section_.axes[static_cast<std::size_t>(order[k])];
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

  // -- transfers; views have the section's shape. A span has it in the order of a C array.
  template <int M>
  section_handle get_async(array_view<Value, M> to) const {
    return start(with_view(Verb::get, to, nullptr));
  }
  template <int M>
  void get(array_view<Value, M> to) const {
    with_view(Verb::get, to, nullptr).perform();
  }
  void get(std::span<Value> to) const { dense(Verb::get, to, nullptr).perform(); }
  section_handle get_async(std::span<Value> to) const {
    return start(dense(Verb::get, to, nullptr));
  }
  [[nodiscard]] std::vector<Value> get() const {
    std::vector<Value> elements(static_cast<std::size_t>(size()));
    get(std::span<Value>(elements));
    return elements;
  }

  template <class U, int M>
  requires std::same_as<std::remove_const_t<U>, T> section_handle put_async(array_view<U, M> from)
  const { return start(with_view(Verb::put, from, nullptr)); }
  template <class U, int M>
  requires std::same_as<std::remove_const_t<U>, T>
  void put(array_view<U, M> from) const { with_view(Verb::put, from, nullptr).perform(); }
  void put(std::span<const T> from) const requires(!std::is_const_v<T>) {
    dense(Verb::put, from, nullptr).perform();
  }
  section_handle put_async(std::span<const T> from) const requires(!std::is_const_v<T>) {
    return start(dense(Verb::put, from, nullptr));
  }

  /// Adds scale times the elements of `from`, atomically for each element.
  template <class U, int M>
  requires std::same_as<std::remove_const_t<U>, T> && Accumulable<T> section_handle
  accumulate_async(array_view<U, M> from, Value scale = Value(1))
  const { return start(with_view(Verb::accumulate, from, &scale)); }
  template <class U, int M>
  requires std::same_as<std::remove_const_t<U>, T> && Accumulable<T>
  void accumulate(array_view<U, M> from, Value scale = Value(1)) const {
    with_view(Verb::accumulate, from, &scale).perform();
  }
  void accumulate(std::span<const T> from, Value scale = Value(1)) const requires Accumulable<T> {
    dense(Verb::accumulate, from, &scale).perform();
  }

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

  [[nodiscard]] const detail::ArrayStore& store() const { return *store_; }
  [[nodiscard]] const detail::ArraySection& section() const { return section_; }

 private:
  using Transfers = detail::ArrayTransfers;

  static section_handle start(const Transfers& transfers) {
    std::vector<Handle> under_way;
    transfers.start(under_way);
    return section_handle(std::move(under_way));
  }
  template <class U, int M>
  Transfers with_view(Verb verb, array_view<U, M> view, const Value* scale) const {
    store_->require_shape(section_, view.extents().data(), M);
    detail::PerDimension strides{};
    for (std::size_t k = 0; k < static_cast<std::size_t>(M); ++k) strides[k] = view.strides()[k];
    return planned(verb, const_cast<Value*>(view.data()), strides, scale);
  }
  template <class U>
  Transfers dense(Verb verb, std::span<U> elements, const Value* scale) const {
    const std::ptrdiff_t given = std::ssize(elements);
    if (given != size()) store_->require_shape(section_, &given, 1);
    detail::PerDimension strides{};
    std::ptrdiff_t stride = 1;
    for (int k = section_.open; k-- > 0;) {
      strides[static_cast<std::size_t>(k)] = stride;
      stride *= section_.count(k);
    }
    return planned(verb, const_cast<Value*>(elements.data()), strides, scale);
  }
  Transfers planned(Verb verb, Value* local, const detail::PerDimension& strides,
                    const Value* scale) const {
    Transfers transfers(verb, sizeof(Value));
    if constexpr (Accumulable<Value>)
      if (scale != nullptr) transfers.accumulate_by(detail::element_of<Value>, scale);
    store_->add(detail::plan_section(store_->layout(), section_, strides),
                reinterpret_cast<std::byte*>(local), transfers);
    return transfers;
  }

  const detail::ArrayStore* store_;
  detail::ArraySection section_;
};

}  // namespace armature
