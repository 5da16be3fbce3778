// The library's part of aggregates. Gets of another node's memory that are short and of one size
// wait in the aggregate until there are enough for a list, or somebody waits for them. A list costs
// an address each way for a piece, and a request of its own five times that, and the time of both.
#include "armature/aggregate.hpp"

#include <algorithm>
#include <array>
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
#include "wait/rank_context.hpp"
#include "wait/thread_call.hpp"

namespace armature::detail {
namespace {

constexpr const char* get_call = "get_nbi";

/// The bytes that a list may have: as many as are copied rather than streamed.
constexpr std::size_t list_bytes_max = 8192;

std::size_t list_count_max(std::size_t bytes) {
  return std::min(GatheredGets::count_max, list_bytes_max / bytes);
}

/// nullptr: gets of that length from that rank are not worth a list, or each is to be looked at.
rma::Network* network_for(Rank rank, std::size_t bytes) {
  if (bytes == 0 || bytes > GatheredGets::bytes_max) return nullptr;
  rma::Network* const net = rma::network_to(rank, get_call);
  return net != nullptr && !net->mapping().checks_in_full() ? net : nullptr;
}

}  // namespace

bool aggregate_gathers(Rank rank, std::size_t bytes) { return network_for(rank, bytes) != nullptr; }

bool aggregate_gather(GatheredGets& gathered, Rank rank, void* to, const void* from,
                      std::size_t bytes) {
  const wait::ThreadCall under_way(get_call);
  rma::Network* const net = network_for(rank, bytes);
  if (net == nullptr) return false;
  // A wrong address is named here, not where the list is asked for.
  (void)rma::require_remote(*net, rank, from, bytes, get_call);
  if (gathered.count != 0 && gathered.bytes != bytes) aggregate_ask(gathered, rank);
  gathered.bytes = bytes;
  gathered.to[gathered.count] = to;
  gathered.from[gathered.count] = from;
  if (++gathered.count == list_count_max(bytes)) aggregate_ask(gathered, rank);
  return true;
}

void aggregate_ask(GatheredGets& gathered, Rank rank) {
  const std::size_t count = std::exchange(gathered.count, 0);
  if (count == 0) return;
  // A wait for room lets calls in, whose methods may use the same aggregate.
  std::array<void*, GatheredGets::count_max> to;
  std::array<const void*, GatheredGets::count_max> from;
  std::copy_n(gathered.to, count, to.data());
  std::copy_n(gathered.from, count, from.data());
  const Iov list{.to = std::span(to).first(count),
                 .from = std::span(from).first(count),
                 .bytes = gathered.bytes};
  get_vector_nbi(rank, std::span(&list, 1));
}

void aggregate_end(GatheredGets* gathered, Rank rank) noexcept {
  try {
    aggregate_ask(*gathered, rank);
  } catch (const Error&) {
    // Nobody waits for them: their targets hold nothing, as before.
  }
  delete gathered;
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
