#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "armature/array/distributed_array.hpp"
#include "armature/error.hpp"
#include "armature/team.hpp"

// Files of NumPy's format .npy, in which an array is written and read by all members at once. The
// format: https://numpy.org/neps/nep-0001-npy-format.html. All nodes must reach the file. Calls are
// collective, and throw Error(bad_argument), on every member, that names the file and why: what the
// system says, or what does not fit.

namespace armature {

/// The header of a .npy file.
struct npy_header {
  /// The kind of elements: "<f8" is double, "<i4" std::int32_t, "<c16" std::complex<double>...
  std::string descr;
  /// Whether the first dimension is the one whose elements are next to each other, as in Fortran.
  bool fortran_order = false;
  std::vector<std::ptrdiff_t> shape;
  /// The byte at which the elements begin.
  std::ptrdiff_t begin = 0;
};

namespace detail {

/// The name that NumPy has for elements of a type.
template <class T>
std::string npy_descr() {
  const std::string bytes = std::to_string(sizeof(T));
  if constexpr (std::is_same_v<T, bool>) return "|b1";
  if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>)
    return "<c" + bytes;
  if constexpr (std::is_floating_point_v<T>) return "<f" + bytes;
  if constexpr (std::is_integral_v<T>)
    return (sizeof(T) == 1 ? "|" : "<") + std::string(std::is_signed_v<T> ? "i" : "u") + bytes;
}
template <class T>
concept NpyElement =
    std::is_integral_v<T> || std::is_same_v<T, float> || std::is_same_v<T, double> ||
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

/// Returns the bytes of a header. Elements begin at a multiple of 64 behind it.
ARMATURE_API std::string npy_header_text(const npy_header& header);
/// Reads a header from the beginning of a file's bytes. Throws Error(bad_argument) that begins with
/// `what`.
[[nodiscard]] ARMATURE_API npy_header parse_npy_header(const std::string& what,
                                                       std::span<const std::byte> bytes);

/// A file that the members of a team read or write together. Each call is collective.
class NpyFile {
 public:
  /// Makes the file, with this header, as long as its elements need.
  ARMATURE_API NpyFile(const Team& team, const std::string& path, const npy_header& header,
                       std::size_t element_bytes);
  /// Opens one and reads its header.
  enum class Access { read, read_and_write };
  ARMATURE_API NpyFile(const Team& team, const std::string& path, Access access = Access::read);
  NpyFile(const NpyFile&) = delete;
  NpyFile& operator=(const NpyFile&) = delete;
  ARMATURE_API ~NpyFile();

