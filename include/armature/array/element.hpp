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
  /// `copies`: the array, if there are copies of the element elsewhere.
  explicit array_element(global_ptr<T> at, const detail::ArrayStore* copies = nullptr)
      : at_(at), copies_(copies) {}
  array_element(const array_element&) = default;

  operator Value() const { return get(at_); }  // NOLINT(google-explicit-constructor)
  const array_element& operator=(const Value& value) const requires(!std::is_const_v<T>) {
    if (copies_ == nullptr)
      put(at_, value);
    else
      copies_->put_copies({at_.rank(), reinterpret_cast<std::byte*>(at_.address())}, &value);
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
  global_ptr<T> at_;
  const detail::ArrayStore* copies_;
};

}  // namespace armature
