#include "rma/known_exposures.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "base/runtime.hpp"
#include "net/network.hpp"
#include "rma/records.hpp"
#include "rma/remote_records.hpp"

namespace armature::rma {
namespace {

/// The latest that were asked for, by rank.
struct Known {
  static constexpr std::size_t of_rank_max = 16;
  std::mutex mutex;
  std::map<int, std::vector<space::Exposures::Range>> of;
};

/// Processes that have asked, by rank of this process. Under the links' lock.
struct Askers {
  std::map<int, std::set<int>> of;
};

}  // namespace

bool is_known_to_be_exposed(Rank rank, const void* address, std::size_t bytes) {
  auto& known = base::state<Known>();
  const std::lock_guard locked(known.mutex);
  const auto found = known.of.find(rank);
  return found != known.of.end() &&
         std::ranges::any_of(found->second, [&](const space::Exposures::Range& range) {
           return range.holds(reinterpret_cast<std::uint64_t>(address), bytes);
         });
}

void note_exposed(Rank rank, const space::Exposures::Range& range) {
  auto& known = base::state<Known>();
  const std::lock_guard locked(known.mutex);
  auto& ranges = known.of[rank];
  // Pieces that are asked about together lie in the same one, which must not drive out others.
  if (std::ranges::find(ranges, range) != ranges.end()) return;
  if (ranges.size() == Known::of_rank_max) ranges.erase(ranges.begin());
  ranges.push_back(range);
}

void forget_known_exposures() {
  auto& known = base::state<Known>();
  const std::lock_guard locked(known.mutex);
  known.of.clear();
}

void note_asker(Rank rank, int process) { base::state<Askers>().of[rank].insert(process); }

void tell_concealed(Rank rank, const space::Exposures::Range& range) {
  net::Network* const net = net::network();
  if (net == nullptr) return;
  const transport::Links::Lock locked(net->links().lock());
  const auto askers = base::state<Askers>().of.find(rank);
  if (askers == base::state<Askers>().of.end()) return;
  for (const int process : askers->second) {
    transport::Link& link = net->links().to(process);
    if (link.is_lost()) continue;
    link.post(Kind::concealed, rank, -1, ConcealedRecord{range.begin, range.bytes},
              transport::Link::Ack::none);
    link.flush();
  }
}

void on_concealed(const transport::Arrived& arrived) {
  const auto record = arrived.head<ConcealedRecord>();
  auto& known = base::state<Known>();
  const std::lock_guard locked(known.mutex);
  const auto found = known.of.find(arrived.record.from);
  if (found == known.of.end()) return;
  std::erase_if(found->second, [&](const space::Exposures::Range& range) {
    return range.begin == record.begin && range.bytes == record.bytes;
  });
}

}  // namespace armature::rma
