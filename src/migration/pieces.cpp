#include "migration/pieces.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "migration/page_cache.hpp"
#include "quiesce/poll.hpp"
#include "space/copy_pages.hpp"

namespace armature::migration {

using net::network;
using transport::Arrived;
using transport::Link;
using transport::Links;

void require_in_segment(const Arrived& arrived, std::uint64_t hole, std::uint64_t offset,
                        std::size_t bytes) {
  const std::uint64_t all = network()->mapping().segment_bytes();
  if (offset > all || hole > offset || bytes > all - offset)
    base::fail(Errc::corrupt, fmt::format("process {} sends pages of no segment", arrived.process));
}

Pieces::Pieces(const space::Mapping& mapping, int file, const Options& options)
    : mapping_(mapping), file_(file), options_(options) {
  for (Piece& piece : pieces_)
    piece.sent = [](transport::Sending& sent) {
      static_cast<Piece&>(sent).busy.store(false, std::memory_order_release);
    };
}

Pieces::~Pieces() {
  for (Piece& piece : pieces_) await(piece);
}

void Pieces::send(const Stretch& place, std::span<const std::byte> record) {
  Piece& piece = pieces_[next_++ % pieces_.size()];
  await(piece);
  piece.place = place;
  piece.busy.store(true, std::memory_order_relaxed);
  const std::byte* const memory = mapping_.segment(options_.rank) + place.begin;
  const Links::Lock locked(network()->links().lock());
  network()
      ->links()
      .to(options_.process)
      .lend(options_.kind, options_.rank, options_.rank, record,
            {memory, static_cast<std::size_t>(place.end - place.begin)}, piece, Link::Ack::later);
}

// The wait ends whatever happens: the engine lets go also of what cannot be sent any more.
void Pieces::await(Piece& piece) const {
  quiesce::poll_until([&] { return !piece.busy.load(std::memory_order_acquire); });
  const Stretch sent = std::exchange(piece.place, {});
  if (options_.left == nullptr) return;
  const std::uint64_t begin = begin_of(mapping_, options_.rank);
  const Stretch all = behind_head(mapping_, options_.rank);
  const Stretch pages{std::max(begin + sent.begin, all.begin), begin + sent.end};
  if (pages.begin < pages.end && !stay(pages))
    (void)space::give_back_pages(file_, pages.begin, pages.end);
}

/// Whether they may. Under the lock: what comes meanwhile looks there, too.
bool Pieces::stay(const Stretch& pages) const {
  const Links::Lock locked(network()->links().lock());
  try {
    return options_.left->takes(pages);
  } catch (const std::exception&) {  // there is no memory to remember them
    return false;
  }
}

}  // namespace armature::migration
