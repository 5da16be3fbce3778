#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include "armature/array/distributed_array.hpp"
#include "armature/array/part.hpp"
#include "armature/array/range.hpp"
#include "armature/array/schedule.hpp"
#include "armature/array/section.hpp"
#include "armature/collectives.hpp"
#include "armature/error.hpp"

// Scans of lines, which are sections of one dimension or arrays of one, and packing (Global Arrays'
// GA_Scan_add, GA_Scan_copy, GA_Pack and GA_Unpack). All are collective. Lines may have any
// distributions and steps; the result may be one of the operands. Lines of other lengths, and
// sections of other dimensions, throw Error(bad_argument) that names the arrays.

namespace armature {

namespace detail {

template <class T>
void require_line(const array_section<T>& section, const char* what) {
  if (section.dimensions() != 1)
    throw Error(Errc::bad_argument, std::string(what) + ": distributed_array '" +
                                        section.store().name() + "' gives " +
                                        section.section().shape_text() + ", which is no line");
}
template <class T, class U>
void require_lines(const array_section<T>& one, const array_section<U>& other, const char* what) {
  require_line(one, what);
  require_line(other, what);
  if (one.extent(0) != other.extent(0))
    throw Error(Errc::bad_argument,
                std::string(what) + ": a line of " + std::to_string(one.extent(0)) +
                    " of distributed_array '" + one.store().name() + "' and one of " +
                    std::to_string(other.extent(0)) + " of '" + other.store().name() + "'");
}

/// A copy of a line, of which each member has a block, in the order of the members of that team.
/// Refused, as copies are, where the line's own team is another one.
template <class T>
distributed_array<T, 1> blocks_of(const array_section<const T>& line, const Team& team) {
  distributed_array<T, 1> blocks(team, {line.extent(0)},
                                 {.name = line.store().name(), .grid = {team.size()}});
  blocks.all() = line;
  return blocks;
}

/// A stretch of a line, combined: the combination of its last segment's elements.
template <class T>
struct ScanPart {
  T value{};
  bool is_there = false;   // an element
  bool has_start = false;  // of a segment, which forgets what was before

  template <class Op>
  void append(const T& element, bool is_start, Op& op) {
    value = is_there && !is_start ? op(value, element) : element;
    is_there = true;
    has_start = has_start || is_start;
  }
};

/// `starts`: none, or a line of marks.
template <class T, class Mark, class Op>
void scan_blocks(distributed_array<T, 1>& line, const distributed_array<Mark, 1>* starts, Op op,
                 const std::optional<T>& first) {
  using Part = ScanPart<T>;
  const std::span<T> mine = line.local_memory();
  const auto is_start = [&](std::size_t i) {
    return starts != nullptr && static_cast<bool>(starts->local_memory()[i]);
  };
  Part all;
  for (std::size_t i = 0; i < mine.size(); ++i) all.append(mine[i], is_start(i), op);
  Part before = exclusive_scan(line.team(), all, Part{}, [&op](const Part& a, const Part& b) {
    if (!b.is_there) return a;
    Part both = a;
    both.append(b.value, b.has_start, op);
    return both;
  });
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const T element = mine[i];
    const bool begins = is_start(i) || !before.is_there;
    if (first) mine[i] = begins ? *first : op(*first, before.value);
    before.append(element, begins, op);
    if (!first) mine[i] = before.value;
  }
}

template <class T, class Mark, class Op>
void scan_line(const char* what, const array_section<T>& out, const array_section<const T>& in,
               const array_section<const Mark>* starts, Op op, const std::optional<T>& first) {
  require_lines(out, in, what);
  if (starts != nullptr) require_lines(out, *starts, what);
  auto line = blocks_of<T>(in, in.store().team());
  std::optional<distributed_array<Mark, 1>> marks;
  if (starts != nullptr) marks.emplace(blocks_of<Mark>(*starts, in.store().team()));
  scan_blocks<T, Mark>(line, marks ? &*marks : nullptr, op, first);
  copy(out, line.all());
}

/// The place of a member's marked elements among all that are marked.
struct MarkedPlace {
  std::ptrdiff_t first = 0;
  std::ptrdiff_t count = 0;  // the member's
  std::ptrdiff_t all = 0;
};
template <class Mark>
MarkedPlace marked_place(const distributed_array<Mark, 1>& marks) {
  MarkedPlace place;
  for (const Mark& mark : marks.local_memory()) place.count += static_cast<bool>(mark) ? 1 : 0;
  place.first = exclusive_scan(marks.team(), place.count, 0);
  place.all = allreduce(marks.team(), place.count);
  return place;
}

template <class T>
void require_marked(const array_section<T>& line, std::ptrdiff_t count, const char* what) {
  if (count > line.extent(0))
    throw Error(Errc::bad_argument,
                std::string(what) + ": " + std::to_string(count) +
                    " elements are marked, and the line of distributed_array '" +
                    line.store().name() + "' has " + std::to_string(line.extent(0)));
}

}  // namespace detail

