#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "armature/algorithm/aligned.hpp"
#include "armature/container/gather.hpp"
#include "armature/container/range.hpp"
#include "armature/named_call.hpp"

// Algorithms whose every element depends on those before it. A piece depends on the sum of the
// pieces before it, or on the last element of the one before.
//
// Messages: two meetings and one allgather; ranges that are divided differently as in apply.hpp.

namespace armature {

namespace detail {

/// Collective: what precedes my piece, combined; nothing for the first that has elements.
template <class T, class Op>
std::optional<T> sum_before(const Team& team, const std::optional<T>& mine, Op& op) {
  std::optional<T> sum;
  const auto all = all_values(team, mine);
  for (int m = 0; m < team.rank(); ++m) {
    const auto& one = all[static_cast<std::size_t>(m)];
    if (!one) continue;
    sum = sum ? static_cast<T>(op(*std::move(sum), *one)) : one;
  }
  return sum;
}

/// The sum of my piece, and the sum of init and all before it.
template <class T, class U, class Op, class Term>
std::optional<T> carry(const distributed_range<U>& range, std::optional<T> init, Op& op,
                       Term& term) {
  std::optional<T> mine;
  for (const auto& element : range.local())
    mine =
        mine ? static_cast<T>(op(*std::move(mine), term(element))) : static_cast<T>(term(element));
  auto before = sum_before(range.team(), mine, op);
  if (!init) return before;
  return before ? static_cast<T>(op(*std::move(init), *before)) : init;
}

template <DistributedRange In, WritableDistributedRange Out, class Op, class Term, class T>
void scan_inclusive(In&& in, Out&& out, Op op, Term term, std::optional<T> init) {
  const auto from = in.view();
  const auto to = out.view();
  const NamedCall named(from.team(), UserCall::inclusive_scan);
  require_same_size("inclusive_scan", from, to);
  enter(from, to);
  auto sum = carry(from, std::move(init), op, term);
  const AlignedOutput output(to, from);
  auto place = output.elements().begin();
  for (const auto& element : from.local()) {
    sum = sum ? static_cast<T>(op(*std::move(sum), term(element))) : static_cast<T>(term(element));
    *place++ = static_cast<range_value_t<Out>>(*sum);
  }
  output.write_back();
  to.fence();
}

}  // namespace detail

/// out[i] = in[0] op ... op in[i]. op must be associative; `out` may be `in`.
template <DistributedRange In, WritableDistributedRange Out, class Op = std::plus<>>
void inclusive_scan(In&& in, Out&& out, Op op = {}) {
  detail::scan_inclusive(in, out, std::move(op), std::identity(),
                         std::optional<range_value_t<In>>());
}
/// out[i] = init op in[0] op ... op in[i].
template <DistributedRange In, WritableDistributedRange Out, class Op, class T>
void inclusive_scan(In&& in, Out&& out, Op op, T init) {
  detail::scan_inclusive(in, out, std::move(op), std::identity(),
                         std::optional<T>(std::move(init)));
}
/// out[i] = term(in[0]) op ... op term(in[i]).
template <DistributedRange In, WritableDistributedRange Out, class Op, class Term>
void transform_inclusive_scan(In&& in, Out&& out, Op op, Term term) {
  using T = std::remove_cvref_t<std::invoke_result_t<Term&, const range_value_t<In>&>>;
  detail::scan_inclusive(in, out, std::move(op), std::move(term), std::optional<T>());
}
/// out[i] = init op term(in[0]) op ... op term(in[i]).
template <DistributedRange In, WritableDistributedRange Out, class Op, class Term, class T>
void transform_inclusive_scan(In&& in, Out&& out, Op op, Term term, T init) {
  detail::scan_inclusive(in, out, std::move(op), std::move(term),
                         std::optional<T>(std::move(init)));
}

/// out[i] = init op term(in[0]) op ... op term(in[i - 1]); `out` may be `in`.
template <DistributedRange In, WritableDistributedRange Out, class T, class Op, class Term>
void transform_exclusive_scan(In&& in, Out&& out, T init, Op op, Term term) {
  const auto from = in.view();
  const auto to = out.view();
  const detail::NamedCall named(from.team(), detail::UserCall::exclusive_scan);
  detail::require_same_size("exclusive_scan", from, to);
  detail::enter(from, to);
  T sum = *detail::carry(from, std::optional<T>(std::move(init)), op, term);
  const detail::AlignedOutput output(to, from);
  auto place = output.elements().begin();
  for (const auto& element : from.local()) {
    T next = static_cast<T>(op(sum, term(element)));
    *place++ = static_cast<range_value_t<Out>>(std::exchange(sum, std::move(next)));
  }
  output.write_back();
  to.fence();
}
/// out[i] = init op in[0] op ... op in[i - 1].
template <DistributedRange In, WritableDistributedRange Out, class T, class Op = std::plus<>>
void exclusive_scan(In&& in, Out&& out, T init, Op op = {}) {
  transform_exclusive_scan(in, out, std::move(init), std::move(op), std::identity());
}

/// out[0] = in[0], out[i] = op(in[i], in[i - 1]); `out` may be `in`.
template <DistributedRange In, WritableDistributedRange Out, class Op = std::minus<>>
void adjacent_difference(In&& in, Out&& out, Op op = {}) {
  const auto from = in.view();
  const auto to = out.view();
  detail::require_same_size("adjacent_difference", from, to);
  detail::enter(from, to);
  auto local = from.local();
  const std::optional<range_value_t<In>> before = local.empty() ? std::nullopt : from.previous();
  // The neighbour may overwrite it from here on.
  from.fence();
  const detail::AlignedOutput output(to, from);
  auto place = output.elements().begin();
  if (auto element = local.begin(); element != local.end()) {
    range_value_t<In> last = *element;
    *place = static_cast<range_value_t<Out>>(before ? op(last, *before) : last);
    while (++element != local.end()) {
      range_value_t<In> current = *element;
      *++place = static_cast<range_value_t<Out>>(op(current, last));
      last = std::move(current);
    }
  }
  output.write_back();
  to.fence();
}

}  // namespace armature
