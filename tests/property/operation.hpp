#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace property {

enum class Kind { put, get, accumulate, atomic };
enum class Form { value, block, strided, vector };
enum class Mode { blocking, handle, implicit, aggregate };
enum class Type { int32, int64, float32, float64, complex64, complex128 };
enum class Atomic { add, bit_and, bit_or, bit_xor, swap, compare_swap };

constexpr int types = 6;
std::size_t bytes_of(Type type);

/// One operation between the caller's local buffer and a rank's region. All places are offsets.
struct Operation {
  Kind kind = Kind::put;
  Form form = Form::block;
  Mode mode = Mode::blocking;
  int rank = 0;
  std::size_t remote = 0;  // of the first group
  std::size_t local = 0;
  std::vector<std::size_t> counts;  // bytes, then groups of each level; {bytes} for a block
  std::vector<std::ptrdiff_t> remote_strides;
  std::vector<std::ptrdiff_t> local_strides;
  std::vector<std::size_t> remote_places;  // of the pieces of a vector, each counts[0] bytes
  std::vector<std::size_t> local_places;

  Type type = Type::int32;  // of an accumulate; whose source holds small whole numbers of it
  int scale = 1;
  bool typed_source = false;  // the source holds such numbers, though this is a put
  Atomic atomic = Atomic::add;
  std::uint64_t operand = 0;
  std::uint64_t expected = 0;
  std::uint64_t source_seed = 0;

  [[nodiscard]] std::string text() const;
};

/// A contiguous part of an operation.
struct Block {
  std::size_t remote;
  std::size_t local;
  std::size_t bytes;
};
std::vector<Block> blocks_of(const Operation& operation);

/// Several operations that may be under way together: they touch different places. Blocking ones
/// stand alone.
struct Step {
  std::vector<Operation> operations;
  bool fence_before = false;  // what came before may be unordered with this
  int way_to_wait = 0;
};

/// A rank's region of memory, or somebody's local buffer.
using Memory = std::vector<std::byte>;

/// Puts the data that the operation will send where it will send them from.
void fill_source(const Operation& operation, Memory& local);
/// Applies an operation to the model: this is what it means. Returns what an atomic found.
std::uint64_t apply(const Operation& operation, Memory& remote, Memory& local);

}  // namespace property
