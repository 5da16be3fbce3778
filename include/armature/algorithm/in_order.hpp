#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "armature/algorithm/aligned.hpp"
#include "armature/collectives.hpp"
#include "armature/container/blocks.hpp"
#include "armature/container/range.hpp"
#include "armature/error.hpp"

// Pieces of results: the first of the members' indices, a section of a range, results of each
// member behind each other.

namespace armature::detail {

/// Collective: the least of the members' indices; SIZE_MAX stands for none.
inline std::optional<std::size_t> first_of_all(const Team& team, std::size_t mine) {
  const std::size_t first = allreduce(team, mine, Minimum());
  return first == SIZE_MAX ? std::nullopt : std::optional(first);
}

/// A copy of the elements from index `first`.
template <class T>
std::vector<std::remove_const_t<T>> section_of(const distributed_range<T>& range, std::size_t first,
                                               std::size_t count) {
  std::vector<std::remove_const_t<T>> elements(count);
  range.read(first, std::span<std::remove_const_t<T>>(elements));
  return elements;
}

/// The beginning of `out` that is as long as `in`. Throws Error(bad_argument) if it is shorter, or
/// if it is another team's.
template <class In, class Out>
auto beginning_for(const char* algorithm, const In& in, const Out& out) {
  require_same_members(algorithm, in, out);
  if (in.size() > out.size()) require_same_size(algorithm, in, out);
  return out.slice(0, in.size());
}

/// Collective: what the members have, one behind the other in team order, becomes the beginning of
/// the range. Returns how much that is. Throws Error(bad_argument) at all members if it is too
/// much.
template <class T>
std::size_t write_in_order(const char* algorithm, const distributed_range<T>& to,
                           const std::vector<T>& mine) {
  const auto counts = allgather(to.team(), mine.size());
  const Blocks blocks = Blocks::of(counts);
  if (blocks.size() > to.size())
    throw Error(Errc::bad_argument, std::string(algorithm) + ": the result has " +
                                        std::to_string(blocks.size()) +
                                        " elements, the range for it " + std::to_string(to.size()));
  to.write(blocks.first(to.team().rank()), std::span<const T>(mine));
  to.fence();
  return blocks.size();
}

}  // namespace armature::detail
