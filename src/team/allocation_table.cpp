#include <algorithm>
#include <iterator>

#include "armature/piece.hpp"

namespace armature::detail {

bool AllocationTable::Row::append(const Row& next) {
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

void AllocationTable::add(Row row) {
  row.begin = members_;
  members_ += row.members;
  if (rows_.empty() || !rows_.back().append(row)) rows_.push_back(row);
}

void AllocationTable::shrink() { rows_.shrink_to_fit(); }

const AllocationTable::Row& AllocationTable::row_of(int member) const {
  const auto behind =
      std::upper_bound(rows_.begin(), rows_.end(), member,
                       [](int number, const Row& row) { return number < row.begin; });
  return *std::prev(behind);
}

}  // namespace armature::detail

// deprecated: an allocation table was called an Allotment by programs that were compiled before.
#pragma GCC diagnostic ignored "-Wattribute-alias"
extern "C" {
ARMATURE_API void _ZN8armature6detail9Allotment3Row6appendERKS2_()
    __attribute__((alias("_ZN8armature6detail15AllocationTable3Row6appendERKS2_")));
ARMATURE_API void _ZN8armature6detail9Allotment3addENS1_3RowE()
    __attribute__((alias("_ZN8armature6detail15AllocationTable3addENS1_3RowE")));
ARMATURE_API void _ZNK8armature6detail9Allotment6row_ofEi()
    __attribute__((alias("_ZNK8armature6detail15AllocationTable6row_ofEi")));
ARMATURE_API void _ZN8armature6detail9Allotment6shrinkEv()
    __attribute__((alias("_ZN8armature6detail15AllocationTable6shrinkEv")));
}
