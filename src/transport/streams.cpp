// Streams of a link: which record of which comes next.
#include <algorithm>
#include <utility>

#include "transport/limits.hpp"
#include "transport/links.hpp"

namespace armature::transport {

std::byte* Piece::room() {
  if (memory_ == nullptr)
    memory_ = std::make_unique_for_overwrite<std::byte[]>(Limits::piece_bytes);
  return memory_.get();
}

void Link::begin(Stream& stream, int rank) {
  if (!std::exchange(is_streaming_, true)) links_->streaming_.push_back(this);
  links_->has_streams_.store(true, std::memory_order_relaxed);
  streams_.push_back({&stream, rank, ++streams_begun_});
  if (streams_.size() == 1) oldest_stream_.store(streams_begun_, std::memory_order_release);
}

/// Release: who sees that a stream is not there any more sees that all of it was sent.
void Link::note_oldest() {
  std::uint64_t oldest = UINT64_MAX;
  for (const Streaming& one : streams_) oldest = std::min(oldest, one.number);
  oldest_stream_.store(oldest, std::memory_order_release);
}

void Link::lend_piece(RecordOf kind, int from, int to, std::span<const std::byte> head,
                      std::span<const std::byte> lent, Piece& piece, Ack ack) {
  piece.is_lent_ = true;
  lend(kind, from, to, head, lent, piece, ack);
}

// Streams take turns, so that a short one does not wait for all of a long one.
bool Link::push() {
  if (pushes_) return false;  // from inside of what it sends
  pushes_ = true;
  bool some_were_sent = false;
  const auto takes_more = [&] {
    return !streams_.empty() && streamed_ < Limits::pieces_under_way &&
           queued() < queued_max_of_streams;
  };
  constexpr int records_max = 64;
  for (int records = 0; records < records_max && takes_more(); ++records) {
    turn_ = turn_ < streams_.size() ? turn_ : 0;
    const Streaming one = streams_[turn_];
    Piece& piece = links_->take_piece(*this, one);
    const bool is_last = !one.stream->send_next(*this, piece);
    // Where the engine has found the link lost, it has been cut meanwhile, and may have ended.
    const bool is_cut = streams_.empty();
    const bool is_there = piece.is_lent_ ? !is_cut : true;
    if (!piece.is_lent_) links_->give_piece(piece);
    if (is_last && !is_cut) {
      streams_.erase(streams_.begin() + static_cast<std::ptrdiff_t>(turn_));
      if (one.number == oldest_stream()) note_oldest();
      one.stream->is_sent_ = true;
      some_were_sent = true;
    } else {
      ++turn_;
    }
    if (is_there) end_if_over(*one.stream);
  }
  pushes_ = false;
  const bool is_interrupted = takes_more();
  if (some_were_sent && links_->on_streamed != nullptr) links_->on_streamed(*this);
  return is_interrupted;
}

void Link::end_if_over(Stream& stream) {
  if (stream.is_sent_ && stream.under_way_ == 0) stream.ended();
}

/// Nothing of them is sent any more.
void Link::cut_streams() {
  for (const Streaming& one : std::exchange(streams_, {})) {
    one.stream->is_sent_ = true;
    end_if_over(*one.stream);
  }
  note_oldest();
}

bool Link::streams_of(int rank) const {
  return std::ranges::any_of(streams_, [&](const Streaming& one) { return one.rank == rank; });
}

Piece& Links::take_piece(Link& link, const Link::Streaming& of) {
  if (free_pieces_.empty()) {
    pieces_.push_back(std::make_unique<Piece>());
    pieces_.back()->sent = [](Sending& sent) {
      auto& piece = static_cast<Piece&>(sent);
      Link& its_link = *piece.link_;
      Stream* const stream = piece.stream_;
      its_link.links_->give_piece(piece);
      if (stream != nullptr) its_link.end_if_over(*stream);
      its_link.push();
    };
    free_pieces_.push_back(pieces_.back().get());
  }
  // What was let go of last is still in the cache.
  Piece& piece = *free_pieces_.back();
  free_pieces_.pop_back();
  piece.link_ = &link;
  piece.stream_ = of.stream;
  piece.rank_ = of.rank;
  piece.is_lent_ = false;
  ++link.streamed_;
  ++of.stream->under_way_;
  return piece;
}

void Links::give_piece(Piece& piece) {
  --piece.link_->streamed_;
  if (Stream* const stream = std::exchange(piece.stream_, nullptr)) --stream->under_way_;
  if (free_pieces_.size() >= pieces_kept_max) piece.memory_ = nullptr;
  free_pieces_.push_back(&piece);
}

void Links::forget(const Stream& stream) {
  for (const auto& link : links_) {
    if (link == nullptr) continue;
    std::erase_if(link->streams_, [&](const auto& one) { return one.stream == &stream; });
    link->note_oldest();
  }
  for (const auto& piece : pieces_)
    if (piece->stream_ == &stream) piece->stream_ = nullptr;
}

void Links::forget_streams_of_ranks() {
  for (const auto& link : links_) {
    if (link == nullptr) continue;
    std::erase_if(link->streams_, [](const Link::Streaming& one) { return one.rank >= 0; });
    link->note_oldest();
  }
  for (const auto& piece : pieces_)
    if (piece->rank_ >= 0) piece->stream_ = nullptr;
}

// A link that is lost meanwhile has none any more.
bool Links::push_streams() {
  if (streaming_.empty()) [[likely]]
    return false;
  bool more = false;
  for (std::size_t i = 0; i < streaming_.size(); ++i) more = streaming_[i]->push() || more;
  std::erase_if(streaming_, [](Link* link) {
    link->is_streaming_ = !link->streams_.empty();
    return !link->is_streaming_;
  });
  has_streams_.store(!streaming_.empty(), std::memory_order_relaxed);
  return more;
}

}  // namespace armature::transport
