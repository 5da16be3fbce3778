#include "rma/packed_rows.hpp"

#include <algorithm>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "base/immortal.hpp"
#include "base/process_memory.hpp"
#include "progress/wait.hpp"

namespace armature::rma {

using transport::Kind;
using transport::Link;
using Lock = transport::Links::Lock;

namespace {

std::vector<std::unique_ptr<std::byte[]>>& spare() {
  static base::Immortal<std::vector<std::unique_ptr<std::byte[]>>> pieces;
  return *pieces;
}
constexpr std::size_t spare_max = transport::Protocol::puts_under_way;

}  // namespace

PackedRows::PackedRows(Network& net, Rank rank, const char* call)
    : net_(net), rank_(rank), call_(call) {
  for (Piece& piece : pieces_)
    piece.sent = [](transport::Sending& sent) {
      static_cast<Piece&>(sent).busy.store(false, std::memory_order_release);
    };
}

PackedRows::~PackedRows() {
  if (is_of_rank()) return;
  const Lock locked(net_.links().lock());
  for (Piece& piece : pieces_)
    if (piece.memory != nullptr) give_memory(std::move(piece.memory));
}

/// A rank that waits while it packs may go on in another process, and takes its own memory along.
bool PackedRows::is_of_rank() const { return net_.mapping().header().ranks_are_virtual != 0; }

std::unique_ptr<std::byte[]> PackedRows::take_memory() {
  const base::ProcessMemory kept;
  if (spare().empty()) return std::make_unique_for_overwrite<std::byte[]>(room);
  auto memory = std::move(spare().back());
  spare().pop_back();
  return memory;
}

void PackedRows::give_memory(std::unique_ptr<std::byte[]> memory) {
  if (spare().size() < spare_max) spare().push_back(std::move(memory));
}

void PackedRows::await(const Piece& piece) {
  const auto free = [&] { return !piece.busy.load(std::memory_order_acquire); };
  if (free()) return;
  progress::WaitFor wait{.what = space::Awaiting::completion, .rings = false, .call = call_};
  progress::wait_until(wait, [&] {
    net_.try_poll();
    return free();
  });
}

std::byte* PackedRows::next() {
  const auto free = std::ranges::find_if(
      pieces_, [](const Piece& piece) { return !piece.busy.load(std::memory_order_acquire); });
  // What the engine has let go of at once is still in the cache.
  at_ = free != pieces_.end() ? static_cast<std::size_t>(free - pieces_.begin())
                              : (at_ + 1) % pieces_.size();
  Piece& piece = pieces_[at_];
  await(piece);
  if (piece.memory != nullptr) return piece.memory.get();
  if (is_of_rank()) {
    piece.memory = std::make_unique_for_overwrite<std::byte[]>(room);
    return piece.memory.get();
  }
  const Lock locked(net_.links().lock());
  piece.memory = take_memory();
  return piece.memory.get();
}

void PackedRows::send(const WriteRecord& record, int sender, bool last) {
  Piece& piece = pieces_[at_];
  piece.busy.store(true, std::memory_order_relaxed);
  const Lock locked(net_.links().lock());
  net_.link_to(rank_).lend(Kind::write, sender, rank_, std::as_bytes(std::span(&record, 1)),
                           {piece.memory.get(), record.rows * record.row_bytes}, piece,
                           last ? Link::Ack::soon : Link::Ack::later);
}

void PackedRows::finish() {
  for (const Piece& piece : pieces_) await(piece);
  net_.require_reachable(rank_, call_);
}

}  // namespace armature::rma
