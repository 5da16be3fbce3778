#include "armature/array/copy_cache.hpp"

#include <utility>

#include "armature/array/schedule.hpp"
#include "armature/array/store.hpp"
#include "array/recently_used.hpp"

// `a[s] = b[t]` in a loop. An array that is gone is told from a new one at its place by the
// identity that an entry holds.

namespace armature::detail {

struct ArrayCopyCache::Entry {
  ArraySection to;
  ArraySection from;
  std::shared_ptr<const int> identity;  // of the array that is copied
  ArrayCopy copy;
};

ArrayCopyCache::ArrayCopyCache() = default;
ArrayCopyCache::~ArrayCopyCache() = default;

auto ArrayCopyCache::take(const ArrayStore& to, const ArraySection& to_section,
                          const ArrayStore& from, const ArraySection& from_section)
    -> std::unique_ptr<Entry> {
  std::unique_ptr<Entry> found;
  {
    const std::scoped_lock lock(mutex_);
    for (std::unique_ptr<Entry>& entry : entries_)
      if (found == nullptr && entry != nullptr && entry->identity == from.copies().identity() &&
          entry->to == to_section && entry->from == from_section)
        found = std::move(entry);
  }
  if (found != nullptr && found->copy.transfers().is_as_planned()) return found;
  found = std::make_unique<Entry>(Entry{to_section, from_section, from.copies().identity(),
                                        ArrayCopy(to, to_section, from, from_section)});
  const std::scoped_lock lock(mutex_);
  ++planned_;
  return found;
}

void ArrayCopyCache::give_back(std::unique_ptr<Entry> entry) noexcept {
  std::unique_ptr<Entry> dropped;  // destroyed when the lock is free
  const std::scoped_lock lock(mutex_);
  dropped = keep_first(entries_, std::move(entry));
}

std::size_t ArrayCopyCache::planned() const {
  const std::scoped_lock lock(mutex_);
  return planned_;
}

void copy_sections(const ArrayStore& to, const ArraySection& to_section, const ArrayStore& from,
                   const ArraySection& from_section) {
  auto entry = to.copies().take(to, to_section, from, from_section);
  entry->copy.run();
  to.copies().give_back(std::move(entry));
}

}  // namespace armature::detail