/// out(i) = in(0) op ... op in(i), where `op` is associative.
template <class T, class Op>
requires std::is_invocable_r_v<T, Op&, const T&, const T&>
void scan(const array_section<T>& out, const array_section<const std::type_identity_t<T>>& in,
          Op op) {
  detail::scan_line<T, bool>("scan", out, in, nullptr, op, {});
}
/// The scan restarts at each element whose mark in `starts` is not zero.
template <class T, class Mark, class Op>
requires std::is_invocable_r_v<T, Op&, const T&, const T&>
void scan(const array_section<T>& out, const array_section<const std::type_identity_t<T>>& in,
          const array_section<Mark>& starts, Op op) {
  const array_section<const std::remove_const_t<Mark>> marks(starts.store(), starts.section());
  detail::scan_line("scan", out, in, &marks, op, {});
}

struct scan_options {
  /// Whether an element's sum has only the elements before it, as in std::exclusive_scan.
  bool is_exclusive = false;
};

/// out(i) = in(0) + ... + in(i), or the sum of what is before in(i).
template <class T>
void scan_add(const array_section<T>& out, const array_section<const std::type_identity_t<T>>& in,
              const scan_options& options = {}) {
  detail::scan_line<T, bool>("scan_add", out, in, nullptr, std::plus<T>(),
                             options.is_exclusive ? std::optional<T>(T()) : std::nullopt);
}
/// The scan restarts at each element whose mark in `starts` is not zero.
template <class T, class Mark>
void scan_add(const array_section<T>& out, const array_section<const std::type_identity_t<T>>& in,
              const array_section<Mark>& starts, const scan_options& options = {}) {
  const array_section<const std::remove_const_t<Mark>> marks(starts.store(), starts.section());
  detail::scan_line("scan_add", out, in, &marks, std::plus<T>(),
                    options.is_exclusive ? std::optional<T>(T()) : std::nullopt);
}

/// out(i) = the last of in(0) ... in(i) whose mark in `starts` is not zero; in(0), if none is.
template <class T, class Mark>
void scan_copy(const array_section<T>& out, const array_section<const std::type_identity_t<T>>& in,
               const array_section<Mark>& starts) {
  const array_section<const std::remove_const_t<Mark>> marks(starts.store(), starts.section());
  detail::scan_line("scan_copy", out, in, &marks, [](const T& a, const T&) { return a; }, {});
}

