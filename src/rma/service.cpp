#include <atomic>
#include <cstring>

#include "base/fail.hpp"
#include "rma/engine_transfer.hpp"
#include "rma/pending_requests.hpp"
#include "rma/records.hpp"
#include "rma/registered_memory.hpp"
#include "rma/remote.hpp"
#include "rma/remote_lock.hpp"
#include "space/mapping.hpp"

namespace armature::rma {
namespace {

// The exposures of a rank are a list in its segment, which moves with it. The address of the list
// is in the segment's head, of which every node has its own.

std::atomic<std::uint64_t>& exposures_of(Rank rank) {
  return space::Mapping::of_process()->head(rank).exposures;
}

bool keeps_exposures(Rank rank) { return exposures_of(rank).load(std::memory_order_relaxed) != 0; }

void pack_exposures(Rank rank, std::vector<std::byte>& to) {
  const std::uint64_t list = exposures_of(rank).load(std::memory_order_relaxed);
  const auto bytes = std::as_bytes(std::span(&list, 1));
  to.insert(to.end(), bytes.begin(), bytes.end());
}

void unpack_exposures(Rank rank, std::span<const std::byte> from) {
  std::uint64_t list = 0;
  if (from.size() != sizeof list) base::fail(Errc::corrupt, "a rank's exposures");
  std::memcpy(&list, from.data(), sizeof list);
  exposures_of(rank).store(list, std::memory_order_release);
}

}  // namespace

const transport::Service service{
    .name = "rma",
    .records_count = static_cast<std::uint8_t>(Kind::count),
    .handlers = {remote_handlers, registered_memory_handlers, key_handlers, lock_handlers,
                 PendingRequest::handlers},
    .poll =
        [] {
          const bool is_giving = give_up_keys();
          return look_at_locks() || is_giving;
        },
    .peer_failed =
        [](int process) {
          PendingRequest::give_up(process);
          forget_holder(process);
        },
    .reset =
        [] {
          forget_keys();
          forget_remote();
        },
    .let_go = end_registrations,
    .quiesce = PendingRequest::all_are_answered,
    .keeps = keeps_exposures,
    .pack_rank = pack_exposures,
    .unpack_rank = unpack_exposures};

}  // namespace armature::rma
