#include "transport/stream_queue.hpp"

#include <algorithm>
#include <utility>

#include "transport/limits.hpp"

namespace armature::transport {

std::byte* Piece::room() {
  if (memory_ == nullptr)
    memory_ = std::make_unique_for_overwrite<std::byte[]>(Limits::piece_bytes);
  return memory_.get();
}

Piece& PiecePool::take(StreamQueue& queue, Stream& stream, int rank) {
  if (free_.empty()) {
    pieces_.push_back(std::make_unique<Piece>());
    pieces_.back()->sent = [](Sending& sent) {
      auto& piece = static_cast<Piece&>(sent);
      StreamQueue& its_queue = *piece.queue_;
      Stream* const its_stream = piece.stream_;
      its_queue.all_.pieces_.give_back(piece);
      if (its_stream != nullptr) StreamQueue::end_if_over(*its_stream);
      its_queue.push();
    };
    free_.push_back(pieces_.back().get());
  }
  // The piece that was let go of last is still in the cache.
  Piece& piece = *free_.back();
  free_.pop_back();
  piece.queue_ = &queue;
  piece.stream_ = &stream;
  piece.rank_ = rank;
  piece.is_lent_ = false;
  piece.parts_.clear();
  ++queue.pieces_;
  ++stream.under_way_;
  return piece;
}

void PiecePool::give_back(Piece& piece) {
  --piece.queue_->pieces_;
  if (Stream* const stream = std::exchange(piece.stream_, nullptr)) --stream->under_way_;
  if (free_.size() >= kept_max) piece.memory_ = nullptr;
  free_.push_back(&piece);
}

void PiecePool::forget(const Stream& stream) {
  for (const auto& piece : pieces_)
    if (piece->stream_ == &stream) piece->stream_ = nullptr;
}

void PiecePool::forget_streams_of_ranks() {
  for (const auto& piece : pieces_)
    if (piece->rank_ >= 0) piece->stream_ = nullptr;
}

void StreamQueue::begin(Stream& stream, int rank) {
  if (!std::exchange(is_active_, true)) all_.active_.push_back(this);
  all_.has_some_.store(true, std::memory_order_relaxed);
  streams_.push_back({&stream, rank, ++begun_});
  if (streams_.size() == 1) oldest_.store(begun_, std::memory_order_release);
}

/// Release: who sees that a stream is not there any more sees that all of it was sent.
void StreamQueue::note_oldest() {
  std::uint64_t oldest = UINT64_MAX;
  for (const Streaming& one : streams_) oldest = std::min(oldest, one.number);
  oldest_.store(oldest, std::memory_order_release);
}

bool StreamQueue::push() {
  if (pushes_) return false;  // from inside of what it sends
  pushes_ = true;
  bool some_were_sent = false;
  const auto takes_more = [&] {
    return !streams_.empty() && pieces_ < Limits::pieces_under_way &&
           packets_queued_.load(std::memory_order_relaxed) < packets_queued_max;
  };
  constexpr int records_max = 64;
  for (int records = 0; records < records_max && takes_more(); ++records) {
    turn_ = turn_ < streams_.size() ? turn_ : 0;
    const Streaming one = streams_[turn_];
    Piece& piece = all_.pieces_.take(*this, *one.stream, one.rank);
    const bool is_last = !one.stream->send_next(link_, piece);
    // A link that the engine has found lost was cut meanwhile, and the stream may have ended.
    const bool is_cut = streams_.empty();
    const bool is_there = piece.is_lent_ ? !is_cut : true;
    if (!piece.is_lent_) all_.pieces_.give_back(piece);
    if (is_last && !is_cut) {
      streams_.erase(streams_.begin() + static_cast<std::ptrdiff_t>(turn_));
      if (one.number == oldest()) note_oldest();
      one.stream->is_sent_ = true;
      some_were_sent = true;
    } else {
      ++turn_;
    }
    if (is_there) end_if_over(*one.stream);
  }
  pushes_ = false;
  const bool is_interrupted = takes_more();
  if (some_were_sent && all_.on_sent != nullptr) all_.on_sent(link_);
  return is_interrupted;
}

void StreamQueue::end_if_over(Stream& stream) {
  if (stream.is_sent_ && stream.under_way_ == 0) stream.ended();
}

void StreamQueue::cut() {
  for (const Streaming& one : std::exchange(streams_, {})) {
    one.stream->is_sent_ = true;
    end_if_over(*one.stream);
  }
  note_oldest();
}

bool StreamQueue::has_of(int rank) const {
  return std::ranges::any_of(streams_, [&](const Streaming& one) { return one.rank == rank; });
}

void StreamQueues::forget(const Stream& stream) {
  for (StreamQueue* const queue : active_) {
    std::erase_if(queue->streams_, [&](const auto& one) { return one.stream == &stream; });
    queue->note_oldest();
  }
  pieces_.forget(stream);
}

void StreamQueues::forget_streams_of_ranks() {
  for (StreamQueue* const queue : active_) {
    std::erase_if(queue->streams_, [](const auto& one) { return one.rank >= 0; });
    queue->note_oldest();
  }
  pieces_.forget_streams_of_ranks();
}

// A link that is lost meanwhile has none any more.
bool StreamQueues::push() {
  if (active_.empty()) [[likely]]
    return false;
  bool more = false;
  for (std::size_t i = 0; i < active_.size(); ++i) more = active_[i]->push() || more;
  std::erase_if(active_, [](StreamQueue* queue) {
    queue->is_active_ = !queue->streams_.empty();
    return !queue->is_active_;
  });
  has_some_.store(!active_.empty(), std::memory_order_relaxed);
  return more;
}

}  // namespace armature::transport
