#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "armature/algorithm/aligned.hpp"
#include "armature/algorithm/digits.hpp"
#include "armature/collectives.hpp"
#include "armature/container/gather.hpp"
#include "armature/container/range.hpp"
#include "armature/container/vector.hpp"
#include "armature/fence.hpp"
#include "armature/named_call.hpp"
#include "armature/shared.hpp"

// Sample sort. Every member sorts its piece. Samples of all pieces tell between which values the
// members' boundaries will fall. Each member fetches its share of every piece, one contiguous run
// each, and merges the runs. It writes them where they belong: nearly all into its own piece, since
// the samples are nearly right. So the distribution stays as it was, exactly.
//
// Equal elements are told apart by their places, so any number of them is divided as finely as
// others. The order in which runs are merged makes the sort stable if the pieces are sorted stably.
// Sending each element by a remote call, as in armi-rmi-2003, 2.3, costs several times what
// fetching runs does, and needs a second sort.
//
// Few elements are sorted by one member alone: dividing them takes longer. So what is nested in
// larger work, on a part of the ranks, stays cheap (armi-rmi-2003, 6).
//
// Numbers in their usual order, or its reverse, are sorted by digits instead.
//
// An order that throws on one member ends the sort on all: before each exchange they tell each
// other whether their part is done. The elements are then in any order.
//
// Messages: three meetings, an allgather of samples, and one get from each other member's piece.
// Nearly all elements are fetched by whoever keeps them. Up to 256 elements for each member, and
// 4,096 in all: two meetings; one member gets and puts each piece. A team of one member: none.

namespace armature {

namespace detail {

/// An element of a sorted piece, and for how many it stands.
template <class T>
struct Sample {
  T value;
  int member = 0;
  std::size_t index = 0;  // in its piece
  std::size_t weight = 0;

  void define_type(typer& t) requires(!Transferable<T>) {
    t.local(value);
    t.local(member);
    t.local(index);
    t.local(weight);
  }
};

/// So many elements at most are sorted by one member alone. Measured on one node of two cores, in
/// us alone and divided: 256 on two ranks 1.9 and 7.2, 1,000 there 36.6 and 24.9, 1,000 on four
/// ranks 40.7 and 65.1, 2,048 there 87.2 and 88.6.
inline std::size_t sorted_alone_max(int members) {
  return std::min<std::size_t>(256 * static_cast<std::size_t>(members), 4096);
}

template <class T, class Less>
class SampleSort {
 public:
  SampleSort(const distributed_range<T>& range, Less less)
      : range_(range), less_(std::move(less)), members_(range.team().size()) {}

  /// Collective, after a fence.
  void run(bool stable) {
    if (members_ > 1 && range_.size() <= sorted_alone_max(members_)) return run_alone(stable);
    if (members_ == 1) return sort_serially(range_.local(), stable);
    together([&] { sort_serially(range_.local(), stable); });
    const auto samples = this->samples();
    std::vector<std::size_t> places;
    together([&] { places = cut(splitters(samples)); });
    const std::vector<Cut> cuts = exchange(places);
    std::vector<T> share;
    // Nobody writes before all have fetched.
    together([&] { share = merge(fetch_runs(cuts)); });
    std::size_t begin = 0;
    for (const Cut& one : cuts) begin += one.begin;
    range_.write(begin, std::span<const T>(share));
    range_.fence();
  }

 private:
  /// The elements of one member's piece that go to another member.
  struct Cut {
    std::size_t begin = 0, end = 0;
  };
  /// Collective: does it on every member. When it throws on one, all throw.
  template <class F>
  void together(F part) {
    std::exception_ptr failure;
    try {
      part();
    } catch (...) {
      failure = std::current_exception();
    }
    agree(range_.team(), "sort", failure);
  }
  void sort_serially(std::span<T> elements, bool stable) {
    if constexpr (has_digits<T, Less>)
      if (elements.size() >= digits_least) return sort_by_digits<Less>(elements);
    if (stable)
      std::stable_sort(elements.begin(), elements.end(), std::ref(less_));
    else
      std::sort(elements.begin(), elements.end(), std::ref(less_));
  }
  /// The member with the largest piece sorts all.
  void run_alone(bool stable) {
    int sorter = 0;
    for (int m = 1; m < members_; ++m)
      if (range_.size_of(m) > range_.size_of(sorter)) sorter = m;
    together([&] {
      if (range_.team().rank() != sorter) return;
      sort_all(stable);
      fence_all();
    });
    // Calls that write have not been executed yet.
    if constexpr (!Transferable<T>) range_.fence();
  }
  void sort_all(bool stable) {
    if (range_.local().size() == range_.size()) return sort_serially(range_.local(), stable);
    std::vector<T> all(range_.size());
    range_.read(0, std::span<T>(all));
    sort_serially(all, stable);
    range_.write(0, std::span<const T>(all));
  }

