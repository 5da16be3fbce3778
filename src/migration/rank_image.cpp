#include "migration/rank_image.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <optional>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/relaxed.hpp"
#include "base/runtime.hpp"
#include "fibers/rank_record.hpp"
#include "migration/page_receiver.hpp"
#include "migration/pieces.hpp"
#include "migration/records.hpp"
#include "net/network.hpp"

namespace armature::migration {

using base::fail;
using fibers::RankRecord;
using net::network;
using transport::Arrived;
using transport::Link;
using transport::Links;

namespace {

using base::relaxed;  // nobody runs

/// Tells where the bytes that follow lie in a rank's segment. Between the last ones and these,
/// nothing was touched.
struct PagesRecord {
  std::uint64_t hole;  // where that begins
  Stretch touched;     // from the first of these bytes on
};

/// The rest of a rank.
struct RankImageRecord {
  std::uint64_t hole;
  RankRecord record;
};

/// How often somebody has notified a rank.
struct NotifiedRecord {
  std::int32_t by;
  std::int32_t rank;
  std::uint64_t count;
};

struct Arrivals {
  std::optional<PageReceiver> landing;
};
std::optional<PageReceiver>& receiver() { return base::state<Arrivals>().landing; }

/// The rank must be about to come to this process. Which of its node's it is in only that node
/// knows.
void require_that_it_comes(const Arrived& arrived) {
  const space::Mapping& mapping = network()->mapping();
  const int rank = arrived.record.to;
  if (receiver() && rank >= 0 && rank < mapping.ranks() &&
      mapping.slot(rank).load.goes_to.load(relaxed) == network()->links().process() &&
      mapping.slot(rank).node == mapping.process_slot(arrived.process).node)
    return;
  fail(Errc::corrupt,
       fmt::format("process {} sends rank {}, which does not come here", arrived.process, rank));
}

void on_pages(const Arrived& arrived) {
  require_that_it_comes(arrived);
  const auto record = arrived.head<PagesRecord>();
  const auto bytes = arrived.rest(sizeof record);
  const auto& [begin, end] = record.touched;
  require_in_segment(arrived, record.hole, begin, std::max(bytes.size(), end - begin));
  receiver()->empty(arrived.record.to, {record.hole, begin});
  if (!receiver()->write(arrived.record.to, record.touched, bytes))
    fail(Errc::out_of_memory,
         fmt::format("rank {} comes from another node, and there is no memory for it: {}",
                     arrived.record.to, base::system_text(errno != 0 ? errno : ENOSPC)));
}

void on_rank_image(const Arrived& arrived) {
  require_that_it_comes(arrived);
  const auto record = arrived.head<RankImageRecord>();
  const space::Mapping& mapping = network()->mapping();
  require_in_segment(arrived, record.hole, mapping.segment_bytes(), 0);
  receiver()->empty(arrived.record.to, {record.hole, mapping.segment_bytes()});
  record.record.give({reinterpret_cast<std::byte*>(&mapping.header())}, arrived.record.to);
}

void on_notified(const Arrived& arrived) {
  const auto record = arrived.head<NotifiedRecord>();
  const space::Mapping& mapping = network()->mapping();
  if (record.rank < 0 || record.rank >= mapping.ranks() || record.by < 0 ||
      record.by >= mapping.ranks())
    fail(Errc::corrupt, fmt::format("process {} tells of rank {}", arrived.process, record.rank));
  mapping.head(record.rank).peer(record.by).notified.store(record.count, relaxed);
}

}  // namespace

const std::array<transport::Handling, 3> rank_image_handlers{{
    {.kind = transport::number_of(Kind::pages), .handler = on_pages},
    {.kind = transport::number_of(Kind::rank_image), .handler = on_rank_image},
    {.kind = transport::number_of(Kind::notified), .handler = on_notified},
}};

void receive_into(int file) {
  const Links::Lock locked(network()->links().lock());
  receiver().emplace(network()->mapping(), file);
}

void receive_into_cache(const PageCache& left) {
  const Links::Lock locked(network()->links().lock());
  receiver()->open(left);
}

void send_rank(const space::Mapping& mapping, int file, int rank, PageCache& left) {
  const int process = mapping.slot(rank).load.goes_to.load(relaxed);
  const std::uint64_t hole =
      send_segment<PagesRecord>(mapping, file, {rank, process, Kind::pages, &left},
                                [](std::uint64_t before, const Stretch& touched) {
                                  return PagesRecord{before, touched};
                                });
  const RankImageRecord record{hole, RankRecord::of(mapping, rank)};
  const Links::Lock locked(network()->links().lock());
  Link& link = network()->links().to(process);
  link.post(Kind::rank_image, rank, rank, record, Link::Ack::later);
  link.flush();
}

void send_notifications(const space::Mapping& mapping, int file, int rank,
                        const std::function<int(int by)>& process_of) {
  space::SegmentHead& head = mapping.head(rank);
  const std::uint64_t begin = begin_of(mapping, rank);
  const auto first =
      begin + static_cast<std::uint64_t>(reinterpret_cast<std::byte*>(&head.peer(0)) -
                                         mapping.segment(rank));
  const std::uint64_t lines = static_cast<std::uint64_t>(mapping.ranks());
  const auto tell = [&](int by) {
    const std::uint64_t count = head.peer(by).notified.load(relaxed);
    const int process = count != 0 ? process_of(by) : -1;
    if (process < 0) return;
    const NotifiedRecord record{by, rank, count};
    const Links::Lock locked(network()->links().lock());
    network()->links().to(process).post(Kind::notified, rank, by, record, Link::Ack::later);
  };
  constexpr std::uint64_t size = sizeof(space::PeerLine);
  for_each_extent(file, {first, first + lines * size}, [&](const Stretch& touched) {
    const auto last = std::min((touched.end - first + size - 1) / size, lines);
    for (std::uint64_t by = (touched.begin - first) / size; by < last; ++by)
      tell(static_cast<int>(by));
  });
}

}  // namespace armature::migration
