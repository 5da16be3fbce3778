#pragma once

#include <concepts>

#include "armature/marshal.hpp"
#include "armature/object_array/index.hpp"

namespace armature {

/// An object_array whose indices are of a type that cannot be an index: one error says why.
template <class T, class Index>
requires Marshallable<T> && std::move_constructible<T>
class object_array {
  static constexpr bool travels = detail::index_travels<Index>();
  static constexpr bool is_value = std::default_initializable<Index> && std::copyable<Index>;

  static_assert(travels,
                "object_array: this type cannot be an index, because it does not travel: give it "
                "define_type(armature::typer&) or serialize(Archive&); it may hold no view");
  static_assert(!travels || is_value,
                "object_array: this type cannot be an index, because it cannot be copied, or made "
                "without arguments");
  static_assert(!travels || !is_value || std::equality_comparable<Index>,
                "object_array: this type cannot be an index, because it has no operator==");
  static_assert(!travels || !is_value || !std::equality_comparable<Index> ||
                    detail::has_index_hash<Index>,
                "object_array: this type cannot be an index, because its bytes do not tell whether "
                "two are equal (padding, floating-point numbers, unordered containers): specialize "
                "std::hash for it, or give it define_type(armature::typer&)");

 public:
  template <class... A>
  explicit object_array(const A&...) {}
};

}  // namespace armature
