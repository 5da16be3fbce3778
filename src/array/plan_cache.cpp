#include "armature/array/plan_cache.hpp"

#include <utility>

#include "armature/array/store.hpp"
#include "array/recently_used.hpp"

// Programs fetch the same few sections again and again, often into another buffer. Planning costs
// some allocations and a pass over all positions of the grid, more than the transfer of a short
// section on a node. An entry leaves the cache while it is lent: nobody waits for another's call.

namespace armature::detail {

struct ArrayPlanCache::Entry {
  ArraySection section;
  PerDimension strides;
  ArrayTransfers transfers;
};

ArrayPlanCache::ArrayPlanCache() = default;
ArrayPlanCache::~ArrayPlanCache() = default;

ArrayPlanCache::Loan::Loan(ArrayPlanCache& cache, std::unique_ptr<Entry> entry)
    : cache_(&cache), entry_(std::move(entry)) {}

ArrayPlanCache::Loan::~Loan() {
  if (entry_ != nullptr) cache_->give_back(std::move(entry_));
}

ArrayTransfers& ArrayPlanCache::Loan::operator*() const { return entry_->transfers; }

auto ArrayPlanCache::take(ArrayTransfers::Verb verb, const ArraySection& section,
                          const PerDimension& strides) -> std::unique_ptr<Entry> {
  const std::scoped_lock lock(mutex_);
  for (std::unique_ptr<Entry>& entry : entries_)
    if (entry != nullptr && entry->transfers.verb() == verb && entry->section == section &&
        entry->strides == strides)
      return std::move(entry);
  return nullptr;
}

void ArrayPlanCache::give_back(std::unique_ptr<Entry> entry) noexcept {
  std::unique_ptr<Entry> dropped;  // destroyed when the lock is free
  const std::scoped_lock lock(mutex_);
  dropped = keep_first(entries_, std::move(entry));
}

auto ArrayPlanCache::lend(const ArrayStore& store, ArrayTransfers::Verb verb,
                          const ArraySection& section, const PerDimension& strides,
                          std::byte* local) -> Loan {
  std::unique_ptr<Entry> entry = take(verb, section, strides);
  if (entry != nullptr && entry->transfers.is_as_planned()) {
    entry->transfers.move_local(local);
    return {*this, std::move(entry)};
  }
  entry =
      std::make_unique<Entry>(Entry{section, strides, ArrayTransfers(verb, store.element_bytes())});
  store.add(plan_section(store.layout(), section, strides), local, entry->transfers);
  entry->transfers.begin_at(local);
  return {*this, std::move(entry)};
}

}  // namespace armature::detail
