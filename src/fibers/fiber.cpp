#include "fibers/fiber.hpp"

#include <utility>

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>

#include "fibers/exceptions.hpp"

namespace armature::fibers {
namespace {

ExceptionState exchange_exceptions(const ExceptionState& next) {
  return std::exchange(exception_state(), next);
}

}  // namespace

struct Fiber::Implementation {
  boost::context::fiber inside;   // while suspended: the fiber
  boost::context::fiber outside;  // while it runs: whoever resumed it
  ExceptionState exceptions;      // of the side that does not run
  bool done = false;
};

Fiber::Fiber(std::size_t stack_bytes, std::function<void()> body)
    : implementation_(std::make_unique<Implementation>()) {
  Implementation& me = *implementation_;
  me.inside = boost::context::fiber(std::allocator_arg,
                                    boost::context::protected_fixedsize_stack(stack_bytes),
                                    [&me, body = std::move(body)](boost::context::fiber&& outside) {
                                      me.outside = std::move(outside);
                                      body();
                                      me.done = true;
                                      return std::move(me.outside);
                                    });
}

Fiber::~Fiber() = default;

void Fiber::resume() {
  Implementation& me = *implementation_;
  me.exceptions = exchange_exceptions(me.exceptions);
  me.inside = std::move(me.inside).resume();
  me.exceptions = exchange_exceptions(me.exceptions);
}

void Fiber::suspend() {
  Implementation& me = *implementation_;
  me.outside = std::move(me.outside).resume();
}

bool Fiber::done() const { return implementation_->done; }

}  // namespace armature::fibers
