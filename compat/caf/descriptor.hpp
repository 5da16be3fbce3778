#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

// The data that gfortran 12 hands over: arrays with their bounds, vector subscripts, and references
// to parts of derived types. The layouts are the compiler's. Its dump of a program
// (-fdump-tree-original) shows each field.

namespace caf {

inline constexpr int dimensions_max = 15;

/// Types, as the compiler numbers them.
enum class Type : signed char {
  unknown = 0,
  integer = 1,
  logical = 2,
  real = 3,
  complex = 4,
  derived = 5,
  character = 6,
};

struct Dimension {
  std::ptrdiff_t stride;  // in elements of Descriptor::span bytes
  std::ptrdiff_t lower;
  std::ptrdiff_t upper;

  [[nodiscard]] std::ptrdiff_t extent() const { return upper < lower ? 0 : upper - lower + 1; }
};

/// The version of a descriptor that this library has made of one of another compiler: its strides
/// count bytes. Those of gfortran have 0.
inline constexpr int version_with_bytes = 1;

struct DataType {
  std::size_t element_bytes;
  int version;
  signed char rank;
  Type type;
  std::int16_t attribute;
};

/// An array, or a scalar of rank 0, of which the compiler leaves out `dimensions`.
struct Descriptor {
  void* base;
  std::size_t offset;
  DataType data_type;
  std::ptrdiff_t span;
  Dimension dimensions[dimensions_max];

  [[nodiscard]] int rank() const { return data_type.rank; }
};
inline constexpr std::size_t descriptor_head_bytes = offsetof(Descriptor, dimensions);
static_assert(descriptor_head_bytes == 40 && sizeof(Dimension) == 24);

/// The compiler's own descriptors have as many dimensions as the array, and nothing behind them.
[[nodiscard]] inline Descriptor copy_of(const Descriptor& array) {
  Descriptor copy{};
  std::memcpy(&copy, &array,
              descriptor_head_bytes + static_cast<std::size_t>(array.rank()) * sizeof(Dimension));
  return copy;
}

/// One dimension of a section: `count` subscripts if there is a vector, and otherwise a triplet.
/// Both are what the program has written.
struct Subscripts {
  std::size_t count;
  union {
    struct {
      const void* values;
      int kind;
    } vector;
    struct {
      std::ptrdiff_t lower, upper, stride;
    } triplet;
  };
};
static_assert(sizeof(Subscripts) == 32);

enum class Part : int { component = 0, array = 1, static_array = 2 };

enum class Mode : unsigned char {
  none = 0,  // no dimension any more
  vector = 1,
  full = 2,        // (:)
  range = 3,       // (first:last:step)
  single = 4,      // (first)
  open_end = 5,    // (first:)
  open_start = 6,  // (:last)
};

/// A step on the way to what is meant: `a(3)[2]%b%c(1:2)` has four.
struct Reference {
  struct Component {
    std::ptrdiff_t offset;
    std::ptrdiff_t token_offset;  // not 0: the component is allocatable or a pointer
  };
  struct Triplet {
    std::ptrdiff_t first, last, step;
  };
  struct Vector {
    const void* values;
    std::size_t count;
    int kind;
  };
  union Range {
    Triplet triplet;
    Vector vector;
  };
  struct Array {
    Mode mode[dimensions_max];
    int type;  // of a static array
    Range dimensions[dimensions_max];
  };

  const Reference* next;
  Part part;
  std::size_t item_bytes;
  union {
    Component component;
    Array array;
  };
};
static_assert(offsetof(Reference, component) == 24 && offsetof(Reference::Array, dimensions) == 24);

}  // namespace caf
