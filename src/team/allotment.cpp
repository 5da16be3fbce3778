#include <algorithm>
#include <iterator>

#include "armature/piece.hpp"

namespace armature::detail {

bool Allotment::Row::append(const Row& next) {
  const Share last = share(begin + members - 1);
  const int rank_distance = next.first.rank - last.rank;
  const std::ptrdiff_t address_distance =
      static_cast<std::byte*>(next.first.address) - static_cast<std::byte*>(last.address);
  const auto has_these_steps = [&](const Row& row) {
    return row.members == 1 ||
           (row.rank_step == rank_distance && row.address_step == address_distance);
  };
  if (next.first.bytes != first.bytes || !has_these_steps(*this) || !has_these_steps(next))
    return false;
  rank_step = rank_distance;
  address_step = address_distance;
  members += next.members;
  return true;
}

void Allotment::add(Row row) {
  row.begin = members_;
  members_ += row.members;
  if (rows_.empty() || !rows_.back().append(row)) rows_.push_back(row);
}

void Allotment::shrink() { rows_.shrink_to_fit(); }

const Allotment::Row& Allotment::row_of(int member) const {
  const auto behind =
      std::upper_bound(rows_.begin(), rows_.end(), member,
                       [](int number, const Row& row) { return number < row.begin; });
  return *std::prev(behind);
}

}  // namespace armature::detail
