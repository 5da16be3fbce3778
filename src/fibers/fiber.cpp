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

/// A stack that belongs to somebody else.
struct LentStack {
  std::span<std::byte> memory;
  [[nodiscard]] boost::context::stack_context allocate() const {
    boost::context::stack_context stack;
    stack.size = memory.size();
    stack.sp = memory.data() + memory.size();
    return stack;
  }
  void deallocate(boost::context::stack_context& /*stack*/) const {}
};

}  // namespace

struct Fiber::Implementation {
  boost::context::fiber inside;   // while suspended: the fiber
  boost::context::fiber outside;  // while it runs: whoever resumed it
  ExceptionState exceptions;      // of the side that does not run
  bool done = false;
};

template <class Stack>
void Fiber::begin(Stack stack, std::function<void()> body) {
  Implementation& me = *implementation_;
  me.inside = boost::context::fiber(std::allocator_arg, stack,
                                    [&me, body = std::move(body)](boost::context::fiber&& outside) {
                                      me.outside = std::move(outside);
                                      body();
                                      me.done = true;
                                      return std::move(me.outside);
                                    });
}

Fiber::Fiber(std::size_t stack_bytes, std::function<void()> body)
    : implementation_(std::make_unique<Implementation>()) {
  begin(boost::context::protected_fixedsize_stack(stack_bytes), std::move(body));
}

Fiber::Fiber(std::span<std::byte> stack, std::function<void()> body)
    : implementation_(std::make_unique<Implementation>()) {
  begin(LentStack{stack}, std::move(body));
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
