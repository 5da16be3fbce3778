#include "virtual/nodes/left_behind.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/clock.hpp"
#include "space/pages.hpp"
#include "topology/memory.hpp"

namespace armature::nodes {
namespace {

constexpr std::uint64_t stays_ns = 1'000'000'000;
// A GiB in four seconds, which takes some 6 % of the time; not less at a time than is worth a call,
// nor more than a rank can wait for, 1 ms.
constexpr std::uint64_t ns_per_byte = 4;
constexpr std::uint64_t bytes_min = std::uint64_t{256} << 10, bytes_max = std::uint64_t{4} << 20;
// So little of a process may stay whatever room there is, which takes 0.1 ms to find out. Of that
// the processes of a node together take one part of so many.
constexpr std::uint64_t stays_always = std::uint64_t{1} << 20;
constexpr std::uint64_t parts_of_room = 4;

}  // namespace

void LeftBehind::begin() {
  room_ = stays_always;
  has_looked_ = false;
  std::erase_if(pages_, [&](const auto& pages) { return is_back(pages.first); });
  if (pages_.empty()) given_ns_ = base::now_ns() + stays_ns;
}

/// Whose these are.
bool LeftBehind::is_back(std::uint64_t at) const {
  return mapping_.is_here(static_cast<int>(at / mapping_.band_bytes()));
}

bool LeftBehind::takes(const Stretch& pages) {
  const std::uint64_t bytes = pages.end - pages.begin;
  if (room_ < bytes && !std::exchange(has_looked_, true))
    room_ = topology::memory_room().bytes / parts_of_room / mapping_.header().processes_here;
  if (room_ < bytes) return false;
  room_ -= bytes;
  const auto next = pages_.lower_bound(pages.begin);
  if (next != pages_.begin() && std::prev(next)->second == pages.begin)
    std::prev(next)->second = pages.end;
  else
    pages_.insert_or_assign(next, pages.begin, pages.end);
  return true;
}

bool LeftBehind::has(const Stretch& pages) const {
  const auto behind = pages_.upper_bound(pages.begin);
  return behind != pages_.begin() && std::prev(behind)->second >= pages.end;
}

bool LeftBehind::give_back_since(std::uint64_t now_ns, Pace pace) {
  std::uint64_t bytes = pace == Pace::as_nobody_runs
                            ? bytes_min
                            : std::min((now_ns - given_ns_) / ns_per_byte, bytes_max);
  if (bytes < bytes_min) return false;
  given_ns_ = now_ns;
  while (!pages_.empty() && bytes >= space::page_bytes) {
    auto first = pages_.extract(pages_.begin());
    if (is_back(first.key())) continue;
    const std::uint64_t begin = first.key();
    const std::uint64_t end = std::min(begin + space::page_below(bytes), first.mapped());
    nodes::give_back(file_, {begin, end});
    bytes -= end - begin;
    if (end == first.mapped()) continue;
    first.key() = end;
    pages_.insert(std::move(first));
  }
  return true;
}

}  // namespace armature::nodes
