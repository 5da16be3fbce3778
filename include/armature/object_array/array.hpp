#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "armature/collectives.hpp"
#include "armature/container/blocks.hpp"
#include "armature/container/gather.hpp"
#include "armature/container/one_at_a_time.hpp"
#include "armature/object_array/element.hpp"
#include "armature/object_array/part.hpp"
#include "armature/object_array/refused_index.hpp"

namespace armature {

namespace detail {

/// An element, and where its home knows it.
template <class Index>
struct FoundElement {
  static constexpr bool owns_its_members = true;
  Index index;
  int member = 0;
  std::uint64_t epoch = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(index, member, epoch);
  }
};

template <class Index>
struct MeasuredElement {
  Index index;
  double load = 0;                                     // seconds
  std::vector<std::pair<Index, std::uint64_t>> calls;  // to others

  template <class Archive>
  void serialize(Archive& archive) {
    archive(index, load, calls);
  }
};

}  // namespace detail

/// An object_array as a value that may be captured and passed around, also in remote calls, among
/// the members of its team.
template <class T, ArrayIndex Index>
class object_array_ref {
 public:
  using Part = detail::ObjectPart<T, Index>;
  using index_type = Index;
  using element_type = T;

  object_array_ref() = default;
  explicit object_array_ref(shared_ref<Part> parts) : parts_(parts) {}

  [[nodiscard]] object_array_element<T, Index> operator[](Index index) const {
    return {parts_, std::move(index)};
  }
  [[nodiscard]] object_array_section<T, Index> section(std::vector<Index> indices) const {
    return {parts_, std::move(indices)};
  }
  /// The elements that exist and whose index has that: is_in(index), called where the index has its
  /// home. For one rank to call; it asks each member once. In the order of the indices, if they
  /// have one.
  template <detail::Visitor F>
  requires std::predicate<const F&, const Index&>
  [[nodiscard]] object_array_section<T, Index> select(F is_in) const {
    Part& here = part();
    std::vector<future<std::vector<detail::FoundElement<Index>>>> each;
    for (int m = 0; m < team().size(); ++m)
      each.push_back(armature::ask(here.directory().rank_of(m), SelectHere{}, parts_, is_in));
    std::vector<Index> all;
    for (auto& some : each)
      for (detail::FoundElement<Index>& one : some.get()) {
        here.directory().learn(one.index, one.member, one.epoch);
        all.push_back(std::move(one.index));
      }
    if constexpr (std::totally_ordered<Index>) std::sort(all.begin(), all.end());
    return {parts_, std::move(all)};
  }
  [[nodiscard]] const Team& team() const { return part().directory().team(); }

  /// Makes a one-way call of all elements that exist, for one rank to call. Each element executes
  /// it that was created before, by a create that has returned or before a fence. It is executed
  /// before the next fence ends. It goes by way of the homes of the indices, so it is not ordered
  /// with the caller's other calls.
  template <class Member, class... Args>
  requires OneWayMethod<Member, T, Args...>
  void broadcast(Member method, const Args&... args) const {
    const Part& here = part();
    for (int m = 0; m < here.directory().team().size(); ++m)
      detail::with_kept(
          detail::ParametersOfMember<Member>(),
          [&](const auto&... kept) {
            armature::async(here.directory().rank_of(m), BroadcastHere<Member>{}, parts_,
                            detail::MethodOfElement<T, Member>(method), kept...);
          },
          args...);
  }
  /// Asks all elements that exist, and combines what they answer by op, in no particular order: it
  /// must be associative and commute. Called by one rank. Throws Error(bad_argument) when there are
  /// none.
  template <class Member, class Op = std::plus<>, class... Args>
  requires(TwoWayMethod<Member, T, Args...>&& detail::TravelsAsOperator<Op>)
      [[nodiscard]] auto reduce(Member method, Op op = {}, const Args&... args) const {
    using R = detail::MethodResult<T, Member, Args...>;
    Part& here = part();
    std::vector<future<std::optional<R>>> each;
    for (int m = 0; m < here.directory().team().size(); ++m) {
      auto [answer, promise] = make_promise<std::optional<R>>(here.directory().rank_of(m));
      detail::with_kept(
          detail::ParametersOfMember<Member>(),
          [&](const auto&... kept) {
            // As a two-way call: at the limit of nesting only those are let in.
            (void)armature::ask(here.directory().rank_of(m), ReduceHere<R, Op>{},
                                here.turns().depth, parts_, promise, op,
                                detail::MethodOfElement<T, Member>(method), kept...);
          },
          args...);
      each.push_back(std::move(answer));
    }
    std::optional<R> sum;
    for (auto& one : each)
      if (std::optional<R> value = one.get())
        sum = sum ? static_cast<R>(op(*std::move(sum), *std::move(value))) : std::move(value);
    if (!sum) throw Error(Errc::bad_argument, "object_array: a reduction of no elements");
    return *std::move(sum);
  }

  friend bool operator==(object_array_ref, object_array_ref) = default;

 protected:
  [[nodiscard]] Part& part() const { return parts_.local(); }