  struct Runs {
    std::vector<T> elements;
    std::vector<std::size_t> bounds;
  };

  /// Equal elements in the order of members, then of places.
  bool is_before(const Sample<T>& a, const Sample<T>& b) {
    if (less_(a.value, b.value)) return true;
    if (less_(b.value, a.value)) return false;
    return std::pair(a.member, a.index) < std::pair(b.member, b.index);
  }

  /// Returns samples of all pieces; each stands for as many elements.
  std::vector<Sample<T>> samples() {
    const auto members = static_cast<std::size_t>(members_);
    const std::size_t share = range_.size() / members;
    // The more members, the smaller a share compared with what a sample stands for. But everybody
    // has all samples: so many that they are no more than a share, or a few for each member.
    const std::size_t most =
        std::min(members * std::max<std::size_t>(64, 8 * members), std::max(8 * members, share));
    const std::size_t each = std::max<std::size_t>(1, range_.size() / most);
    const auto mine = range_.local();
    std::vector<Sample<T>> chosen;
    for (std::size_t begin = 0; begin < mine.size(); begin += each) {
      const std::size_t weight = std::min(each, mine.size() - begin);
      const std::size_t at = begin + weight / 2;
      chosen.push_back({mine[at], range_.team().rank(), at, weight});
    }
    std::vector<Sample<T>> all;
    for (auto& some : all_values(range_.team(), chosen))
      std::ranges::move(some, std::back_inserter(all));
    return all;
  }

  /// Returns where the shares of members 1, 2, ... begin; nothing for members whose share is empty.
  std::vector<std::optional<Sample<T>>> splitters(std::vector<Sample<T>> samples) {
    std::sort(samples.begin(), samples.end(),
              [this](const auto& a, const auto& b) { return is_before(a, b); });
    std::vector<std::optional<Sample<T>>> found(static_cast<std::size_t>(members_) - 1);
    std::size_t next = 0, below = 0;  // `below` elements come before the sample `next`, about
    for (int m = 1; m < members_; ++m) {
      while (next < samples.size() && below + samples[next].weight / 2 < range_.begin_of(m))
        below += samples[next++].weight;
      if (next < samples.size()) found[static_cast<std::size_t>(m) - 1] = samples[next];
    }
    return found;
  }

  /// cuts[m]: how many of my elements go to members before m; members_ + 1 of them.
  std::vector<std::size_t> cut(const std::vector<std::optional<Sample<T>>>& splitters) {
    const auto mine = range_.local();
    std::vector<std::size_t> cuts{0};
    for (const auto& splitter : splitters) {
      auto at = mine.end();
      if (splitter && splitter->member == range_.team().rank())
        at = mine.begin() + static_cast<std::ptrdiff_t>(splitter->index);
      else if (splitter && splitter->member > range_.team().rank())
        at = std::upper_bound(mine.begin(), mine.end(), splitter->value, std::ref(less_));
      else if (splitter)
        at = std::lower_bound(mine.begin(), mine.end(), splitter->value, std::ref(less_));
      cuts.push_back(static_cast<std::size_t>(at - mine.begin()));
    }
    cuts.push_back(mine.size());
    return cuts;
  }

  /// Returns, for each member, which of its elements are mine.
  std::vector<Cut> exchange(const std::vector<std::size_t>& cuts) const {
    std::vector<Cut> mine, all(static_cast<std::size_t>(members_));
    for (std::size_t m = 0; m < all.size(); ++m) mine.push_back({cuts[m], cuts[m + 1]});
    alltoall(range_.team(), std::span<const Cut>(mine), std::span<Cut>(all));
    return all;
  }

