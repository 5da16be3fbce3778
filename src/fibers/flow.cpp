#include "fibers/flow.hpp"

#include <cstdlib>

#include "wait/rank_context.hpp"

namespace armature::fibers {
namespace {

/// Passed over the jump: who was left, and who goes on.
struct Jump {
  LeftStack* left;
  Flow* next;
};

}  // namespace

Flow::Flow(std::byte* low, std::size_t bytes, void (*body)(void*), void* argument)
    : inside_(make_stack(low + bytes, bytes, &Flow::begin)), body_(body), argument_(argument) {}

// The thread's own is exchanged before the jump: behind it the thread may be another one.
void Flow::leave_for(Flow& other) {
  ExceptionState& exceptions = exception_state();
  int& calls = wait::calls_of_thread();
  exceptions_ = exceptions;
  error_number_ = errno;
  calls_ = calls;
  exceptions = other.exceptions_;
  errno = other.error_number_;
  calls = other.calls_;
  Jump jump{&inside_, &other};
  const boost::context::detail::transfer_t back = switch_stack(other.inside_, &jump);
  *static_cast<Jump*>(back.data)->left = back.fctx;
}

void Flow::begin(boost::context::detail::transfer_t from) {
  const Jump& jump = *static_cast<Jump*>(from.data);
  Flow& me = *jump.next;
  *jump.left = from.fctx;
  me.body_(me.argument_);
  std::abort();  // the body does not return
}

}  // namespace armature::fibers
