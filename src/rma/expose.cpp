#include "armature/expose.hpp"

#include <map>
#include <memory>
#include <mutex>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "image/copies.hpp"
#include "rma/errand.hpp"
#include "rma/known_exposures.hpp"
#include "rma/shared_file.hpp"
#include "space/address_space.hpp"
#include "wait/rank_context.hpp"
#include "wait/thread_call.hpp"

namespace armature {

MemoryKind::~MemoryKind() = default;

namespace {

/// The threads that serve what ranks of this process expose, while they expose something.
struct ErrandThreads {
  struct OfRank {
    int exposed = 0;
    std::unique_ptr<rma::ErrandThread> thread;
  };
  /// For one piece more. Throws Error(start).
  void serve(const space::Mapping& mapping, Rank rank) {
    OfRank& mine = of[rank];
    if (mine.thread == nullptr) mine.thread = std::make_unique<rma::ErrandThread>(mapping, rank);
    ++mine.exposed;
  }
  /// For one less. With the last its thread ends, before another one may begin.
  void leave(Rank rank) {
    const auto mine = of.find(rank);
    if (mine != of.end() && --mine->second.exposed == 0) of.erase(mine);
  }

  std::mutex mutex;
  std::map<int, OfRank> of;
};

/// The rank's list; made when it first exposes something, and kept as long as the rank.
rma::ExposedMemory& memory_of(space::AddressSpace& space, const char* call) {
  auto& word = space.head(space.me()).exposures;
  if (word.load(std::memory_order_acquire) == 0) {
    space::AddressSpace::Failure failure;
    void* const made = space.allocate_sparse(sizeof(rma::ExposedMemory), failure);
    if (made == nullptr)
      base::fail(Errc::out_of_memory,
                 fmt::format("{}: {} bytes for the list of what is exposed: {}", call,
                             sizeof(rma::ExposedMemory), failure.limit));
    // Release: who finds it finds zeros. Another thread of the rank may have been first.
    std::uint64_t none = 0;
    if (!word.compare_exchange_strong(none, reinterpret_cast<std::uint64_t>(made),
                                      std::memory_order_acq_rel, std::memory_order_acquire))
      (void)space.free(made, space::Allocation::Kind::internal);
  }
  return rma::ExposedMemory::of(space, space.me());
}

/// Throws unless the memory is the rank's own, if the rank is virtual. All of a virtual rank's own
/// memory lies in its segment, and moves with it.
void require_own(const space::AddressSpace& space, const void* memory, std::size_t bytes,
                 const char* call) {
  if (space.header().ranks_are_virtual == 0) return;
  const auto* const last = static_cast<const std::byte*>(memory) + (bytes - 1);
  if (space.owner(memory) == space.me() && space.owner(last) == space.me() &&
      !image::is_text_of_copy(memory, bytes))
    return;
  base::fail(Errc::bad_argument,
             fmt::format("{}: {} bytes at {} are the process's: a virtual rank exposes what is its "
                         "own, its stack and what it allocates",
                         call, bytes, memory));
}

}  // namespace

namespace detail {

Rank expose(const void* memory, std::size_t bytes, const MemoryKind* kind) {
  constexpr const char* call = "expose";
  const wait::ThreadCall under_way(call);
  space::AddressSpace& space = wait::this_rank(call).space;
  const Rank me = space.me();
  if (bytes == 0) base::fail(Errc::bad_argument, "expose: there is no memory to expose");
  require_own(space, memory, bytes, call);
  rma::ExposedMemory& exposed = memory_of(space, call);
  auto& threads = base::state<ErrandThreads>();
  const std::lock_guard locked(threads.mutex);
  // Others of the node reach a virtual rank's memory by themselves.
  if (space.header().ranks_are_virtual == 0) threads.serve(space, me);
  space::Exposures::Range range{.begin = reinterpret_cast<std::uint64_t>(memory),
                                .bytes = bytes,
                                .kind = reinterpret_cast<std::uint64_t>(kind)};
  if (kind == nullptr) range.file = rma::shared_file_at(memory, bytes);
  if (exposed.list.add(range)) return me;
  threads.leave(me);
  base::fail(Errc::out_of_memory, fmt::format("expose: rank {} exposes {} pieces already",
                                              static_cast<int>(me), space::Exposures::count_max));
}

void conceal(Rank owner, const void* memory, std::size_t bytes) noexcept {
  const space::Mapping* const mapping = space::Mapping::of_process();
  // Outside a job nobody reaches it.
  if (mapping == nullptr || mapping->exposures(owner) == nullptr) return;
  auto& threads = base::state<ErrandThreads>();
  const std::lock_guard locked(threads.mutex);
  const space::Exposures::Range range{reinterpret_cast<std::uint64_t>(memory), bytes};
  if (!rma::ExposedMemory::of(*mapping, owner).list.remove(range.begin, range.bytes)) return;
  rma::tell_concealed(owner, range);
  threads.leave(owner);
}

}  // namespace detail
}  // namespace armature
