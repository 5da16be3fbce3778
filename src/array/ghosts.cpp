#include "armature/array/ghosts.hpp"

namespace armature::detail {

GhostTransfers::GhostTransfers(const ArrayStore& store,
                               const std::array<bool, array_dimensions_max>& periodic,
                               int outside_max)
    : store_(&store), transfers_(ArrayTransfers::Verb::get, store.element_bytes()) {
  store.add(plan_ghosts(store.layout(), store.me(), periodic, outside_max), store.mine(),
            transfers_);
}

void GhostTransfers::start() {
  store_->team().barrier();  // the elements are as their owners want them
  transfers_.start();
}

void GhostTransfers::wait() {
  transfers_.wait();
  store_->team().barrier();  // all have fetched them: they may be written
}

}  // namespace armature::detail
