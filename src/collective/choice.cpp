// Few bytes go in few messages, many bytes go once. A message between nodes costs as much as about
// 16 KiB of bytes, on a node as much as about 2 KiB: so far the first is worth more than the
// second.
#include "collective/choice.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>

#include "base/fail.hpp"

namespace armature::collective {
namespace {

constexpr std::size_t any_length = std::numeric_limits<std::size_t>::max();

enum class When : std::uint8_t { always, no_power_of_two_and_commutes };

/// An algorithm is used up to so many bytes, from so many members on.
struct Row {
  Kind kind;
  std::size_t bytes_on_node, bytes_between_nodes;
  int members_min;
  When when;
  Algorithm algorithm;
};

/// The first row that fits counts.
constexpr Row table[] = {
    {Kind::gather, 512, 2048, 3, When::always, Algorithm::tree},
    {Kind::gather, any_length, any_length, 1, When::always, Algorithm::direct},
    {Kind::scatter, 512, 2048, 3, When::always, Algorithm::tree},
    {Kind::scatter, any_length, any_length, 1, When::always, Algorithm::direct},
    {Kind::allreduce, 8 * 1024, 16 * 1024, 1, When::always, Algorithm::doubling},
    {Kind::allreduce, any_length, any_length, 3, When::no_power_of_two_and_commutes,
     Algorithm::ring},
    {Kind::allreduce, any_length, any_length, 1, When::always, Algorithm::halving},
    {Kind::allgather, 512, 2048, 3, When::always, Algorithm::bruck},
    {Kind::allgather, any_length, any_length, 1, When::always, Algorithm::ring},
    {Kind::alltoall, 64, 256, 8, When::always, Algorithm::bruck},
    {Kind::alltoall, any_length, any_length, 1, When::always, Algorithm::pairs},
    {Kind::reduce_scatter, 512, 2048, 5, When::always, Algorithm::doubling},
    {Kind::reduce_scatter, any_length, any_length, 1, When::always, Algorithm::pairs},
};

bool fits(const Row& row, const Question& question) {
  const bool is_power = std::has_single_bit(static_cast<unsigned>(question.members));
  return row.kind == question.kind && question.members >= row.members_min &&
         question.bytes <= (question.nodes > 1 ? row.bytes_between_nodes : row.bytes_on_node) &&
         (row.when == When::always || (question.commutes && !is_power));
}

}  // namespace

Algorithm choose(const Question& question) {
  const auto* const row =
      std::ranges::find_if(table, [&](const Row& one) { return fits(one, question); });
  ARMATURE_ASSERT(row != std::end(table));
  return row->algorithm;
}

}  // namespace armature::collective
