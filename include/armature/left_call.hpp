#pragma once

#include <cstdint>
#include <memory>

#include "armature/detail/export.hpp"
#include "armature/object_id.hpp"

// Calls that a service thread takes in, but leaves to the rank's own thread: those of objects that
// this one uses without a lock. They are executed in the order in which they came, when the rank
// communicates. To fences they are under way until then.

namespace armature::detail {

/// A call, and all that it needs.
class LeftCall {
 public:
  LeftCall() = default;
  LeftCall(const LeftCall&) = delete;
  LeftCall& operator=(const LeftCall&) = delete;
  virtual ~LeftCall() = default;
  virtual void run() = 0;
};

/// Whether the calling thread is the rank's service thread.
[[nodiscard]] ARMATURE_API bool is_service_thread();
/// For a method of that object: whether it must leave its work to the rank, as the service thread
/// executes it, or as it would overtake others that were left.
[[nodiscard]] ARMATURE_API bool must_leave();
/// Called by such a method, as the last that it does. The call is dropped when the object has gone
/// before. `depth`: how many two-way calls deep it is.
ARMATURE_API void leave_to_rank(ObjectId object, std::uint8_t depth,
                                std::unique_ptr<LeftCall> call);
/// How many two-way calls deep the method under way is; 0 where there is none.
[[nodiscard]] ARMATURE_API std::uint8_t depth_of_call();

}  // namespace armature::detail