 private:
  template <class Member>
  struct BroadcastHere {
    template <class F, class... A>
    void operator()(shared_ref<Part> parts, F f, A... args) const {
      Part& here = parts.local();
      for (const Index& index : here.directory().at_home())
        here.send(index, detail::Tell<detail::CallIfThere<F>>{{f}}, args...);
    }
  };
  struct SelectHere {
    template <class F>
    std::vector<detail::FoundElement<Index>> operator()(shared_ref<Part> parts, F is_in) const {
      auto& directory = parts.local().directory();
      std::vector<detail::FoundElement<Index>> all;
      for (const Index& index : directory.at_home()) {
        const auto& route = directory.route(index);
        if (is_in(index)) all.push_back({index, route.member, route.epoch});
      }
      return all;
    }
  };
  template <class R, class Op>
  struct ReduceHere {
    template <class F, class... A>
    void operator()(std::uint32_t depth, shared_ref<Part> parts,
                    remote_promise<std::optional<R>> promise, Op op, F f, A... args) const {
      Part& here = parts.local();
      std::vector<future<std::optional<R>>> each;
      try {
        const detail::AsDeep as_the_asker(here.turns().depth, depth);
        for (const Index& index : here.directory().at_home())
          each.push_back(detail::ask_element(here, index, detail::AskIfThere<R, F>{f}, args...));
      } catch (...) {
        return detail::fail_with_exception(promise);
      }
      (void)detail::combine_answers<R, Op>(promise, op, std::move(each));
    }
  };

  shared_ref<Part> parts_;
};

/// A collection of objects, each with an index, spread over the members of a team: created,
/// destroyed, called and moved one by one, by any member. T must be marshallable, for it moves;
/// indices are of any type that travels and has == (ArrayIndex), dense or not. Construction and
/// destruction are collective.
template <class T, ArrayIndex Index>
requires Marshallable<T> && std::move_constructible<T>
class object_array<T, Index> : public object_array_ref<T, Index> {
  using Ref = object_array_ref<T, Index>;
  using Part = typename Ref::Part;

 public:
  /// Without elements.
  explicit object_array(const Team& team)
      : object_array(team, std::vector<Index>(), [](const Index&) -> T {
          throw Error(Errc::misuse, "object_array: no element was asked for");
        }) {}
  /// With these, the same at all members, in equal blocks of that order. Each is a T() of where it
  /// is made.
  object_array(const Team& team,
               const std::vector<Index>& indices) requires std::default_initializable<T>
      : object_array(team, indices, [](const Index&) { return T(); }) {}
  /// Each is make(index).
  template <std::regular_invocable<const Index&> Make>
  object_array(const Team& team, const std::vector<Index>& indices, Make make)
      : part_(std::make_unique<shared<Part>>(team, team)) {
    detail::require_one_at_a_time("an object_array");
    static_cast<Ref&>(*this) = Ref(part_->ref());
    (*part_)->set_self(part_->ref());
    const Blocks blocks = Blocks::even(indices.size(), team.size());
    std::size_t twice = indices.size();
    for (std::size_t i = 0; i < indices.size(); ++i)
      if (!(*part_)->place(indices[i], blocks.owner(i),
                           [&] { return std::make_shared<T>(make(indices[i])); }))
        twice = std::min(twice, i);
    // Nobody calls a part that is not complete.
    twice = allreduce(team, twice, Minimum());
    if (twice < indices.size())
      throw Error(Errc::bad_argument, "object_array: " + detail::text_of_index(indices[twice]) +
                                          " is twice among its indices");
  }

  [[nodiscard]] Ref ref() const { return *this; }

  // -- collective; each begins with a fence
  /// Returns when all calls that members made before, and those that these made, are done. Elements
  /// that were to move have arrived then, except those with a coroutine that waits. These move when
  /// it has ended.
  void fence() const { rmi_fence(this->team()); }
  [[nodiscard]] std::size_t size() const {
    fence();
    return allreduce(this->team(), this->part().records().with_elements().size());
  }
  /// f(index, element) where it is; what calls f makes are done on return.
  template <class F>
  void for_all(F f) const {
    fence();
    this->part().visit_here(f);
    fence();
  }
  /// op over init and term(index, element) of all elements, in no particular order: every member
  /// gets it.
  template <Marshallable R, class Op, class Term>
  [[nodiscard]] R transform_reduce(R init, Op op, Term term) const {
    fence();
    std::optional<R> mine;
    this->part().visit_here([&](const Index& index, T& element) {
      R value = static_cast<R>(term(index, element));
      mine = mine ? static_cast<R>(op(*std::move(mine), std::move(value))) : std::move(value);
    });
    const auto total = detail::combine_values(
        this->team(), mine, [&op](R a, const R& b) { return static_cast<R>(op(a, b)); });
    return total ? static_cast<R>(op(std::move(init), *total)) : init;
  }

  // -- balancing: rebalance.hpp
  /// While it is on, the time of each element's methods is added up, and which element calls which.
  /// The time includes waiting, but not other elements' methods that run meanwhile. Costs two looks
  /// at the clock a call. This member's.
  void measure(bool on) { this->part().turns().measures = on; }
  /// Returns what was measured of the elements that are here, and measures from zero again.
  [[nodiscard]] std::vector<detail::MeasuredElement<Index>> take_measured() {
    std::vector<detail::MeasuredElement<Index>> all;
    for (const Index& index : this->part().records().with_elements()) {
      auto& record = *this->part().records().find(index);
      const auto calls = std::exchange(record.calls, {});
      all.push_back({.index = index,
                     .load = 1e-9 * static_cast<double>(std::exchange(record.busy_ns, 0)),
                     .calls = {calls.begin(), calls.end()}});
    }
    return all;
  }
  /// One that is here; it has arrived when the next fence ends.
  void leave_for(const Index& index, int member) { this->part().leave_for(index, member); }

 private:
  std::unique_ptr<shared<Part>> part_;
};

}  // namespace armature
