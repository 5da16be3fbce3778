#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "armature/detail/method.hpp"
#include "armature/detail/request.hpp"
#include "rmi/incoming.hpp"

namespace armature::rmi {

/// Writes down which calls a rank executes, for `armature run --trace`.
class TracedCalls {
 public:
  /// `job`: when it has started. Numbers of names are that job's.
  explicit TracedCalls(std::uint64_t job) : job_(job) {}
  [[nodiscard]] bool are_of(std::uint64_t job) const { return job_ == job; }

  /// The request is executed next, on rank `me`. A full header has not been kept in `in` yet.
  void begins(Incoming& in, int me, const detail::RequestHeader& header,
              std::span<const std::byte> request);

 private:
  /// The number of the name of what the request calls; 0: it has none.
  std::uint32_t name_of_method(const Incoming& in, const detail::RequestHeader& header,
                               std::span<const std::byte> request);

  const std::uint64_t job_;
  // By the method, and by the code that the program has named.
  std::map<std::pair<const detail::Method*, std::uintptr_t>, std::uint32_t> names_;
};

}  // namespace armature::rmi
