#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "armature/iov.hpp"
#include "armature/rank.hpp"
#include "net/network.hpp"
#include "rma/operation.hpp"
#include "rma/protocol.hpp"
#include "rma/remote_records.hpp"
#include "rma/subarray.hpp"
#include "transport/stream.hpp"
#include "wait/outstanding.hpp"
#include "wait/request.hpp"

namespace armature::rma {

using net::Network;

/// A long put or accumulate to another node, which reads the caller's memory as it is sent. Of the
/// rank that has begun it, which may wait for it in another process of its node.
class WriteStream : public transport::Stream {
 public:
  ~WriteStream() override;
  /// Blocks until `from` may be changed. Throws Error(rank_lost) when the rank was lost meanwhile.
  void wait();
  /// Acquire: the engine reads the caller's memory no more.
  [[nodiscard]] bool is_over() const { return is_over_.load(std::memory_order_acquire); }
  /// Throws that error when it is so.
  void check() const;
  void begin(Network::Start how);
  /// The stream counts as an operation of so many bytes until it is over. To be called before it
  /// begins.
  void count(std::size_t bytes) { charge_.begin(bytes); }

 protected:
  WriteStream(Rank rank, const Update& update);

  void lend(transport::Link& link, transport::Piece& piece, const WriteRecord& record,
            const std::byte* from, bool is_last) const;
  /// The rows of a record, which the engine gathers.
  void lend_gathered(transport::Link& link, transport::Piece& piece, const WriteRecord& record,
                     const std::byte* from, std::ptrdiff_t stride, bool is_last) const;
  [[nodiscard]] Rank rank() const { return rank_; }
  [[nodiscard]] int sender() const { return sender_; }

  WriteRecord record_{};  // how it is added, for all that it sends

 private:
  void ended() final;

  Rank rank_;
  int sender_;
  const char* call_;
  wait::Charge charge_;
  std::atomic<bool> is_over_ = true;
};

/// A write of a subarray, or of one row.
class SubarrayWrite : public WriteStream {
 public:
  SubarrayWrite(Rank rank, void* to, const void* from, const Subarray& subarray,
                const Update& update);

 protected:
  [[nodiscard]] bool send_next(transport::Link& link, transport::Piece& piece) override;

 private:
  [[nodiscard]] bool send_part_of_row(transport::Link& link, transport::Piece& piece);
  [[nodiscard]] bool send_rows(transport::Link& link, transport::Piece& piece);
  [[nodiscard]] bool skip_rows(std::size_t rows);

  std::byte* to_;
  const std::byte* from_;
  Subarray subarray_;
  std::array<std::size_t, Strided::levels_max> index_{};
  std::size_t sent_of_row_ = 0;
  std::size_t left_;
};

/// A write of a list of pieces. The list may be gone when the call has returned.
class ListWrite : public WriteStream {
 public:
  ListWrite(Rank rank, const Iov& pieces, const Update& update);

 private:
  [[nodiscard]] bool send_next(transport::Link& link, transport::Piece& piece) override;

  std::vector<void*> to_;
  std::vector<const void*> from_;
  std::size_t bytes_;
  std::size_t at_ = 0;
  std::size_t sent_of_piece_ = 0;
  std::size_t left_;
};

/// One behind a handle.
template <class Write>
struct LaterWrite final : detail::Request, Write {
  template <class... Arguments>
  explicit LaterWrite(const Arguments&... arguments) : Write(arguments...) {
    is_complete = [](Request& request) { return static_cast<LaterWrite&>(request).is_over(); };
    Request::check = [](Request& request) {
      static_cast<LaterWrite&>(request).WriteStream::check();
    };
    release = [](Request& request) { delete &static_cast<LaterWrite&>(request); };
  }
};

/// Begins a stream of so many bytes. A caller that waits at once needs no room among the streams
/// under way, and gets nullptr.
template <class Write, class... Arguments>
detail::Request* begin_stream(Finish finish, std::size_t bytes, const char* call,
                              const Arguments&... arguments) {
  if (finish == Finish::now) {
    Write write(arguments...);
    write.begin(Network::Start::now);
    write.wait();
    return nullptr;
  }
  wait::make_room_for_operation(bytes, call);
  auto write = std::make_unique<LaterWrite<Write>>(arguments...);
  write->count(bytes);
  write->begin(Network::Start::beside);
  return write.release();
}

/// Whether so many bytes are copied into packets at once, rather than read later.
[[nodiscard]] bool is_copied(std::size_t bytes);
/// How many rows the engine gathers at a time; 0: none.
[[nodiscard]] std::size_t gathered_max();
[[nodiscard]] WriteRecord record_of(const Update& update);

/// Whether pieces of a list are short enough for packets, of which each has room for one at least.
[[nodiscard]] bool are_short(std::size_t piece_bytes);
struct Route {
  Rank to;
  int sender;
};
/// Copies the first pieces of a list into a record, as many as a packet has room for, and returns
/// how many. `how` says how they are added.
std::size_t append_pieces(transport::Link& link, const Route& route, const WriteRecord& how,
                          const Iov& pieces);

}  // namespace armature::rma