  Runs fetch_runs(const std::vector<Cut>& cuts) {
    Runs runs{.elements = {}, .bounds = {0}};
    for (const Cut& one : cuts) runs.bounds.push_back(runs.bounds.back() + one.end - one.begin);
    runs.elements.resize(runs.bounds.back());
    const std::span<T> elements(runs.elements);
    for (std::size_t m = 0; m < cuts.size(); ++m)
      range_.read(range_.begin_of(static_cast<int>(m)) + cuts[m].begin,
                  elements.subspan(runs.bounds[m], runs.bounds[m + 1] - runs.bounds[m]));
    return runs;
  }

  /// Two neighbours at a time, until there is one.
  std::vector<T> merge(Runs runs) {
    std::vector<T> other(runs.elements.size());
    while (runs.bounds.size() > 2) {
      const auto at = [&](std::size_t i) {
        const std::size_t bound = runs.bounds[std::min(i, runs.bounds.size() - 1)];
        return std::make_move_iterator(runs.elements.begin() + static_cast<std::ptrdiff_t>(bound));
      };
      std::vector<std::size_t> bounds{0};
      auto to = other.begin();
      for (std::size_t i = 0; i + 1 < runs.bounds.size(); i += 2) {
        // Through references: one that takes its arguments by value would move them out.
        to = std::merge(at(i), at(i + 1), at(i + 1), at(i + 2), to,
                        [this](const T& a, const T& b) { return less_(a, b); });
        bounds.push_back(static_cast<std::size_t>(to - other.begin()));
      }
      runs.elements.swap(other);
      runs.bounds = std::move(bounds);
    }
    return std::move(runs.elements);
  }

  distributed_range<T> range_;
  Less less_;
  int members_;
};

/// A key and what goes with it.
template <class K, class V>
struct Keyed {
  K key;
  V value;

  void define_type(typer& t) requires(!(Transferable<K> && Transferable<V>)) {
    t.local(key);
    t.local(value);
  }
};

}  // namespace detail

/// The range keeps its distribution.
template <WritableDistributedRange R, class Less = std::less<>>
void sort(R&& range, Less less = {}) {
  const auto all = range.view();
  const detail::NamedCall named(all.team(), detail::UserCall::sort);
  all.fence();
  detail::SampleSort<range_value_t<R>, Less>(all, std::move(less)).run(false);
}
/// Equal elements stay in their order.
template <WritableDistributedRange R, class Less = std::less<>>
void stable_sort(R&& range, Less less = {}) {
  const auto all = range.view();
  const detail::NamedCall named(all.team(), detail::UserCall::stable_sort);
  all.fence();
  detail::SampleSort<range_value_t<R>, Less>(all, std::move(less)).run(true);
}

/// Sorts `keys`, and moves the elements of `values` as their keys move. Stable. Throws
/// Error(bad_argument) when sizes differ.
template <WritableDistributedRange Keys, WritableDistributedRange Values, class Less = std::less<>>
void sort_by_key(Keys&& keys, Values&& values, Less less = {}) {
  using Pair = detail::Keyed<range_value_t<Keys>, range_value_t<Values>>;
  const auto all = keys.view();
  const detail::NamedCall named(all.team(), detail::UserCall::sort_by_key);
  const auto with = values.view();
  detail::require_same_size("sort_by_key", all, with);
  detail::enter(all, with);
  std::vector<Pair> mine;
  {
    const detail::Aligned others(with, all);
    auto other = others.elements().begin();
    for (const auto& key : all.local()) mine.push_back({key, *other++});
  }
  auto pairs = distributed_vector<Pair>::from_local(all.team(), std::move(mine));
  stable_sort(pairs, [&less](const Pair& a, const Pair& b) { return less(a.key, b.key); });
  const detail::AlignedOutput output(with, all);
  std::ranges::transform(pairs.local(), all.local().begin(), &Pair::key);
  std::ranges::transform(pairs.local(), output.elements().begin(), &Pair::value);
  output.write_back();
  detail::enter(all, with);
}

}  // namespace armature
