#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "armature/array/handles.hpp"
#include "armature/array/plan.hpp"
#include "armature/array/section.hpp"
#include "armature/array/store.hpp"
#include "armature/array/transfers.hpp"
#include "armature/global_ptr.hpp"

namespace armature {

namespace detail {
/// Returns the place of a member in its struct.
template <class T, class F>
ElementField field_of(F T::*member) {
  // An object is not needed: no member is read.
  alignas(T) const std::array<std::byte, sizeof(T)> memory{};
  const auto* const whole = reinterpret_cast<const T*>(memory.data());
  const auto* const part = reinterpret_cast<const std::byte*>(&(whole->*member));
  return {.offset = static_cast<std::size_t>(part - memory.data()), .bytes = sizeof(F)};
}
}  // namespace detail

/// One member of each element of a section, whose elements are structs (Global Arrays'
/// NGA_Get_field, NGA_Put_field and their nonblocking forms). Made by field(). Transfers are those
/// of sections: one-sided, and one operation for each rank that has a part. The other members stay
/// as they are, also if another rank writes them meanwhile.
template <class T, class F>
class field_section {
  using Verb = detail::ArrayTransfers::Verb;

 public:
  field_section(const array_section<T>& section, F std::remove_const_t<T>::*member)
      : section_(section), field_(detail::field_of(member)) {}

  // -- spans have the section's shape in the order of a C array. Throw Error(bad_argument) for
  // spans of another length.
  void get(std::span<F> to) const {
    auto transfers = planned(Verb::get, to.data(), to.size());
    transfers.perform();
  }
  section_handle get_async(std::span<F> to) const { return start(Verb::get, to.data(), to.size()); }
  void put(std::span<const F> from) const requires(!std::is_const_v<T>) {
    auto transfers = planned(Verb::put, from.data(), from.size());
    transfers.perform();
  }
  section_handle put_async(std::span<const F> from) const requires(!std::is_const_v<T>) {
    return start(Verb::put, from.data(), from.size());
  }

 private:
  detail::ArrayTransfers planned(Verb verb, const F* data, std::size_t count) const {
    const detail::ArrayStore& store = section_.store();
    const auto given = static_cast<std::ptrdiff_t>(count);
    if (given != section_.size()) store.require_shape(section_.section(), &given, 1);
    store.require_use(detail::ArrayStore::use_of(verb),
                      [this] { return detail::section_text(section_.section()); });
    detail::PerDimension strides{};
    std::ptrdiff_t stride = 1;
    for (int k = section_.dimensions(); k-- > 0;) {
      strides[static_cast<std::size_t>(k)] = stride;
      stride *= section_.extent(k);
    }
    detail::ArrayTransfers transfers(verb, sizeof(T), field_);
    store.add(detail::plan_section(store.layout(), section_.section(), strides),
              reinterpret_cast<std::byte*>(const_cast<F*>(data)), transfers);
    return transfers;
  }
  section_handle start(Verb verb, const F* data, std::size_t count) const {
    const auto transfers = planned(verb, data, count);
    std::vector<Handle> under_way;
    transfers.start(under_way);
    return section_handle(std::move(under_way));
  }

  array_section<T> section_;
  detail::ElementField field_;
};

/// One member of each element of a section: `field(a[{Range(0, 8)}], &Particle::mass).get(masses)`.
template <class T, Transferable F>
[[nodiscard]] field_section<T, F> field(const array_section<T>& section,
                                        F std::remove_const_t<T>::*member) {
  return {section, member};
}

}  // namespace armature