  [[nodiscard]] const Team& team() const { return team_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const npy_header& header() const { return header_; }
  /// Throws unless the file has elements of this kind and shape, all of them.
  ARMATURE_API void require(const std::string& descr, std::span<const std::ptrdiff_t> shape,
                            std::size_t element_bytes);
  /// Moves elements between a file and memory: `first` counts in elements. Remembers what goes
  /// wrong. Not collective.
  ARMATURE_API void write(std::ptrdiff_t first, std::span<const std::byte> elements);
  ARMATURE_API void read(std::ptrdiff_t first, std::span<std::byte> elements);
  /// Whether nothing went wrong at the caller since finish().
  [[nodiscard]] bool is_well() const { return wrong_.empty(); }
  /// Throws on every member if something went wrong at one since the last call.
  ARMATURE_API void finish();

 private:
  void agree(const std::string& mine) const;

  Team team_;
  std::string path_;
  npy_header header_;
  std::ptrdiff_t element_bytes_ = 1;
  int file_ = -1;
  std::string wrong_;
};

/// Calls f(section, its first element in the file, how many) for pieces of an array that one member
/// moves: whole rows of the dimension that changes least often in the file, a few MiB at a time.
template <class Array, class F>
void for_npy_pieces(Array& array, bool fortran_order, F f) {
  constexpr int N = std::remove_const_t<Array>::dimensions();
  constexpr std::ptrdiff_t bytes_max = std::ptrdiff_t{8} << 20;
  using T = typename std::remove_const_t<Array>::value_type;
  const auto d = static_cast<std::size_t>(fortran_order ? N - 1 : 0);
  const std::ptrdiff_t rows = array.extent(static_cast<int>(d));
  if (array.size() == 0) return;
  const std::ptrdiff_t row = array.size() / rows;
  const std::ptrdiff_t members = array.team().size(), me = array.team().rank();
  const std::ptrdiff_t begin = rows * me / members, end = rows * (me + 1) / members;
  const std::ptrdiff_t step = std::max<std::ptrdiff_t>(
      1, bytes_max / std::max<std::ptrdiff_t>(1, row * static_cast<std::ptrdiff_t>(sizeof(T))));
  for (std::ptrdiff_t i = begin; i < end; i += step) {
    typename std::remove_const_t<Array>::Ranges ranges{};
    ranges[d] = Range(i, std::min(end, i + step));
    const auto section = array[ranges];
    f(fortran_order ? section.transposed() : section, i * row, ranges[d].count() * row);
  }
}

}  // namespace detail

/// Writes an array, in place of what the file was. The order in the file is the array's. Each
/// member fetches and writes some rows.
template <detail::NpyElement T, int N>
void write_npy(const std::string& path, const distributed_array<T, N>& array) {
  const auto shape = array.shape();
  const bool fortran_order = array.layout().order() == Order::column_major;
  detail::NpyFile file(array.team(), path,
                       {detail::npy_descr<T>(), fortran_order, {shape.begin(), shape.end()}},
                       sizeof(T));
  std::vector<std::byte> buffer;
  detail::for_npy_pieces(array, fortran_order, [&](const auto& section, auto first, auto count) {
    buffer.resize(static_cast<std::size_t>(count) * sizeof(T));
    section.get(std::span<T>(reinterpret_cast<T*>(buffer.data()), static_cast<std::size_t>(count)));
    file.write(first, buffer);
  });
  file.finish();
}

/// Reads a file into an array of the same shape and kind of elements, of any distribution and
/// order.
template <detail::NpyElement T, int N>
void read_npy(const std::string& path, distributed_array<T, N>& array) {
  detail::NpyFile file(array.team(), path);
  file.require(detail::npy_descr<T>(), array.shape(), sizeof(T));
  std::vector<std::byte> buffer;
  detail::for_npy_pieces(array, file.header().fortran_order,
                         [&](const auto& section, auto first, auto count) {
                           buffer.resize(static_cast<std::size_t>(count) * sizeof(T));
                           file.read(first, buffer);
                           if (!file.is_well()) return;
                           section.put(std::span<const T>(reinterpret_cast<const T*>(buffer.data()),
                                                          static_cast<std::size_t>(count)));
                         });
  file.finish();
  array.fence();
}

/// Returns the header of a file.
[[nodiscard]] ARMATURE_API npy_header read_npy_header(const Team& team, const std::string& path);

/// Returns a new array of a file's elements. Throws Error(bad_argument), too, if it has another
/// number of dimensions.
template <detail::NpyElement T, int N>
[[nodiscard]] distributed_array<T, N> read_npy(const Team& team, const std::string& path,
                                               const array_options<N>& options = {}) {
  const npy_header header = read_npy_header(team, path);
  if (header.shape.size() != static_cast<std::size_t>(N))
    throw Error(Errc::bad_argument, path + ": an array of " + std::to_string(header.shape.size()) +
                                        " dimensions, not " + std::to_string(N));
  std::array<std::ptrdiff_t, static_cast<std::size_t>(N)> shape{};
  std::ranges::copy(header.shape, shape.begin());
  distributed_array<T, N> array(team, shape, options);
  read_npy(path, array);
  return array;
}

}  // namespace armature
