#pragma once

#include <concepts>
#include <cstddef>
#include <vector>

#include "armature/detail/export.hpp"
#include "armature/detail/wire.hpp"

namespace armature {

/// The object to which a class describes its members, so that its objects can be arguments and
/// results of remote calls (armi-rmi-2003, 3.5):
///
///   struct Field {
///     int size = 0;
///     double* values = nullptr;   // new double[size]
///     double* last = nullptr;     // points into values
///     void define_type(armature::typer& t) {
///       t.local(size);
///       t.dynamic(values, size);
///       t.offset(last);
///     }
///   };
///
/// define_type is called to measure, to write and to read, the last on an object just made by its
/// default constructor. It must name the same members each time, a length before what it measures.
/// A dynamic pointer may have been met before in the same object, or in a member of it that
/// describes itself. Then it comes out as the same pointer again, so shared memory stays shared.
/// (The elements of a standard container are objects of their own.)
class ARMATURE_API typer {
 public:
  explicit typer(detail::Archive& archive)
      : archive_(archive), root_(archive.outermost == nullptr ? this : archive.outermost) {
    archive.outermost = root_;
  }
  typer(const typer&) = delete;
  typer& operator=(const typer&) = delete;
  ~typer() {
    if (root_ == this) archive_.outermost = nullptr;
  }

  /// A member that lies in the object; of any Marshallable type.
  template <class T>
  void local(T& value);
  template <class T>
  void local(T* values, std::size_t count);
  /// Names one object on the heap, made by new; may be null.
  template <class T>
  void dynamic(T*& pointer);
  /// `count` of them, made by new[]; may be null.
  template <class T, std::integral N>
  void dynamic(T*& pointer, const N& count);
  /// A pointer into, or to the end of, what was described before; may be null. Throws
  /// Error(bad_argument) when it points elsewhere. A pointer into the object itself survives the
  /// way to a `const T&` parameter or a result; wherever the object is moved on, its move
  /// constructor must see to it.
  template <class T>
  void offset(T*& pointer);

 private:
  /// Memory that was described: where it is here.
  struct Region {
    char* begin = nullptr;
    std::size_t bytes = 0;
  };
  struct Alias {
    bool known = false;  // `address` is all there is to it
    void* address = nullptr;
  };

  template <class T, class Make>
  void dynamic_n(T*& pointer, std::size_t count, Make&& make);
  void note(const void* begin, std::size_t bytes);
  Alias begin_pointer(void* pointer);
  void* alias_of(void* pointer);

  detail::Archive& archive_;
  typer* root_;  // the outermost one of this pass, which has the list
  std::vector<Region> regions_;
};

}  // namespace armature
