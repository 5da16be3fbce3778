#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "armature/array/section.hpp"
#include "armature/array/transfers.hpp"

namespace armature {

/// A get, put or accumulate between a section and local memory, planned once and run any number of
/// times:
///
///     auto fetch = a[{Range(0, 8), Range()}].get_schedule(std::span(buffer));
///     for (...) fetch.run();
///
/// A run takes one message for each rank of another node that has a part, and allocates nothing of
/// its own. Completion and order are those of get, put and accumulate. The array and the memory
/// live as long. It is not collective, and not for several threads at once.
template <class T>
class section_schedule {
  using Value = std::remove_const_t<T>;
  using Verb = detail::ArrayTransfers::Verb;

 public:
  /// Starts all transfers and completes them: puts and accumulates locally.
  void run() {
    prepare();
    transfers_.perform();
  }
  /// Starts them; the memory of a put or accumulate may be used again after wait(), that of a get
  /// holds the elements then.
  void start() {
    prepare();
    transfers_.start();
  }
  void wait() { transfers_.wait(); }

  /// How many ranks have a part of the section.
  [[nodiscard]] std::size_t partners() const { return transfers_.ranks(); }
  /// How many messages a run sends: one to each of those that is on another node.
  [[nodiscard]] std::size_t messages() const { return transfers_.messages(); }
  [[nodiscard]] std::size_t bytes() const { return transfers_.bytes(); }

 private:
  friend class array_section<T>;
  using Place = typename array_section<T>::Place;

  section_schedule(const array_section<T>& section, Verb verb, const Place& place,
                   const Value& scale)
      : section_(section), transfers_(verb, sizeof(Value)), scale_(scale) {
    section.store().add(
        detail::plan_section(section.store().layout(), section.section(), place.strides),
        reinterpret_cast<std::byte*>(place.data), transfers_);
  }
  void prepare() {
    section_.store().require_use(detail::ArrayStore::use_of(transfers_.verb()),
                                 [this] { return detail::section_text(section_.section()); });
    array_section<T>::accumulate_by(transfers_, &scale_);
  }

  array_section<T> section_;
  detail::ArrayTransfers transfers_;
  Value scale_;
};

template <class T>
template <class Memory>
section_schedule<T> array_section<T>::get_schedule(const Memory& memory) const {
  return {*this, Verb::get, placed(memory), Value()};
}
template <class T>
template <class Memory>
section_schedule<T> array_section<T>::put_schedule(const Memory& memory) const {
  static_assert(!std::is_const_v<T>, "a section of a constant array is not written");
  return {*this, Verb::put, placed(memory), Value()};
}
template <class T>
template <class Memory>
section_schedule<T> array_section<T>::accumulate_schedule(const Memory& memory, Value scale) const {
  static_assert(Accumulable<T>, "elements of this type are not accumulated");
  return {*this, Verb::accumulate, placed(memory), scale};
}

}  // namespace armature
