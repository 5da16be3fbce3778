#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/fail.hpp"
#include "transport/service.hpp"

namespace armature::transport {

/// The services of a process, the links' own first, and who handles each kind of record. Records
/// name a service by its place here, which is the same in all processes of a job.
class ServiceTable {
 public:
  /// Without the links' own.
  explicit ServiceTable(const std::vector<const Service*>& services);
  ServiceTable(const ServiceTable&) = delete;
  ServiceTable& operator=(const ServiceTable&) = delete;
  ~ServiceTable() = default;

  [[nodiscard]] const std::vector<const Service*>& all() const { return services_; }
  /// Ends what services have given others, see Service::let_go.
  void let_go() const;
  /// A hash of their names and kinds of records, which tells tables apart.
  [[nodiscard]] std::uint64_t hash() const;
  /// As it travels. Its service is one of the table.
  [[nodiscard]] RecordKind kind_of(RecordOf record) const {
    // A few pointers: those that send most stand at the front of the list.
    std::size_t place = 0;
    while (services_[place] != record.service) {
      ++place;
      ARMATURE_ASSERT(place < services_.size());
    }
    return {static_cast<std::uint8_t>(place), record.number};
  }
  /// Throws Error(corrupt) where that process names a kind that there is not.
  void require_known(RecordKind kind, int process) const;
  /// The handling of a kind that exists.
  [[nodiscard]] const Handling& handling(RecordKind kind) const {
    return handling_[kind.service][kind.number];
  }

 private:
  std::vector<const Service*> services_;
  std::vector<std::vector<Handling>> handling_;  // by service and number
};

}  // namespace armature::transport
