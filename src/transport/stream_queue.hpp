#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "transport/stream.hpp"

// The order of records of streams: which one comes next on one link, and on all links of a process.
// All of it is under the links' lock, unless said otherwise.

namespace armature::transport {

/// Pieces for the streams of all links. A piece that was let go of is used again with its memory.
class PiecePool {
 public:
  PiecePool() = default;
  PiecePool(const PiecePool&) = delete;
  PiecePool& operator=(const PiecePool&) = delete;
  ~PiecePool() = default;

  /// A piece for the next record of that stream.
  [[nodiscard]] Piece& take(StreamQueue& queue, Stream& stream, int rank);
  void give_back(Piece& piece);
  /// The pieces under way have nobody left to tell: those of one stream, or of all ranks.
  void forget(const Stream& stream);
  void forget_streams_of_ranks();

 private:
  static constexpr std::size_t kept_max = 32;  // with their memory
  std::vector<std::unique_ptr<Piece>> pieces_;
  std::vector<Piece*> free_;
};

class StreamQueues;

/// The streams of one link that have records left. They take turns, so that a short one does not
/// wait for all of a long one.
class StreamQueue {
 public:
  /// `packets_queued`: packets of the link that the engine has not taken yet.
  StreamQueue(Link& link, StreamQueues& all, const std::atomic<std::size_t>& packets_queued)
      : link_(link), all_(all), packets_queued_(packets_queued) {}
  StreamQueue(const StreamQueue&) = delete;
  StreamQueue& operator=(const StreamQueue&) = delete;
  ~StreamQueue() = default;

  /// While so many packets are queued streams wait: the rest is for short records.
  static constexpr std::size_t packets_queued_max = 32;

  /// From now on the stream is asked for its records, by push(). `rank`: whose it is and in whose
  /// memory it lies; -1: of the process.
  void begin(Stream& stream, int rank);
  /// Sends what the engine should have by now, in turns so short that who polls does other things,
  /// too. True when the turn is over and the engine should have more.
  bool push();
  /// The link has failed: nothing of them is sent any more.
  void cut();

  // Not only under the lock.
  [[nodiscard]] bool any() const { return oldest() != UINT64_MAX; }
  /// The number of the oldest stream that has not been sent; UINT64_MAX: there is none.
  [[nodiscard]] std::uint64_t oldest() const { return oldest_.load(std::memory_order_acquire); }

  /// How many have begun so far, which is the number of the last.
  [[nodiscard]] std::uint64_t begun() const { return begun_; }
  /// Whether that rank has one.
  [[nodiscard]] bool has_of(int rank) const;

 private:
  friend class PiecePool;
  friend class StreamQueues;
  struct Streaming {
    Stream* stream;
    int rank;
    std::uint64_t number;
  };
  void note_oldest();
  static void end_if_over(Stream& stream);

  Link& link_;
  StreamQueues& all_;
  const std::atomic<std::size_t>& packets_queued_;
  std::vector<Streaming> streams_;
  std::uint64_t begun_ = 0;
  std::atomic<std::uint64_t> oldest_ = UINT64_MAX;
  std::size_t turn_ = 0;    // of that one, among streams_
  std::size_t pieces_ = 0;  // under way
  bool pushes_ = false;
  bool is_active_ = false;  // it is among StreamQueues::active_
};

/// The streams of all links of a process.
class StreamQueues {
 public:
  StreamQueues() = default;
  StreamQueues(const StreamQueues&) = delete;
  StreamQueues& operator=(const StreamQueues&) = delete;
  ~StreamQueues() = default;

  /// StreamQueue::push() of each; true when one of them should go on.
  bool push();
  /// Whether streams have records left, or had when somebody looked last. Not only under the lock.
  [[nodiscard]] bool any() const { return has_some_.load(std::memory_order_relaxed); }
  /// Nobody waits for that one any more, and it is about to end.
  void forget(const Stream& stream);
  /// Ranks roll back to what they were: their streams do not lie where they lay.
  void forget_streams_of_ranks();

  /// Called when all records of a stream have been sent, of several perhaps once.
  void (*on_sent)(Link& link) = nullptr;

 private:
  friend class PiecePool;
  friend class StreamQueue;
  PiecePool pieces_;
  std::vector<StreamQueue*> active_;    // all that have streams, and others that had
  std::atomic<bool> has_some_ = false;  // there are such
};

}  // namespace armature::transport
