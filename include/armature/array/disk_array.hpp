#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "armature/array/distributed_array.hpp"
#include "armature/array/npy.hpp"
#include "armature/array/part.hpp"
#include "armature/array/range.hpp"
#include "armature/array/section.hpp"
#include "armature/error.hpp"

namespace armature {

namespace detail {

/// The place of a section in a file: dimension by dimension, the one that changes least often
/// first. Counts in elements.
struct FileSection {
  std::ptrdiff_t first = 0;
  int open = 0;
  PerDimension counts{};
  PerDimension strides{};

  [[nodiscard]] std::ptrdiff_t size() const {
    std::ptrdiff_t size = 1;
    for (int k = 0; k < open; ++k) size *= counts[static_cast<std::size_t>(k)];
    return size;
  }
  /// Calls f(first element, how many) for all stretches of neighbours, in their order.
  template <class F>
  void for_stretches(F f) const {
    std::ptrdiff_t length = 1;
    auto outer = static_cast<std::size_t>(open);
    while (outer > 0 && strides[outer - 1] == length) length *= counts[--outer];
    if (size() == 0) return;
    PerDimension at{};
    for (std::ptrdiff_t place = first;;) {
      f(place, length);
      std::size_t k = outer;
      while (k > 0) {
        place += strides[k - 1];
        if (++at[k - 1] < counts[k - 1]) break;
        place -= counts[k - 1] * strides[k - 1];
        at[--k] = 0;
      }
      if (k == 0) return;
    }
  }
};

/// Throws Error(bad_argument), which names the file, the index, the dimension and the bound.
[[nodiscard]] ARMATURE_API FileSection file_section(const std::string& path,
                                                    const npy_header& header,
                                                    std::span<const Range> ranges);
/// Throws Error(bad_argument) unless an array's section has the shape of one of a file, and the
/// array belongs to the file's team.
ARMATURE_API void require_fits(const NpyFile& file, const FileSection& in_file,
                               const ArrayStore& store, const ArraySection& section);

}  // namespace detail

/// An array in a file of NumPy's format, larger than memory perhaps, of which sections are read and
/// written (Global Arrays' disk-resident arrays). All calls are collective. All members move their
/// part at once; all nodes must reach the file. The file may be opened by NumPy, too.
///
/// Calls throw Error(bad_argument), on every member, that names the file and why: what the system
/// says, or what does not fit.
template <detail::NpyElement T, int N>
class disk_array {
 public:
  using Indices = typename distributed_array<T, N>::Indices;
  using Ranges = typename distributed_array<T, N>::Ranges;

  /// Makes a file of zeros, in place of what it was.
  disk_array(const Team& team, const std::string& path, const Indices& shape,
             Order order = Order::row_major)
      : file_(team, path,
              {detail::npy_descr<T>(), order == Order::column_major, {shape.begin(), shape.end()}},
              sizeof(T)),
        shape_(shape) {}
  /// Opens a file, to read and write it.
  disk_array(const Team& team, const std::string& path)
      : file_(team, path, detail::NpyFile::Access::read_and_write) {
    if (file_.header().shape.size() != static_cast<std::size_t>(N))
      throw Error(Errc::bad_argument, path + ": an array of " +
                                          std::to_string(file_.header().shape.size()) +
                                          " dimensions, not " + std::to_string(N));
    std::ranges::copy(file_.header().shape, shape_.begin());
    file_.require(detail::npy_descr<T>(), shape_, sizeof(T));
  }

  [[nodiscard]] const Indices& shape() const { return shape_; }
  [[nodiscard]] std::ptrdiff_t extent(int d) const { return shape_[static_cast<std::size_t>(d)]; }
  [[nodiscard]] Order order() const {
    return file_.header().fortran_order ? Order::column_major : Order::row_major;
  }

  /// Writes a section of an array to one of the file, which has the same shape.
  void write(const Ranges& to, const array_section<const T>& from) {
    const auto there = placed(to, from);
    from.store().team().barrier();
    std::vector<std::byte> buffer;
    for_pieces(there, in_file_order(from),
               [&](const detail::FileSection& piece, const auto& section) {
                 section.get(elements_of(buffer, piece));
                 std::size_t done = 0;
                 piece.for_stretches([&](std::ptrdiff_t first, std::ptrdiff_t count) {
                   const auto bytes = static_cast<std::size_t>(count) * sizeof(T);
                   file_.write(first, std::span<const std::byte>(buffer).subspan(done, bytes));
                   done += bytes;
                 });
               });
    file_.finish();
  }
  void write(const Ranges& to, const array_section<T>& from) {
    write(to, array_section<const T>(from));
  }
  /// Reads a section of the file into one of an array, which has the same shape. After an error
  /// some of its elements are the file's.
  void read(const array_section<T>& to, const Ranges& from) {
    const auto there = placed(from, to);
    to.store().team().barrier();
    std::vector<std::byte> buffer;
    for_pieces(there, in_file_order(to),
               [&](const detail::FileSection& piece, const auto& section) {
                 const std::span<const T> elements = elements_of(buffer, piece);
                 std::size_t done = 0;
                 piece.for_stretches([&](std::ptrdiff_t first, std::ptrdiff_t count) {
                   const auto bytes = static_cast<std::size_t>(count) * sizeof(T);
                   file_.read(first, std::span<std::byte>(buffer).subspan(done, bytes));
                   done += bytes;
                 });
                 if (file_.is_well()) section.put(elements);
               });
    file_.finish();
    to.store().team().barrier();
  }

 private:
  static constexpr std::ptrdiff_t bytes_max = std::ptrdiff_t{8} << 20;  // of a piece

  template <class U>
  [[nodiscard]] detail::FileSection placed(const Ranges& ranges,
                                           const array_section<U>& section) const {
    auto there = detail::file_section(file_.path(), file_.header(), ranges);
    detail::require_fits(file_, there, section.store(), section.section());
    return there;
  }
  template <class U>
  [[nodiscard]] array_section<U> in_file_order(const array_section<U>& section) const {
    return file_.header().fortran_order ? section.transposed() : section;
  }
  static std::span<T> elements_of(std::vector<std::byte>& buffer,
                                  const detail::FileSection& piece) {
    const auto count = static_cast<std::size_t>(piece.size());
    buffer.resize(count * sizeof(T));
    return {reinterpret_cast<T*>(buffer.data()), count};
  }
  /// Calls f(part in the file, part of the section) for what the caller moves: rows of the
  /// dimension that changes least often, some MiB at a time.
  template <class U, class F>
  void for_pieces(const detail::FileSection& there, const array_section<U>& section, F f) const {
    const std::ptrdiff_t members = file_.team().size(), me = file_.team().rank();
    if (there.size() == 0) return;
    if (there.open == 0) {
      if (me == 0) f(there, section);
      return;
    }
    const std::ptrdiff_t rows = there.counts[0], row = there.size() / rows;
    const std::ptrdiff_t end = rows * (me + 1) / members;
    const std::ptrdiff_t step =
        std::max<std::ptrdiff_t>(1, bytes_max / (row * static_cast<std::ptrdiff_t>(sizeof(T))));
    for (std::ptrdiff_t i = rows * me / members; i < end; i += step) {
      detail::FileSection piece = there;
      piece.counts[0] = std::min(step, end - i);
      piece.first += i * there.strides[0];
      f(std::as_const(piece), detail::part_of(section, Range::of(i, piece.counts[0])));
    }
  }

  detail::NpyFile file_;
  Indices shape_{};
};

}  // namespace armature