/// Writes the elements of `in` whose mark is not zero one behind the other to the beginning of
/// `out`, in their order, and returns how many those are. Throws Error(bad_argument), at all
/// members, if `out` is too short.
template <class T, class Mark>
std::ptrdiff_t pack(const array_section<T>& out,
                    const array_section<const std::type_identity_t<T>>& in,
                    const array_section<Mark>& marks) {
  detail::require_line(out, "pack");
  detail::require_lines(in, marks, "pack");
  const Team& team = in.store().team();
  const auto line = detail::blocks_of<T>(in, team);
  const auto mine =
      detail::blocks_of<std::remove_const_t<Mark>>({marks.store(), marks.section()}, team);
  const auto place = detail::marked_place(mine);
  detail::require_marked(out, place.all, "pack");
  const auto kept = std::make_unique<T[]>(static_cast<std::size_t>(place.count));
  T* next = kept.get();
  for (std::size_t i = 0; i < line.local_memory().size(); ++i)
    if (static_cast<bool>(mine.local_memory()[i])) *next++ = line.local_memory()[i];
  detail::part_of(out, Range::of(place.first, place.count))
      .put(std::span<const T>(kept.get(), static_cast<std::size_t>(place.count)));
  out.store().team().barrier();
  return place.all;
}

/// Writes the first elements of `in` one after the other to those of `out` whose mark is not zero,
/// and returns how many those are. Others stay. Throws Error(bad_argument), at all members, if `in`
/// is too short.
template <class T, class Mark>
std::ptrdiff_t unpack(const array_section<T>& out,
                      const array_section<const std::type_identity_t<T>>& in,
                      const array_section<Mark>& marks) {
  detail::require_line(in, "unpack");
  detail::require_lines(out, marks, "unpack");
  const Team& team = out.store().team();
  const auto mine =
      detail::blocks_of<std::remove_const_t<Mark>>({marks.store(), marks.section()}, team);
  const auto place = detail::marked_place(mine);
  detail::require_marked(in, place.all, "unpack");
  auto line = detail::blocks_of<T>(out, team);
  const auto values = detail::blocks_of<T>(in, team);
  const auto some = std::make_unique<T[]>(static_cast<std::size_t>(place.count));
  values[{Range(place.first, place.first + place.count)}].get(
      std::span<T>(some.get(), static_cast<std::size_t>(place.count)));
  const T* next = some.get();
  const std::span<T> to = line.local_memory();
  for (std::size_t i = 0; i < to.size(); ++i)
    if (static_cast<bool>(mine.local_memory()[i])) to[i] = *next++;
  copy(out, line.all());
  return place.all;
}

// The calls above, of whole arrays.

template <class T, class Op>
requires std::is_invocable_r_v<T, Op&, const T&, const T&>
void scan(distributed_array<T, 1>& out, const distributed_array<T, 1>& in, Op op) {
  scan(out.all(), in.all(), op);
}
template <class T, class Mark, class Op>
requires std::is_invocable_r_v<T, Op&, const T&, const T&>
void scan(distributed_array<T, 1>& out, const distributed_array<T, 1>& in,
          const distributed_array<Mark, 1>& starts, Op op) {
  scan(out.all(), in.all(), starts.all(), op);
}
template <class T>
void scan_add(distributed_array<T, 1>& out, const distributed_array<T, 1>& in,
              const scan_options& options = {}) {
  scan_add(out.all(), in.all(), options);
}
template <class T, class Mark>
void scan_add(distributed_array<T, 1>& out, const distributed_array<T, 1>& in,
              const distributed_array<Mark, 1>& starts, const scan_options& options = {}) {
  scan_add(out.all(), in.all(), starts.all(), options);
}
template <class T, class Mark>
void scan_copy(distributed_array<T, 1>& out, const distributed_array<T, 1>& in,
               const distributed_array<Mark, 1>& starts) {
  scan_copy(out.all(), in.all(), starts.all());
}
template <class T, class Mark>
std::ptrdiff_t pack(distributed_array<T, 1>& out, const distributed_array<T, 1>& in,
                    const distributed_array<Mark, 1>& marks) {
  return pack(out.all(), in.all(), marks.all());
}
template <class T, class Mark>
std::ptrdiff_t unpack(distributed_array<T, 1>& out, const distributed_array<T, 1>& in,
                      const distributed_array<Mark, 1>& marks) {
  return unpack(out.all(), in.all(), marks.all());
}

}  // namespace armature
