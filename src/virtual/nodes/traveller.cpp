#include "virtual/nodes/traveller.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "progress/network.hpp"
#include "space/virtual_band.hpp"
#include "transport/protocol.hpp"
#include "virtual/nodes/steps.hpp"
#include "virtual/rank_record.hpp"

namespace armature::nodes {

using base::fail;
using fibers::RankRecord;
using progress::network;
using transport::Arrived;
using transport::Kind;
using transport::Link;
using transport::Links;
using transport::Protocol;

namespace {

constexpr auto relaxed = std::memory_order_relaxed;  // nobody runs

/// Where bytes lie in a rank's band; they follow.
struct PagesRecord {
  std::uint64_t offset;
};

/// How often somebody has notified a rank.
struct NotifiedRecord {
  std::int32_t by;
  std::int32_t rank;
  std::uint64_t count;
};

int bands_file = -1;  // of this process

std::uint64_t begin_of(const space::Mapping& mapping, int rank) {
  return static_cast<std::uint64_t>(rank) * mapping.band_bytes();
}

/// f(begin, end) for each stretch of pages between these places of the file that were touched.
template <class F>
void for_each_extent(int file, std::uint64_t begin, std::uint64_t end, F&& f) {
  for (std::uint64_t at = begin; at < end;) {
    const off_t data = lseek(file, static_cast<off_t>(at), SEEK_DATA);
    if (data < 0 || static_cast<std::uint64_t>(data) >= end) return;
    const off_t hole = lseek(file, data, SEEK_HOLE);
    at = hole < 0 ? end : std::min(static_cast<std::uint64_t>(hole), end);
    f(static_cast<std::uint64_t>(data), at);
  }
}

/// Pieces of a band, several under way at a time, sent from where they lie. What lies behind the
/// head is given back as it leaves: on the other side each page costs more.
class Pieces {
 public:
  Pieces(const space::Mapping& mapping, int file, int rank, int process)
      : file_(file),
        rank_(rank),
        process_(process),
        begin_(begin_of(mapping, rank)),
        kept_(space::BandHead::heap_start(mapping.header().ranks, 0)) {
    for (Piece& piece : pieces_)
      piece.sent = [](transport::Sending& sent) {
        static_cast<Piece&>(sent).busy.store(false, std::memory_order_release);
      };
  }
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;
  ~Pieces() { finish(); }

  void send(std::uint64_t offset, const std::byte* memory, std::size_t bytes) {
    Piece& piece = pieces_[next_++ % pieces_.size()];
    await(piece);
    piece.offset = offset;
    piece.bytes = bytes;
    piece.busy.store(true, std::memory_order_relaxed);
    const PagesRecord record{offset};
    const Links::Lock locked(network()->links().lock());
    network()->links().to(process_).lend(Kind::pages, rank_, rank_,
                                         std::as_bytes(std::span(&record, 1)), {memory, bytes},
                                         piece, Link::Ack::later);
  }
  void finish() {
    for (Piece& piece : pieces_) await(piece);
  }

 private:
  struct Piece : transport::Sending {
    std::atomic<bool> busy = false;
    std::uint64_t offset = 0;
    std::size_t bytes = 0;  // 0: none
  };
  void await(Piece& piece) const {
    poll_until([&] { return !piece.busy.load(std::memory_order_acquire); });
    const std::size_t bytes = std::exchange(piece.bytes, 0);
    if (bytes != 0 && piece.offset >= kept_)
      (void)fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                      static_cast<off_t>(begin_ + piece.offset), static_cast<off_t>(bytes));
  }

