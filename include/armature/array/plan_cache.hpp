#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>

#include "armature/array/plan.hpp"
#include "armature/array/transfers.hpp"
#include "armature/error.hpp"

namespace armature::detail {

class ArrayStore;

/// The plans of the last transfers between sections of an array and local memory. A transfer of the
/// same section to or from memory of the same strides is not planned again: its addresses are
/// moved, and nothing is allocated. Threads may use a cache at once, and calls that are executed
/// while a rank waits: a plan that is in use is not lent twice.
class ArrayPlanCache {
  struct Entry;

 public:
  ARMATURE_API ArrayPlanCache();
  ArrayPlanCache(const ArrayPlanCache&) = delete;
  ArrayPlanCache& operator=(const ArrayPlanCache&) = delete;
  ARMATURE_API ~ArrayPlanCache();

  /// Transfers that are lent to one call.
  class Loan {
   public:
    ARMATURE_API Loan(ArrayPlanCache& cache, std::unique_ptr<Entry> entry);
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    ARMATURE_API ~Loan();
    ARMATURE_API ArrayTransfers& operator*() const;
    ArrayTransfers* operator->() const { return &**this; }

   private:
    ArrayPlanCache* cache_;
    std::unique_ptr<Entry> entry_;
  };

  /// Returns the transfers of a section of `store`, whose other side begins at `local`.
  [[nodiscard]] ARMATURE_API Loan lend(const ArrayStore& store, ArrayTransfers::Verb verb,
                                       const ArraySection& section, const PerDimension& strides,
                                       std::byte* local);

 private:
  static constexpr std::size_t entries_max = 8;

  std::unique_ptr<Entry> take(ArrayTransfers::Verb verb, const ArraySection& section,
                              const PerDimension& strides);
  void give_back(std::unique_ptr<Entry> entry) noexcept;

  std::mutex mutex_;
  std::array<std::unique_ptr<Entry>, entries_max> entries_;  // the last one used comes first
};

}  // namespace armature::detail
