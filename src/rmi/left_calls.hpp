#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>

#include "armature/left_call.hpp"
#include "armature/object_id.hpp"
#include "rmi/call_failures.hpp"
#include "rmi/endpoint_context.hpp"
#include "rmi/incoming.hpp"
#include "rmi/objects.hpp"

namespace armature::rmi {

/// Calls that the service thread leaves to the rank (armature/left_call.hpp), in their order. Used
/// under EndpointContext::use(); run by the rank's own thread.
class LeftCalls {
 public:
  LeftCalls(EndpointContext& context, Objects& objects, CallFailures& failures)
      : context_(context), objects_(objects), failures_(failures) {}
  LeftCalls(const LeftCalls&) = delete;
  LeftCalls& operator=(const LeftCalls&) = delete;
  ~LeftCalls() = default;

  /// So many are kept at most while the rank computes; then its service thread takes in no more.
  static constexpr std::size_t most = 65'536;

  [[nodiscard]] bool empty() const { return calls_.empty(); }
  [[nodiscard]] bool are_full() const { return calls_.size() >= most; }
  /// The method under way, whose request came that way, is over for now: its call is executed
  /// later, and counts as executed then.
  void add(Incoming& in, ObjectId object, std::uint8_t depth,
           std::unique_ptr<detail::LeftCall> call);
  /// Runs those that are there. At the limit of nesting that is none, unless one goes deeper than
  /// the method that waits: as Inbox has it.
  void run_all();
  /// Runs the first, if there is one.
  void run_one();

 private:
  struct Left {
    Incoming* in = nullptr;
    ObjectId object;
    std::uint8_t depth = 0;
    std::unique_ptr<detail::LeftCall> call;
    CalledAt called_at;  // where requests say it
  };
  [[nodiscard]] bool may_nest() const;

  EndpointContext& context_;
  Objects& objects_;
  CallFailures& failures_;
  std::list<Left> calls_;  // takes no memory while it is empty
};

}  // namespace armature::rmi
