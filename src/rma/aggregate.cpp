// The library's part of aggregates. Puts and gets of another node's memory that are short and of
// one size wait in the aggregate until there are enough for a list, or somebody waits for them. A
// get's list costs an address each way for a piece, and a request of its own five times that, and
// the time of both. A put's costs an address, and a record of its own three times that.
#include "armature/aggregate.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "armature/error.hpp"
#include "armature/iov.hpp"
#include "base/fail.hpp"
#include "net/network.hpp"
#include "rma/remote.hpp"
#include "wait/cost_model.hpp"
#include "wait/implicit.hpp"
#include "wait/modules.hpp"
#include "wait/rank_context.hpp"
#include "wait/thread_call.hpp"
#include "wait/wait.hpp"

namespace armature::detail {
namespace {

/// nullptr: pieces of that length of that rank are not worth a list, or each is to be looked at.
rma::Network* network_for(Rank rank, std::size_t bytes, const char* call) {
  if (bytes == 0 || bytes > GatheredPieces::bytes_max) return nullptr;
  rma::Network* const net = rma::network_to(rank, call);
  return net != nullptr && !net->mapping().checks_in_full() ? net : nullptr;
}

std::size_t list_count_max(std::size_t bytes) {
  return std::min(GatheredPieces::count_max, GatheredPieces::bytes_of_all_max / bytes);
}

/// Begins a list of pieces of that size, most of which need no call. The last one does: the list
/// leaves with it.
void begin(GatheredPieces& gathered, const rma::Network& net, Rank rank, std::size_t bytes) {
  const std::span<const std::byte> known = rma::known_segment(net.mapping(), rank);
  gathered.bytes = bytes;
  gathered.known = reinterpret_cast<std::uintptr_t>(known.data());
  gathered.known_last = known.size() - std::min(bytes, known.size());
  gathered.count_known = known.size() < bytes ? 0 : list_count_max(bytes) - 1;
}

/// Prepares the list for a piece; false where it is to travel by itself. A wrong address is named
/// here, not where the list leaves.
template <class Gathered>
bool prepare(Gathered& gathered, Rank rank, const void* theirs, std::size_t bytes,
             const char* call) {
  const wait::ThreadCall under_way(call);
  rma::Network* const net = network_for(rank, bytes, call);
  if (net == nullptr) return false;
  (void)rma::require_remote(*net, rank, theirs, bytes, call);
  if (gathered.are_leaving) return false;
  if (gathered.count != 0 && gathered.bytes != bytes) aggregate_leave(gathered, rank);
  if (gathered.count == 0) begin(gathered, *net, rank, bytes);
  return true;
}

/// Says that a list leaves, for as long as it lives: a wait for room lets calls in, whose methods
/// may use the same aggregate.
class Leaving {
 public:
  explicit Leaving(GatheredPieces& pieces) : pieces_(pieces) {
    pieces_.are_leaving = true;
    pieces_.count_known = 0;
  }
  Leaving(const Leaving&) = delete;
  Leaving& operator=(const Leaving&) = delete;
  ~Leaving() {
    pieces_.are_leaving = false;
    pieces_.count = 0;
  }

 private:
  GatheredPieces& pieces_;
};

/// Returns once no other module of the rank has the list leave: who waits for the aggregate has to
/// find that its requests have begun. A method does not wait for the call that it runs in.
void await_leaving(const GatheredPieces& gathered) {
  const auto is_left_by_module = [&] {
    const wait::RankContext* const me = wait::current_rank();
    return gathered.are_leaving && me != nullptr && me->modules != nullptr && wait::runs_rank() &&
           me->modules->may_switch();
  };
  while (is_left_by_module()) {
    wait::WaitFor wait{
        .what = space::Awaiting::completion, .is_notified = false, .call = "Aggregate"};
    wait::wait_until(wait,
                     [&] { return !__atomic_load_n(&gathered.are_leaving, __ATOMIC_RELAXED); });
  }
}

/// Gives the list to that call.
template <class Call>
void leave(GatheredPieces& gathered, Call&& call) {
  if (gathered.are_leaving) [[unlikely]]
    await_leaving(gathered);
  if (gathered.count == 0 || gathered.are_leaving) return;
  const Leaving leaving(gathered);
  const Iov list{.to = std::span(gathered.to).first(gathered.count),
                 .from = std::span(gathered.from).first(gathered.count),
                 .bytes = gathered.bytes};
  call(std::span(&list, 1));
}

}  // namespace

bool aggregate_gathers(Rank rank, std::size_t bytes) {
  return network_for(rank, bytes, "Aggregate") != nullptr;
}

bool aggregate_gather(GatheredGets& gathered, Rank rank, void* to, const void* from,
                      std::size_t bytes) {
  if (!prepare(gathered, rank, from, bytes, "get_nbi")) return false;
  gathered.note(to, from);
  if (gathered.count == list_count_max(bytes)) aggregate_leave(gathered, rank);
  return true;
}

bool aggregate_gather(GatheredPuts& gathered, Rank rank, void* to, const void* from,
                      std::size_t bytes) {
  if (!prepare(gathered, rank, to, bytes, "put_nbi")) return false;
  gathered.note(to, from, bytes);
  if (gathered.count == list_count_max(bytes)) aggregate_leave(gathered, rank);
  return true;
}

void aggregate_leave(GatheredGets& gathered, Rank rank) {
  leave(gathered, [=](std::span<const Iov> list) { get_vector_nbi(rank, list); });
}

// By a call that waits for room, since the values are copied into packets then: the next ones take
// their place.
void aggregate_leave(GatheredPuts& gathered, Rank rank) {
  leave(gathered, [=](std::span<const Iov> list) { put_vector(rank, list); });
}

namespace {

template <class Gathered>
void end(Gathered* gathered, Rank rank) noexcept {
  if (gathered == nullptr) return;
  try {
    aggregate_leave(*gathered, rank);
  } catch (const Error&) {
    // Nobody waits for them: their targets hold nothing, as before.
  }
  delete gathered;
}

}  // namespace

void aggregate_end(GatheredGets* gets, GatheredPuts* puts, Rank rank) noexcept {
  end(gets, rank);
  end(puts, rank);
}

void aggregate_wait(Rank rank) {
  if (wait::completes_later()) wait_all(rank);
}

bool aggregate_test(Rank rank) {
  const wait::ThreadCall under_way("Aggregate::test");
  return !wait::completes_later() ||
         wait::implicit_of(wait::this_rank("Aggregate::test")).test(rank);
}

void aggregate_check(Rank rank) { wait::mapping("Aggregate").require_rank(rank, "Aggregate"); }

void aggregate_other_rank(Rank bound, Rank given, const char* call) {
  base::fail(Errc::bad_rank,
             fmt::format("{}: this handle aggregates requests to rank {}, not to rank {}", call,
                         static_cast<int>(bound), static_cast<int>(given)));
}

}  // namespace armature::detail
