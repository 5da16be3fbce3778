#include "net/rank_map.hpp"

namespace armature::net {

RankMap::RankMap(const space::Mapping& mapping, Spaces spaces) : mapping_(mapping) {
  host(std::move(spaces));
}

/// A virtual rank may come from any process of the node.
void RankMap::host(Spaces spaces) {
  spaces_ = std::move(spaces);
  doors_.assign(static_cast<std::size_t>(mapping_.ranks()), -1);
  for (std::size_t door = 0; door < spaces_.size(); ++door)
    doors_[static_cast<std::size_t>(static_cast<int>(spaces_[door]->me()))] =
        static_cast<int>(door);
  places_count_ = spaces_.size();
  places_ = doors_;
  processes_.clear();
  for (int r = 0; r < mapping_.ranks(); ++r) processes_.push_back(mapping_.place_of(r).process);
  if (mapping_.header().ranks_are_virtual == 0) return;
  places_count_ = 0;
  for (int r = 0; r < mapping_.ranks(); ++r)
    places_[static_cast<std::size_t>(r)] =
        mapping_.is_here(r) ? static_cast<int>(places_count_++) : -1;
}

}  // namespace armature::net
