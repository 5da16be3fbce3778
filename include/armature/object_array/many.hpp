#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "armature/object_array/action.hpp"
#include "armature/promise.hpp"
#include "armature/rmi.hpp"
#include "armature/shared.hpp"

// Calls of many elements at once. They go to the members that probably have the elements, one
// message to each, by a tree: whoever gets a message passes both halves of what is left on. There
// each element is called as by that member, so one that has moved meanwhile is found.

namespace armature::detail {

template <class Parts, class Index, class Action, class... A>
auto ask_element(Parts& part, const Index& index, const Action& action, const A&... args) {
  using Part = std::remove_cvref_t<Parts>;
  using R = std::decay_t<decltype(std::declval<Action&>()(
      std::declval<Part&>(), std::declval<typename Part::Record&>(), index, std::declval<A>()...))>;
  part.turns().require_depth();
  auto [answer, promise] = make_promise<R>(part.directory().likely(index));
  part.send(index, Ask<R, Action>{action, promise}, args...);
  return std::move(answer);
}

/// Combines the results of the elements that exist, for the rank that waits for the promise.
template <class R, class Op>
future<void> combine_answers(remote_promise<std::optional<R>> promise, Op op,
                             std::vector<future<std::optional<R>>> each) {
  std::optional<R> sum;
  try {
    for (auto& one : each)
      if (std::optional<R> value = co_await one)
        sum = sum ? static_cast<R>(op(*std::move(sum), *std::move(value))) : std::move(value);
    promise.set(sum);
  } catch (...) {
    fail_with_exception(promise);
  }
}

/// To an element that may have gone meanwhile: then nobody is told.
template <class F>
struct CallIfThere {
  F f;
  template <class Part, class... A>
  auto operator()(Part& part, typename Part::Record& record, const typename Part::Index& index,
                  A&&... args) {
    CallIt<F> call{f};
    using Result =
        std::remove_cvref_t<decltype(call(part, record, index, std::forward<A>(args)...))>;
    if constexpr (is_future<Result>) {
      return record.object ? call(part, record, index, std::forward<A>(args)...) : Result();
    } else {
      if (record.object) (void)call(part, record, index, std::forward<A>(args)...);
    }
  }
};

/// A two-way call of an element that may have gone: then there is no result. (An error cannot tell
/// that the element is missing, since its method may throw the same error about another one.)
template <class R, class F>
struct AskIfThere {
  F f;
  template <class Part, class... A>
  std::optional<R> operator()(Part& part, typename Part::Record& record,
                              const typename Part::Index& index, A&&... args) {
    if (!record.object) return std::nullopt;
    return CallIt<F>{f}(part, record, index, std::forward<A>(args)...);
  }
};

/// Elements that one member has, as far as the caller knows.
template <class Index>
struct ElementsOfMember {
  static constexpr bool owns_its_members = true;
  int member = 0;
  std::vector<Index> indices;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(member, indices);
  }
};
template <class Index>
using ElementsByMember = std::vector<ElementsOfMember<Index>>;

/// Elements by member, this one first even if it has none.
template <class Part>
ElementsByMember<typename Part::Index> by_member(Part& part,
                                                 const std::vector<typename Part::Index>& indices) {
  const int me = part.directory().me();
  std::map<int, std::vector<typename Part::Index>> all;
  for (const auto& index : indices) all[part.directory().likely_member(index)].push_back(index);
  ElementsByMember<typename Part::Index> groups;
  groups.push_back({me, std::move(all[me])});
  all.erase(me);
  for (auto& [member, some] : all) groups.push_back({member, std::move(some)});
  return groups;
}

/// Calls send(rank, groups) for both halves of all but the first group, where there are some.
template <class Part, class Index, class Send>
void send_halves(Part& part, const ElementsByMember<Index>& groups, Send send) {
  const std::span rest = std::span(groups).subspan(1);
  const std::size_t half = (rest.size() + 1) / 2;
  for (const auto some : {rest.first(half), rest.subspan(half)})
    if (!some.empty())
      send(part.directory().rank_of(some[0].member),
           ElementsByMember<Index>(some.begin(), some.end()));
}

/// Executed by each member of the tree: a one-way call of elements.
template <class Part>
struct CallMany {
  template <class F, class... A>
  void operator()(shared_ref<Part> parts, ElementsByMember<typename Part::Index> groups, F f,
                  A... args) const {
    Part& here = parts.local();
    send_halves(here, groups, [&](Rank to, const auto& some) {
      armature::async(to, CallMany{}, parts, some, f, args...);
    });
    for (const auto& index : groups.front().indices)
      here.send(index, Tell<CallIfThere<F>>{{f}}, args...);
  }
};

/// A two-way call of elements, executed by each member of the tree. The results are combined on
/// their way back.
template <class Part, class R, class Op>
struct AskMany {
  template <class F, class... A>
  void operator()(std::uint32_t depth, shared_ref<Part> parts,
                  ElementsByMember<typename Part::Index> groups,
                  remote_promise<std::optional<R>> promise, Op op, F f, A... args) const {
    std::vector<future<std::optional<R>>> each;
    try {
      Part& here = parts.local();
      const AsDeep as_the_asker(here.turns().depth, depth);
      send_halves(here, groups, [&](Rank to, const auto& some) {
        auto [answer, given] = make_promise<std::optional<R>>(to);
        // As a two-way call: at the limit of nesting only those are let in.
        (void)armature::ask(to, AskMany{}, depth, parts, some, given, op, f, args...);
        each.push_back(std::move(answer));
      });
      for (const auto& index : groups.front().indices)
        each.push_back(ask_element(here, index, AskIfThere<R, F>{f}, args...));
    } catch (...) {
      return fail_with_exception(promise);
    }
    (void)combine_answers<R, Op>(promise, op, std::move(each));
  }
};

}  // namespace armature::detail
