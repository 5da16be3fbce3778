// Puts, gets and atomics of memory that another process of the node exposes, where that is a file
// which it shares: this process maps it, too, and then loads and stores reach it. Accumulates
// exclude each other by addresses of the owner, and take the way of other memory (by_kernel.cpp).
#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/runtime.hpp"
#include "rma/memory.hpp"
#include "rma/protocol.hpp"
#include "rma/rows.hpp"
#include "rma/shared_file.hpp"
#include "rma/target.hpp"
#include "wait/rank_context.hpp"

namespace armature::rma {
namespace {

using space::Exposures;

/// The latest exposed files that this process has mapped, or could not map.
class MappedFiles {
 public:
  std::shared_ptr<const FileMapping> of(const space::Mapping& mapping, Rank rank,
                                        const Exposures::Range& range) {
    const std::lock_guard locked(mutex_);
    const auto known = std::ranges::find_if(
        all_, [&](const Entry& entry) { return entry.rank == rank && entry.range == range; });
    if (known != all_.end()) return known->file;
    // A file's memory is not held for a rank that conceals it.
    std::erase_if(all_, [&](const Entry& entry) { return !is_exposed(mapping, entry); });
    if (all_.size() == count_max) all_.erase(all_.begin());
    const pid_t owner = mapping.slot(rank).pid.load(std::memory_order_relaxed);
    return all_.emplace_back(rank, range, std::make_shared<const FileMapping>(owner, range)).file;
  }

 private:
  static constexpr std::size_t count_max = 64;
  struct Entry {
    Rank rank;
    Exposures::Range range;
    std::shared_ptr<const FileMapping> file;  // also of those that use it when it is forgotten
  };
  static bool is_exposed(const space::Mapping& mapping, const Entry& entry) {
    const Exposures* const list = mapping.exposures(entry.rank);
    return list != nullptr && list->holding(entry.range.begin, entry.range.bytes) == entry.range;
  }

  std::mutex mutex_;
  std::vector<Entry> all_;
};

/// The memory of one rank, as this process reaches it.
class View {
 public:
  View(Rank rank, const char* call) : mapping_(wait::mapping(call)), rank_(rank) {}

  /// Returns the distance from an address of the rank's to that of the same byte here; nothing if
  /// these bytes are not mapped here.
  std::optional<std::ptrdiff_t> shift(std::uint64_t address, std::uint64_t bytes) {
    if (mapping_.holds(rank_, address, bytes)) return 0;
    if (!range_.holds(address, bytes) && !find(address, bytes)) return std::nullopt;
    return file_->first() - reinterpret_cast<std::byte*>(range_.begin);
  }
  [[nodiscard]] Target target() const { return {mapping_, rank_, nullptr, {rank_, await_chunk}}; }

 private:
  bool find(std::uint64_t address, std::uint64_t bytes) {
    const Exposures* const list = mapping_.exposures(rank_);
    const auto range = list != nullptr ? list->holding(address, bytes) : std::nullopt;
    if (!range || range->file.inode == 0) return false;
    file_ = base::state<MappedFiles>().of(mapping_, rank_, *range);
    range_ = file_->first() != nullptr ? *range : Exposures::Range{};
    return file_->first() != nullptr;
  }

  const space::Mapping& mapping_;
  Rank rank_;
  Exposures::Range range_;
  std::shared_ptr<const FileMapping> file_;
};

/// False where not all of it is mapped here; some may have been moved then.
bool moved_by_mapping(const Operation& what) {
  View view(what.rank, what.call());
  const bool is_get = what.verb == Verb::get;
  bool works = true;
  for_each_rows(what, [&](const Rows& there) {
    const auto shift =
        works ? view.shift(lowest_of(there, what.verb), there.row_bytes) : std::nullopt;
    if (!shift) {
      works = false;
      return;
    }
    Rows rows = there;
    if (is_get) {
      rows.from += *shift;
      view.target().read(rows);
    } else {
      rows.to += *shift;
      view.target().write(rows);
    }
  });
  return works;
}

detail::Request* start_by_mapping(const Operation& what, Finish finish) {
  if (what.verb != Verb::add && moved_by_mapping(what)) return nullptr;
  return by_kernel.start(what, finish);
}

detail::Request* start_atomic_by_mapping(const Atomic& what, Finish finish, std::uint64_t& found) {
  View view(what.rank, what.call);
  const auto shift = view.shift(what.record.address, what.record.bytes);
  if (!shift) return by_kernel.start_atomic(what, finish, found);
  AtomicRecord here = what.record;
  here.address += static_cast<std::uint64_t>(*shift);
  found = view.target().perform(here);
  return nullptr;
}

}  // namespace

const Protocol by_mapping{
    .name = "mapped file", .start = start_by_mapping, .start_atomic = start_atomic_by_mapping};

}  // namespace armature::rma
