#include "migration/page_cache.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/clock.hpp"
#include "space/copy_pages.hpp"
#include "space/pages.hpp"
#include "topology/memory.hpp"

namespace armature::migration {
namespace {

constexpr std::uint64_t stays_ns = 1'000'000'000;
// A GiB is given back in four seconds, which takes some 6 % of the time. A step is not less than is
// worth a call, nor more than ranks can wait for that seldom have their turns, 16 ms.
constexpr std::uint64_t ns_per_byte = 4;
constexpr std::uint64_t bytes_min = std::uint64_t{256} << 10, bytes_max = std::uint64_t{64} << 20;
// A process may keep so little whatever room there is, which takes 0.1 ms to find out. Of the room
// the processes of a node together take one part of so many.
constexpr std::uint64_t stays_always = std::uint64_t{1} << 20;
constexpr std::uint64_t parts_of_room = 4;

}  // namespace

void PageCache::begin() {
  room_ = stays_always;
  has_looked_ = false;
  std::erase_if(pages_, [&](const auto& pages) {
    if (!is_back(pages.first)) return false;
    bytes_ -= pages.second - pages.first;
    return true;
  });
  if (pages_.empty()) given_ns_ = base::now_ns() + stays_ns;
}

void PageCache::forget() {
  pages_.clear();
  bytes_ = 0;
}

/// Tells whether the rank of that page is here again.
bool PageCache::is_back(std::uint64_t at) const {
  return mapping_.is_here(static_cast<int>(at / mapping_.segment_bytes()));
}

bool PageCache::takes(const Stretch& pages) {
  const std::uint64_t bytes = pages.end - pages.begin;
  if (room_ < bytes && !std::exchange(has_looked_, true)) room_ = look_for_room();
  if (room_ < bytes) return false;
  const auto next = pages_.lower_bound(pages.begin);
  if (next != pages_.begin() && std::prev(next)->second == pages.begin)
    std::prev(next)->second = pages.end;
  else
    pages_.insert_or_assign(next, pages.begin, pages.end);
  room_ -= bytes;
  bytes_ += bytes;
  return true;
}

/// A part of what would be free if nothing had stayed, less what has. A simulation is the same
/// whatever there is.
std::uint64_t PageCache::look_for_room() const {
  if (mapping_.header().simulation.on != 0) return room_;
  const std::uint64_t all = topology::memory_room().bytes + bytes_;
  const std::uint64_t part = all / parts_of_room / mapping_.header().here.processes;
  return std::max(room_, part > bytes_ ? part - bytes_ : 0);
}

bool PageCache::has(const Stretch& pages) const {
  const auto behind = pages_.upper_bound(pages.begin);
  return behind != pages_.begin() && std::prev(behind)->second >= pages.end;
}

bool PageCache::give_back_since(std::uint64_t now_ns, Pace pace) {
  std::uint64_t bytes = pace == Pace::as_nobody_runs
                            ? bytes_min
                            : std::min((now_ns - given_ns_) / ns_per_byte, bytes_max);
  if (bytes < bytes_min) return false;
  given_ns_ = now_ns;
  while (!pages_.empty() && bytes >= space::page_bytes) {
    auto first = pages_.extract(pages_.begin());
    bytes_ -= first.mapped() - first.key();
    if (is_back(first.key())) continue;
    const std::uint64_t begin = first.key();
    const std::uint64_t end = std::min(begin + space::page_below(bytes), first.mapped());
    (void)space::give_back_pages(file_, begin, end);
    bytes -= end - begin;
    if (end == first.mapped()) continue;
    bytes_ += first.mapped() - end;
    first.key() = end;
    pages_.insert(std::move(first));
  }
  return true;
}

}  // namespace armature::migration