  const int file_, rank_, process_;
  const std::uint64_t begin_, kept_;
  std::array<Piece, Protocol::puts_under_way> pieces_;
  std::size_t next_ = 0;
};

/// The rank must be about to come to this process.
void require_that_it_comes(const Arrived& arrived) {
  const space::Mapping& mapping = network()->mapping();
  const int rank = arrived.record.to;
  if (rank >= 0 && rank < mapping.ranks() &&
      mapping.slot(rank).goes_to.load(relaxed) == network()->links().process() &&
      mapping.slot(rank).process.load(relaxed) == arrived.process)
    return;
  fail(Errc::corrupt,
       fmt::format("process {} sends rank {}, which does not come here", arrived.process, rank));
}

// Through the file: pages that do not exist yet need neither be cleared nor mapped for it.
void on_pages(const Arrived& arrived) {
  require_that_it_comes(arrived);
  const space::Mapping& mapping = network()->mapping();
  const auto record = arrived.head<PagesRecord>();
  const auto bytes = arrived.rest(sizeof record);
  if (record.offset > mapping.band_bytes() || bytes.size() > mapping.band_bytes() - record.offset)
    fail(Errc::corrupt, fmt::format("process {} sends pages of no band", arrived.process));
  const auto at = static_cast<off_t>(begin_of(mapping, arrived.record.to) + record.offset);
  if (pwrite(bands_file, bytes.data(), bytes.size(), at) != static_cast<ssize_t>(bytes.size()))
    fail(Errc::out_of_memory,
         fmt::format("rank {} comes from another node, and there is no memory for it: {}",
                     arrived.record.to, base::system_text(errno != 0 ? errno : ENOSPC)));
}

void on_traveller(const Arrived& arrived) {
  require_that_it_comes(arrived);
  const auto record = arrived.head<RankRecord>();
  const space::Mapping& mapping = network()->mapping();
  record.give({reinterpret_cast<std::byte*>(&mapping.header())}, arrived.record.to);
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

void install_travellers(Links& links) {
  links.handle(Kind::pages, on_pages);
  links.handle(Kind::traveller, on_traveller);
  links.handle(Kind::notified, on_notified);
}

void take_ranks_into(int file) { bands_file = file; }

void send_rank(const space::Mapping& mapping, int file, int rank) {
  const int process = mapping.slot(rank).goes_to.load(relaxed);
  const std::uint64_t begin = begin_of(mapping, rank);
  {
    Pieces pieces(mapping, file, rank, process);
    for_each_extent(file, begin, begin + mapping.band_bytes(),
                    [&](std::uint64_t from, std::uint64_t to) {
                      for (std::uint64_t at = from; at < to; at += Protocol::piece_bytes)
                        pieces.send(at - begin, mapping.band(rank) + (at - begin),
                                    std::min(Protocol::piece_bytes, to - at));
                    });
  }
  const RankRecord record = RankRecord::of(mapping, rank);
  const Links::Lock locked(network()->links().lock());
  Link& link = network()->links().to(process);
  link.post(Kind::traveller, rank, rank, record, Link::Ack::later);
  link.flush();
}

void send_notifications(const space::Mapping& mapping, int file, int rank) {
  space::BandHead& head = mapping.head(rank);
  const std::uint64_t begin = begin_of(mapping, rank);
  const auto first = begin + static_cast<std::uint64_t>(
                                 reinterpret_cast<std::byte*>(&head.peer(0)) - mapping.band(rank));
  const std::uint64_t lines = static_cast<std::uint64_t>(mapping.ranks());
  const auto tell = [&](int by) {
    const space::RankSlot& slot = mapping.slot(by);
    const std::uint64_t count = head.peer(by).notified.load(relaxed);
    const int process = slot.goes_to.load(relaxed);
    if (count == 0 || mapping.process_slot(process).node == slot.node) return;
    const NotifiedRecord record{by, rank, count};
    if (mapping.process_slot(process).node == mapping.header().node) return;  // this very head
    const Links::Lock locked(network()->links().lock());
    network()->links().to(process).post(Kind::notified, rank, by, record, Link::Ack::later);
  };
  for_each_extent(file, first, first + lines * sizeof(space::PeerLine),
                  [&](std::uint64_t from, std::uint64_t to) {
                    const std::uint64_t size = sizeof(space::PeerLine);
                    const auto last = std::min((to - first + size - 1) / size, lines);
                    for (std::uint64_t by = (from - first) / size; by < last; ++by)
                      tell(static_cast<int>(by));
                  });
}

}  // namespace armature::nodes
