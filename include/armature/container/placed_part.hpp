#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "armature/container/by_rank.hpp"
#include "armature/named_call.hpp"
#include "armature/own_call.hpp"
#include "armature/rank.hpp"
#include "armature/rmi.hpp"
#include "armature/shared.hpp"
#include "armature/team.hpp"

// The common part of containers whose elements are reached by calls to their owner: a part on each
// member, and a way to run a function where an element is.
//
// A call for an element of this rank's own is executed at once. In three cases it goes through the
// channel instead. (1) A one-way call while this part is at work already: a visitor that visits a
// neighbour, which visits a neighbour, would otherwise use up the stack. (2) A two-way call whose
// result is wanted later. (3) Any call while such a call is still on its way, which it must not
// overtake. In a job with service threads each goes through the channel (by_rank.hpp).

namespace armature::detail {

/// Derived: has a nested class Pin, made of a Derived&, and a member is_pinned().
template <class Derived>
class PlacedPart : public ByRank<Derived> {
 public:
  explicit PlacedPart(const Team& team) : team_(team) {
    for (int m = 0; m < team.size(); ++m) ranks_.push_back(team.world_rank(m));
  }
  PlacedPart(const PlacedPart&) = delete;
  PlacedPart& operator=(const PlacedPart&) = delete;

  [[nodiscard]] const Team& team() const { return team_; }
  [[nodiscard]] shared_ref<Derived> self() const { return self_; }
  void set_self(shared_ref<Derived> self) {
    self_ = self;
    this->set_id(self.id());
  }

  /// Runs op(part, args...) at that member, some time before the next fence ends.
  template <class Op, class... Args>
  void send(int member, const Op& op, const Args&... args) {
    const Rank rank = ranks_[static_cast<std::size_t>(member)];
    if (!this->is_plain()) [[unlikely]] {
      this->check_function(op, "an asynchronous call of a container");
      if (this->has_service()) return send_served(member, op, args...);
    }
    if (member != team_.rank())
      self_.async(rank, &PlacedPart::template run<false, Op, Args...>, op, args...);
    else if (on_their_way_ == 0 && !derived().is_pinned())
      tell_here([&] { run<false, Op, Args...>(op, args...); });
    else
      on_its_way(
          [&] { self_.async(rank, &PlacedPart::template run<true, Op, Args...>, op, args...); });
  }
  /// Waits for what op(part, args...) returns at that member.
  template <class Op, class... Args>
  auto ask(int member, const Op& op, const Args&... args) {
    if (!this->is_plain()) [[unlikely]] {
      this->check_function(op, "a two-way call of a container");
      if (this->has_service()) return ask_served(member, op, args...).get();
    }
    if (member != team_.rank())
      return self_.sync(ranks_[static_cast<std::size_t>(member)],
                        &PlacedPart::template answer<false, Op, Args...>, op, args...);
    if (on_their_way_ == 0)
      return ask_here([&] { return answer<false, Op, Args...>(op, args...); });
    return ask_later(member, op, args...).get();
  }
  template <class Op, class... Args>
  auto ask_later(int member, const Op& op, const Args&... args) {
    const Rank rank = ranks_[static_cast<std::size_t>(member)];
    if (!this->is_plain()) [[unlikely]] {
      this->check_function(op, "a two-way call of a container");
      if (this->has_service()) return ask_served(member, op, args...);
    }
    if (member != team_.rank())
      return self_.ask(rank, &PlacedPart::template answer<false, Op, Args...>, op, args...);
    return on_its_way([&] {
      return self_.ask(rank, &PlacedPart::template answer<true, Op, Args...>, op, args...);
    });
  }

 private:
  /// An operator that travels and does what run() and answer() do.
  template <bool was_on_its_way, class Op>
  struct Run {
    Op op;
    template <class... Args>
    auto operator()(Derived& part, Args&&... args) {
      return static_cast<PlacedPart&>(part)
          .template answer<was_on_its_way, Op, std::decay_t<Args>...>(op,
                                                                      std::forward<Args>(args)...);
    }
  };
  template <class Op, class... Args>
  void send_served(int member, const Op& op, const Args&... args) {
    const Rank rank = ranks_[static_cast<std::size_t>(member)];
    if (member != team_.rank() || this->is_used_beside())
      tell_part(self_, rank, Run<false, Op>{op}, args...);
    else
      on_its_way([&] { tell_part(self_, rank, Run<true, Op>{op}, args...); });
  }
  template <class Op, class... Args>
  auto ask_served(int member, const Op& op, const Args&... args) {
    const Rank rank = ranks_[static_cast<std::size_t>(member)];
    if (member != team_.rank()) return ask_part(self_, rank, Run<false, Op>{op}, args...);
    this->require_rank("a two-way call of a container");
    return on_its_way([&] { return ask_part(self_, rank, Run<true, Op>{op}, args...); });
  }

  Derived& derived() { return static_cast<Derived&>(*this); }

  /// Sends a call to this rank itself, which those that follow do not overtake.
  template <class Send>
  auto on_its_way(Send send) {
    ++on_their_way_;
    try {
      return send();
    } catch (...) {
      --on_their_way_;  // it was not sent
      throw;
    }
  }
  template <bool was_on_its_way, class Op, class... Args>
  void run(Op op, Args... args) {
    if constexpr (was_on_its_way) --on_their_way_;
    const typename Derived::Pin pin(derived());
    op(derived(), std::move(args)...);
  }
  template <bool was_on_its_way, class Op, class... Args>
  std::decay_t<std::invoke_result_t<Op&, Derived&, Args...>> answer(Op op, Args... args) {
    if constexpr (was_on_its_way) --on_their_way_;
    const typename Derived::Pin pin(derived());
    return op(derived(), std::move(args)...);
  }

  Team team_;
  std::vector<Rank> ranks_;  // of the members
  shared_ref<Derived> self_;
  std::size_t on_their_way_ = 0;  // calls of this rank to itself
};

/// Makes the parts, collectively, and destroys them.
template <class Part>
class PartOwner {
 public:
  template <class... Args>
  explicit PartOwner(const Team& team, Args&&... args)
      : part_([&] {
          const NamedCall named(team, UserCall::make_container);
          return std::make_unique<shared<Part>>(team, team, std::forward<Args>(args)...);
        }()) {
    (*part_)->set_self(part_->ref());
    // Nobody calls a part that does not know itself yet.
    team.barrier();
  }

 protected:
  [[nodiscard]] shared_ref<Part> parts() const { return part_->ref(); }

 private:
  std::unique_ptr<shared<Part>> part_;
};

/// A visitor: a lambda or function object that is its bytes.
template <class F>
concept Visitor = RemoteFunction<F> && std::is_class_v<F> && CapturesNoReference<F>;
/// An operator that goes along with a call: the same, or one that says how it travels.
template <class Op>
concept TravelsAsOperator = Visitor<Op> || is_described<Op>;

}  // namespace armature::detail
