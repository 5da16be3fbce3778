#include "fibers/rank_services.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/checksum.hpp"
#include "base/clock.hpp"
#include "base/fail.hpp"
#include "base/interleaving.hpp"
#include "base/process_memory.hpp"
#include "transport/services_here.hpp"
#include "wait/rank_context.hpp"

namespace armature::fibers {
namespace {

using space::AddressSpace;
using space::Allocation;
using transport::Service;

/// Stands before the bytes that each service has packed, and before all of them with their sum.
struct PackedHead {
  std::uint64_t name;  // a hash: another process may have others, too
  std::uint64_t bytes;
};

std::uint64_t hash_of_name(const Service& service) {
  return base::checksum(std::as_bytes(std::span(std::string_view(service.name))));
}

bool keeps(const Service& service, int rank) {
  if (service.pack_rank == nullptr && service.forget == nullptr) return false;
  return service.keeps == nullptr || service.keeps(rank);
}

/// Inserts it before what the service has packed, which begins there.
void insert_head(const Service& service, std::size_t begin, std::vector<std::byte>& all) {
  const PackedHead head{hash_of_name(service), all.size() - begin};
  const auto bytes = std::as_bytes(std::span(&head, 1));
  all.insert(all.begin() + static_cast<std::ptrdiff_t>(begin), bytes.begin(), bytes.end());
}

void give_services(int rank, std::span<const std::byte> all) {
  const auto& services = transport::services_here();
  while (!all.empty()) {
    PackedHead head;
    ARMATURE_ASSERT(all.size() >= sizeof head);
    std::memcpy(&head, all.data(), sizeof head);
    all = all.subspan(sizeof head);
    ARMATURE_ASSERT(head.bytes <= all.size());
    const auto service = std::ranges::find_if(services, [&](const Service* one) {
      return one->unpack_rank != nullptr && hash_of_name(*one) == head.name;
    });
    if (service == services.end())
      base::fail(Errc::corrupt,
                 fmt::format("rank {} brings {} bytes of a service that this process does not have",
                             rank, head.bytes));
    (*service)->unpack_rank(rank, all.first(head.bytes));
    all = all.subspan(head.bytes);
  }
}

/// Makes memory the process's while it lives, whichever rank's stack this is, and no rank calls:
/// services keep their data in the process. The rank finds errno as it was.
class OutsideOfRanks {
 public:
  OutsideOfRanks() : calling_(wait::runs_rank() ? wait::current_rank() : nullptr) {
    wait::set_this_rank(nullptr);
  }
  OutsideOfRanks(const OutsideOfRanks&) = delete;
  OutsideOfRanks& operator=(const OutsideOfRanks&) = delete;
  ~OutsideOfRanks() {
    wait::set_this_rank(calling_);
    errno = errno_;
  }

 private:
  base::ProcessMemory memory_;
  wait::RankContext* calling_;
  const int errno_ = errno;
};

}  // namespace

namespace {

void forget(int rank) {
  for (const Service* const service : transport::services_here())
    if (service->forget != nullptr) service->forget(rank);
}

}  // namespace

void forget_in_services(int rank) {
  const OutsideOfRanks outside;
  forget(rank);
}

std::string await_quiet_services(const space::ControlHeader& job) {
  constexpr std::uint64_t patience_ns = 10'000'000'000;
  constexpr long pause_ns = 50'000;
  const OutsideOfRanks outside;
  const std::uint64_t begun_ns = base::now_ns();
  for (const Service* const service : transport::services_here())
    while (service->quiesce != nullptr && !service->quiesce()) {
      // A job that is to reconfigure gives up what was asked for.
      if (job.quiesce.is_to_reconfigure()) return {};
      if (base::now_ns() - begun_ns > patience_ns)
        return fmt::format("service \"{}\" has had something under way for 10 s", service->name);
      base::pause_for_others(pause_ns);
    }
  return {};
}

namespace {

/// Stores it in the rank's segment. False where that has no room.
bool store(RankFiber& fiber, std::span<const std::byte> all) {
  AddressSpace::Failure failure;
  // Allocates as a door: the rank does not run, and cannot wait.
  void* const memory = fiber.space().allocate(all.size(), 64, Allocation::Kind::internal, failure,
                                              AddressSpace::By::door);
  if (memory == nullptr) return false;
  std::memcpy(memory, all.data(), all.size());
  fiber.packed.first = static_cast<std::byte*>(memory);
  fiber.packed.bytes = all.size();
  return true;
}

[[gnu::noinline]] bool pack_all(RankFiber& fiber) {
  ARMATURE_ASSERT(fiber.packed.first == nullptr);
  const OutsideOfRanks outside;
  try {
    std::vector<std::byte> all;
    for (const Service* const service : transport::services_here()) {
      if (service->pack_rank == nullptr || !keeps(*service, fiber.rank)) continue;
      const std::size_t begin = all.size();
      service->pack_rank(fiber.rank, all);
      if (all.size() != begin) insert_head(*service, begin, all);
    }
    fiber.packed.has_no_room = !all.empty() && !store(fiber, all);
  } catch (const std::bad_alloc&) {
    fiber.packed.has_no_room = true;
  }
  if (!fiber.packed.has_no_room) forget(fiber.rank);
  return !fiber.packed.has_no_room;
}

}  // namespace

// Called on the stack of a rank that is about to go: the other process fetches each line that is
// touched of it. Nearly always nothing is kept of the rank, so the rest is not inlined.
bool pack_services(RankFiber& fiber) {
  for (const Service* const service : transport::services_here())
    if (keeps(*service, fiber.rank)) return pack_all(fiber);
  fiber.packed.has_no_room = false;
  return true;
}

void unpack_services(RankFiber& fiber) {
  fiber.packed.has_no_room = false;
  if (fiber.packed.first == nullptr) return;
  const OutsideOfRanks outside;
  give_services(fiber.rank, {fiber.packed.first, fiber.packed.bytes});
  ARMATURE_ASSERT(fiber.space().free(std::exchange(fiber.packed.first, nullptr),
                                     Allocation::Kind::internal, AddressSpace::By::door));
}

}  // namespace armature::fibers
