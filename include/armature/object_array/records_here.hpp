#pragma once

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "armature/object_array/index.hpp"

namespace armature::detail {

/// The records that are at one member, by their indices.
template <class Index, class Record>
class RecordsHere {
 public:
  /// nullptr: it is elsewhere.
  [[nodiscard]] Record* find(const Index& index) {
    const auto found = records_.find(index);
    return found == records_.end() ? nullptr : found->second.get();
  }
  /// In place of any that was there.
  Record& put(const Index& index, std::unique_ptr<Record> record) {
    return *(records_[index] = std::move(record));
  }
  /// The caller keeps it alive until nobody uses it.
  [[nodiscard]] auto take(const Index& index) { return records_.extract(index); }
  /// The indices whose record has an element.
  [[nodiscard]] std::vector<Index> with_elements() const {
    std::vector<Index> all;
    for (const auto& [index, record] : records_)
      if (record->object) all.push_back(index);
    return all;
  }

 private:
  std::unordered_map<Index, std::unique_ptr<Record>, IndexHash> records_;
};

}  // namespace armature::detail
