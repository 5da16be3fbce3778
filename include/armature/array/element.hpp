#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "armature/array/store.hpp"
#include "armature/get.hpp"
#include "armature/global_ptr.hpp"
#include "armature/put.hpp"

namespace armature {

/// An element of a distributed_array, wherever it lies: reading it gets it, assigning to it puts
/// it, with the order and completion of get and put. `a(i, j) += x` is a get and a put, not one
/// step: for that, see distributed_array::read_increment and accumulate.
template <class T>
class array_element {
  using Value = std::remove_const_t<T>;

 public:
  /// `special`: the array, if there are copies of the element elsewhere, or it is in a phase.
  explicit array_element(global_ptr<T> at, const detail::ArrayStore* special = nullptr)
      : at_(at), special_(special) {}
  array_element(const array_element&) = default;

  operator Value() const {  // NOLINT(google-explicit-constructor)
    if (special_ != nullptr) special_->require_element(detail::ArrayUse::get, bytes());
    return get(at_);
  }
  const array_element& operator=(const Value& value) const requires(!std::is_const_v<T>) {
    if (special_ == nullptr) {
      put(at_, value);
      return *this;
    }
    special_->require_element(detail::ArrayUse::put, bytes());
    special_->put_copies(bytes(), &value);
    return *this;
  }
  const array_element& operator=(const array_element& other) const requires(!std::is_const_v<T>) {
    return *this = static_cast<Value>(other);
  }
  array_element& operator=(const array_element& other) {
    std::as_const(*this) = static_cast<Value>(other);
    return *this;
  }
  template <class U>
  const array_element& operator+=(const U& by) const {
    return *this = static_cast<Value>(static_cast<Value>(*this) + by);
  }
  template <class U>
  const array_element& operator-=(const U& by) const {
    return *this = static_cast<Value>(static_cast<Value>(*this) - by);
  }

 private:
  [[nodiscard]] global_ptr<std::byte> bytes() const {
    return {at_.rank(), reinterpret_cast<std::byte*>(const_cast<Value*>(at_.address()))};
  }

  global_ptr<T> at_;
  const detail::ArrayStore* special_;
};

}  // namespace armature
