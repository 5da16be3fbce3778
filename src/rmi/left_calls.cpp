#include "rmi/left_calls.hpp"

#include <algorithm>
#include <utility>

#include "armature/detail/method.hpp"
#include "rmi/failure.hpp"
#include "rmi/on_top.hpp"
#include "wait/notifier.hpp"

namespace armature::rmi {

// The count is taken back before whoever executes the method adds it.
void LeftCalls::add(Incoming& in, ObjectId object, std::uint8_t depth,
                    std::unique_ptr<detail::LeftCall> call) {
  calls_.push_back({&in, object, depth, std::move(call),
                    context_.called_at != nullptr ? *context_.called_at : CalledAt()});
  --in.executed;
  wait::notify(context_.space.slot(context_.space.me()));
}

bool LeftCalls::may_nest() const {
  const std::uint8_t waits = context_.sender.depth;
  return context_.sender.level < static_cast<int>(context_.settings.nesting_max) ||
         std::any_of(calls_.begin(), calls_.end(),
                     [waits](const Left& one) { return one.depth > waits; });
}

void LeftCalls::run_one() {
  if (calls_.empty()) return;
  const bool were_full = are_full();
  const Left one = std::move(calls_.front());
  calls_.pop_front();
  {
    const OnTop on_top(context_, objects_);
    const CalledAtBefore told_of_it(context_, one.called_at);
    context_.sender.depth = one.depth;
    void* const object = objects_.find(one.object);
    objects_.runs(object);
    try {
      if (object != nullptr) one.call->run();
    } catch (...) {
      tell_thrown([&](Errc code, const char* text) {
        detail::Call call;
        call.from = Rank(one.in->from);
        failures_.threw(call, nullptr, code, text);
      });
    }
    objects_.method_is_over();
  }
  ++one.in->executed;
  context_.made_progress();
  if (were_full) wait::notify(context_.space.slot(context_.space.me()));
}

void LeftCalls::run_all() {
  for (std::size_t left = calls_.size(); left > 0 && !calls_.empty() && may_nest(); --left)
    run_one();
}

}  // namespace armature::rmi
