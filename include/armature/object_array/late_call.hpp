#pragma once

#include <tuple>
#include <utility>

#include "armature/object_array/record.hpp"
#include "armature/object_array/turn.hpp"

namespace armature::detail {

/// A call that waits, with its arguments.
template <class Part, class Op, class... A>
class LateCall final : public Waiting<Part> {
  using Index = typename Part::Index;
  using Record = typename Part::Record;

 public:
  LateCall(CallHead head, Index index, Op op, A... args)
      : head_(head), index_(std::move(index)), op_(op), args_(std::move(args)...) {}

  [[nodiscard]] const CallHead& head() const override { return head_; }
  void run(Part& part, Record& record) override {
    part.start(record, index_, head_.caller);
    const AsDeep as_deep(part.turns().depth, head_.depth);
    std::apply([&](A&... args) { op_(part, record, index_, head_.caller, std::move(args)...); },
               args_);
  }
  void arrive_again(Part& part) override {
    std::apply(
        [&](A&... args) {
          part.template arrive<Op, A...>(head_, std::move(index_), op_, std::move(args)...);
        },
        args_);
  }

 private:
  CallHead head_;
  Index index_;
  Op op_;
  std::tuple<A...> args_;
};

}  // namespace armature::detail
