#include "armature/array/axis.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "armature/error.hpp"

// Runs are how every distribution looks to the rest: a section of a dimension, cut by who has what,
// becomes a few arithmetic progressions. Transfers are products of them, one factor a dimension.

namespace armature::detail {
namespace {

[[noreturn]] void fail(const char* what, const std::string& why) {
  throw Error(Errc::bad_argument, std::string(what) + ": " + why);
}

std::ptrdiff_t modulo(std::ptrdiff_t a, std::ptrdiff_t m) {
  const std::ptrdiff_t rest = a % m;
  return rest < 0 ? rest + m : rest;
}

/// Returns the smallest x >= 0 with a * x = b modulo m, or -1; m > 0. The others follow at
/// distances of m / gcd(a, m).
std::ptrdiff_t solve(std::ptrdiff_t a, std::ptrdiff_t b, std::ptrdiff_t m) {
  a = modulo(a, m);
  b = modulo(b, m);
  // Euclid: r = u * a modulo m, down to the greatest common divisor.
  std::ptrdiff_t r0 = m, r1 = a, u0 = 0, u1 = 1;
  while (r1 != 0) {
    const std::ptrdiff_t q = r0 / r1;
    std::tie(r0, r1) = std::pair(r1, r0 - q * r1);
    std::tie(u0, u1) = std::pair(u1, u0 - q * u1);
  }
  if (b % r0 != 0) return -1;
  const std::ptrdiff_t period = m / r0;
  return modulo(b / r0 % period * modulo(u0, period), period);
}

std::ptrdiff_t ceil_div(std::ptrdiff_t a, std::ptrdiff_t b) {  // b > 0
  return a >= 0 ? (a + b - 1) / b : -(-a / b);
}

/// The numbers [from, to) of the indices of `range` that lie in [low, high).
std::pair<std::ptrdiff_t, std::ptrdiff_t> numbers_within(const Range& range, std::ptrdiff_t low,
                                                         std::ptrdiff_t high) {
  const std::ptrdiff_t step = range.step();
  std::ptrdiff_t from = 0, to = 0;
  if (step > 0) {
    from = ceil_div(low - range.first(), step);
    to = ceil_div(high - range.first(), step);
  } else {
    from = ceil_div(range.first() - (high - 1), -step);
    to = ceil_div(range.first() - (low - 1), -step);
  }
  from = std::max<std::ptrdiff_t>(from, 0);
  return {from, std::max(from, std::min(to, range.count()))};
}

}  // namespace

ArrayAxis::ArrayAxis(const char* what, const Distribution& distribution, std::ptrdiff_t extent,
                     int positions)
    : extent_(extent), positions_(positions) {
  using K = Distribution::Kind;
  switch (distribution.kind()) {
    case K::cyclic:
      if (distribution.length() < 1) fail(what, "cyclic blocks have a length of 1 or more");
      kind_ = Kind::cyclic;
      length_ = distribution.length();
      break;
    case K::map:
      take_map(what, distribution);
      break;
    default:
      take_lengths(what, distribution);
  }
}

void ArrayAxis::take_lengths(const char* what, const Distribution& distribution) {
  using K = Distribution::Kind;
  const K kind = distribution.kind();
  const std::ptrdiff_t b = distribution.length();
  if (kind == K::block_of && (b < 0 || b * positions_ < extent_))
    fail(what, std::to_string(positions_) + " blocks of " + std::to_string(b) + " do not hold " +
                   std::to_string(extent_) + " indices");
  if (kind == K::gen_block) {
    const auto& lengths = distribution.lengths();
    if (lengths.size() != static_cast<std::size_t>(positions_))
      fail(what, std::to_string(lengths.size()) + " block lengths for " +
                     std::to_string(positions_) + " positions of the grid");
    if (std::ranges::any_of(lengths, [](std::ptrdiff_t n) { return n < 0; }) ||
        std::accumulate(lengths.begin(), lengths.end(), std::ptrdiff_t{0}) != extent_)
      fail(what, "the block lengths do not add up to " + std::to_string(extent_));
  }
  bounds_.push_back(0);
  const std::ptrdiff_t least = extent_ / positions_, longer = extent_ % positions_;
  for (int p = 0; p < positions_; ++p) {
    std::ptrdiff_t n = least + (p < longer ? 1 : 0);
    if (kind == K::block_of) n = std::min(b, extent_ - bounds_.back());
    if (kind == K::gen_block) n = distribution.lengths()[static_cast<std::size_t>(p)];
    bounds_.push_back(bounds_.back() + n);
  }
}

void ArrayAxis::take_map(const char* what, const Distribution& distribution) {
  kind_ = Kind::map;
  owners_ = distribution.owners();
  if (std::ssize(owners_) != extent_)
    fail(what, "a map of " + std::to_string(owners_.size()) + " owners for " +
                   std::to_string(extent_) + " indices");
  indices_.resize(static_cast<std::size_t>(positions_));
  for (std::ptrdiff_t i = 0; i < extent_; ++i) {
    const int owner = owners_[static_cast<std::size_t>(i)];
    if (owner < 0 || owner >= positions_)
      fail(what, "the map gives index " + std::to_string(i) + " to position " +
                     std::to_string(owner) + " of " + std::to_string(positions_));
    auto& has = indices_[static_cast<std::size_t>(owner)];
    places_.push_back(std::ssize(has));
    has.push_back(i);
  }
}

ArrayAxis ArrayAxis::part(std::ptrdiff_t first, std::ptrdiff_t extent) const {
  if (first == 0 && extent == extent_) return *this;
  if (is_contiguous()) {
    std::vector<std::ptrdiff_t> lengths;
    for (int p = 0; p < positions_; ++p) {
      const auto within = [&](std::ptrdiff_t i) { return std::clamp(i, first, first + extent); };
      lengths.push_back(within(this->first(p + 1)) - within(this->first(p)));
    }
    return {"part", Distribution::gen_block(std::move(lengths)), extent, positions_};
  }
  std::vector<int> owners;
  for (std::ptrdiff_t i = 0; i < extent; ++i) owners.push_back(owner(first + i));
  return {"part", Distribution::map(std::move(owners)), extent, positions_};
}

int ArrayAxis::owner(std::ptrdiff_t i) const {
  if (kind_ == Kind::cyclic) return static_cast<int>(i / length_ % positions_);
  if (kind_ == Kind::map) return owners_[static_cast<std::size_t>(i)];
  if (positions_ == 1) return 0;
  return static_cast<int>(std::upper_bound(bounds_.begin(), bounds_.end(), i) - bounds_.begin()) -
         1;
}

std::ptrdiff_t ArrayAxis::local(std::ptrdiff_t i) const {
  if (kind_ == Kind::cyclic) return i / (length_ * positions_) * length_ + i % length_;
  if (kind_ == Kind::map) return places_[static_cast<std::size_t>(i)];
  return i - first(owner(i));
}

std::ptrdiff_t ArrayAxis::count(int position) const {
  if (kind_ == Kind::cyclic) {
    const std::ptrdiff_t round = length_ * positions_;
    return extent_ / round * length_ +
           std::clamp<std::ptrdiff_t>(extent_ % round - position * length_, 0, length_);
  }
  if (kind_ == Kind::map) return std::ssize(indices_[static_cast<std::size_t>(position)]);
  return first(position + 1) - first(position);
}

std::ptrdiff_t ArrayAxis::global(int position, std::ptrdiff_t local) const {
  if (kind_ == Kind::cyclic)
    return local / length_ * length_ * positions_ + position * length_ + local % length_;
  if (kind_ == Kind::map)
    return indices_[static_cast<std::size_t>(position)][static_cast<std::size_t>(local)];
  return first(position) + local;
}

void ArrayAxis::append_runs(int position, const Range& range, std::ptrdiff_t at,
                            std::vector<ArrayRun>& runs) const {
  if (range.count() == 0) return;
  if (kind_ == Kind::cyclic) return append_cyclic_runs(position, range, at, runs);
  if (kind_ == Kind::map) return append_map_runs(position, range, at, runs);
  const std::ptrdiff_t low = first(position);
  const auto [from, to] = numbers_within(range, low, first(position + 1));
  if (from < to) runs.push_back({at + from, 1, to - from, range[from] - low, range.step()});
}

void ArrayAxis::append_cyclic_runs(int position, const Range& range, std::ptrdiff_t at,
                                   std::vector<ArrayRun>& runs) const {
  const std::ptrdiff_t round = length_ * positions_;
  const std::ptrdiff_t lowest = std::min(range.first(), range[range.count() - 1]);
  const std::ptrdiff_t highest = std::max(range.first(), range[range.count() - 1]);
  const std::ptrdiff_t rounds = highest / round - lowest / round + 1;
  if (rounds <= length_) {  // a run for each of its blocks
    for (std::ptrdiff_t k = lowest / round; k <= highest / round; ++k) {
      const std::ptrdiff_t low = k * round + position * length_;
      const auto [from, to] = numbers_within(range, low, low + length_);
      if (from < to)
        runs.push_back({at + from, 1, to - from, k * length_ + range[from] - low, range.step()});
    }
    return;
  }
  // A run for each place in a block, from block to block.
  const std::ptrdiff_t apart = round / std::gcd(range.step(), round);
  for (std::ptrdiff_t place = 0; place < length_; ++place) {
    const std::ptrdiff_t number =
        solve(range.step(), position * length_ + place - range.first(), round);
    if (number < 0 || number >= range.count()) continue;
    runs.push_back({at + number, apart, (range.count() - 1 - number) / apart + 1,
                    local(range[number]), range.step() * apart / round * length_});
  }
}

void ArrayAxis::append_map_runs(int position, const Range& range, std::ptrdiff_t at,
                                std::vector<ArrayRun>& runs) const {
  const std::size_t begin = runs.size();
  for (std::ptrdiff_t n = 0; n < range.count(); ++n) {
    const std::ptrdiff_t i = range[n];
    if (owner(i) != position) continue;
    const std::ptrdiff_t place = local(i);
    if (runs.size() > begin) {
      ArrayRun& last = runs.back();
      if (last.count == 1) {
        last.step = at + n - last.at;
        last.local_step = place - last.local;
      }
      if (at + n == last.at + last.count * last.step &&
          place == last.local + last.count * last.local_step) {
        ++last.count;
        continue;
      }
    }
    runs.push_back({at + n, 1, 1, place, 0});
  }
}

void ArrayAxis::append_periodic_runs(int position, const Range& range,
                                     std::vector<ArrayRun>& runs) const {
  if (extent_ == 0) return;
  // Stretches between which the range goes over the end.
  for (std::ptrdiff_t n = 0; n < range.count();) {
    const std::ptrdiff_t first = modulo(range[n], extent_);
    const std::ptrdiff_t step = range.step();
    std::ptrdiff_t count = range.count() - n;
    if (step > 0) count = std::min(count, (extent_ - 1 - first) / step + 1);
    if (step < 0) count = std::min(count, first / -step + 1);
    append_runs(position, Range::of(first, count, step), n, runs);
    n += count;
  }
}

void append_common(const ArrayRun& one, const ArrayRun& other, std::vector<ArrayRun>& runs,
                   std::vector<ArrayRun>& others) {
  std::ptrdiff_t i = solve(one.step, other.at - one.at, other.step);
  if (i < 0) return;
  const std::ptrdiff_t apart = other.step / std::gcd(one.step, other.step);
  const std::ptrdiff_t least = ceil_div(other.at - one.at, one.step);
  if (i < least) i += ceil_div(least - i, apart) * apart;
  const std::ptrdiff_t at = one.at + i * one.step;
  const std::ptrdiff_t end =
      std::min(one.at + (one.count - 1) * one.step, other.at + (other.count - 1) * other.step);
  if (at > end) return;
  const std::ptrdiff_t step = apart * one.step;
  const std::ptrdiff_t count = (end - at) / step + 1;
  const std::ptrdiff_t j = (at - other.at) / other.step;
  runs.push_back(
      {at, step, count, one.local + i * one.local_step, step / one.step * one.local_step});
  others.push_back(
      {at, step, count, other.local + j * other.local_step, step / other.step * other.local_step});
}

}  // namespace armature::detail
