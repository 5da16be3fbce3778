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

// Scans that restart where the key changes (segmented scans; Blelloch, "Prefix Sums and Their
// Applications", 1990).
//
// Messages: two meetings and one allgather; ranges that are divided differently as in apply.hpp.

namespace armature {

namespace detail {

/// The last run of equal keys that a piece has, and the sum of its values.
template <class K, class T>
struct KeyRun {
  K key;
  T sum;
  bool is_all = false;  // of the piece

  void define_type(typer& t) requires(!(Transferable<K> && Transferable<T>)) {
    t.local(key);
    t.local(sum);
    t.local(is_all);
  }
};

/// The sum of the run in which the pieces before mine end.
template <class K, class T, class Op, class Equal>
std::optional<KeyRun<K, T>> run_before(const Team& team, const std::optional<KeyRun<K, T>>& mine,
                                       Op& op, Equal& equal) {
  std::optional<KeyRun<K, T>> before;
  const auto all = all_values(team, mine);
  for (int m = 0; m < team.rank(); ++m) {
    const auto& one = all[static_cast<std::size_t>(m)];
    if (!one) continue;
    if (before && one->is_all && equal(before->key, one->key))
      before->sum = static_cast<T>(op(std::move(before->sum), one->sum));
    else
      before = one;
  }
  return before;
}

/// Goes through a piece: takes each value into the sum of its run, and calls
/// tell(sum before it or nothing, sum with it).
template <class T, class Keys, class Values, class Op, class Equal, class F>
void scan_runs(const Keys& keys, const Values& values,
               std::optional<KeyRun<typename Keys::value_type, T>> run, Op& op, Equal& equal,
               F tell) {
  auto value = values.begin();
  for (const auto& key : keys) {
    const bool goes_on = run && equal(run->key, key);
    T sum = goes_on ? static_cast<T>(op(run->sum, *value)) : static_cast<T>(*value);
    tell(goes_on ? std::optional<T>(run->sum) : std::nullopt, sum);
    run = KeyRun<typename Keys::value_type, T>{key, std::move(sum)};
    ++value;
  }
}

/// out[i] = make(sum of the values of i's run before i or nothing, that sum with value i).
template <class T, class Keys, class Values, class Out, class Op, class Equal, class Make>
void scan_by_key(const char* algorithm, const Keys& keys, const Values& values, const Out& out,
                 Op& op, Equal& equal, Make make) {
  using K = typename Keys::value_type;
  require_same_size(algorithm, keys, values);
  require_same_size(algorithm, keys, out);
  enter(keys, values, out);
  const Aligned others(values, keys);
  const AlignedOutput output(out, keys);
  const auto mine = keys.local();
  std::optional<KeyRun<K, T>> last;
  bool is_all = true;
  {
    std::optional<T> sum;
    auto value = others.elements().begin();
    for (std::size_t i = 0; i < mine.size(); ++i, ++value) {
      const bool goes_on = i > 0 && equal(mine[i - 1], mine[i]);
      is_all = is_all && (i == 0 || goes_on);
      sum = goes_on ? static_cast<T>(op(*std::move(sum), *value)) : static_cast<T>(*value);
    }
    if (sum) last = KeyRun<K, T>{mine.back(), *std::move(sum), is_all};
  }
  // Nobody writes before all have fetched: this is an allgather.
  auto place = output.elements().begin();
  scan_runs<T>(
      std::span<const K>(mine), others.elements(), run_before(keys.team(), last, op, equal), op,
      equal,
      [&](std::optional<T> before, const T& with) { *place++ = make(std::move(before), with); });
  output.write_back();
  out.fence();
}

}  // namespace detail

/// out[i] = values[j] op ... op values[i], where j is the first index of i's run of equal keys. op
/// must be associative; `out` may be `values`, not `keys`. Throws Error(bad_argument) when sizes
/// differ.
template <DistributedRange Keys, DistributedRange Values, WritableDistributedRange Out,
          class Op = std::plus<>, class Equal = std::equal_to<>>
void inclusive_scan_by_key(Keys&& keys, Values&& values, Out&& out, Op op = {}, Equal equal = {}) {
  using T = range_value_t<Values>;
  detail::scan_by_key<T>(
      "inclusive_scan_by_key", keys.view(), values.view(), out.view(), op, equal,
      [](const auto&, const T& with) { return static_cast<range_value_t<Out>>(with); });
}
/// out[i] = init op values[j] op ... op values[i - 1]; init where a run begins.
template <DistributedRange Keys, DistributedRange Values, WritableDistributedRange Out, class T,
          class Op = std::plus<>, class Equal = std::equal_to<>>
void exclusive_scan_by_key(Keys&& keys, Values&& values, Out&& out, T init, Op op = {},
                           Equal equal = {}) {
  detail::scan_by_key<T>(
      "exclusive_scan_by_key", keys.view(), values.view(), out.view(), op, equal,
      [&](const std::optional<T>& before, const auto&) {
        return static_cast<range_value_t<Out>>(before ? static_cast<T>(op(init, *before)) : init);
      });
}

}  // namespace armature
