// Transfers by the engine's own put and get.
//
// Such a transfer does not travel with the records, so it must neither overtake those before it nor
// be overtaken: it begins when all of them are acknowledged, and a call returns when its bytes are
// where they belong.
//
// The engine moves runs of bytes that are contiguous on both sides. A strided transfer or a list of
// pieces is many runs, which are handed to the engine together: the network gathers what is sent
// and scatters what comes, and nothing is packed.
#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>

#include "armature/error.hpp"
#include "rma/engine_transfer.hpp"
#include "rma/protocol.hpp"
#include "rma/remote.hpp"
#include "rma/rows.hpp"

namespace armature::rma {

using transport::Engine;
using Run = Engine::Run;

namespace {

/// Runs that are handed to the engine together.
constexpr std::size_t runs_at_once = 64;

/// Parts that the engine has at a time, of a transfer whose caller waits: chunks of a long one, or
/// runs.
std::size_t parts_max(const Operation& what) { return what.is_one_piece() ? 4 : 4 * runs_at_once; }

/// Parts that the engine has of one that completes later. Beyond that its start waits for the
/// oldest, so that what the engine notes of each is bounded.
constexpr std::size_t later_parts_max = 4096;

/// run(run) for all that an operation moves.
template <class F>
void for_each_run(const Operation& what, F run) {
  for_each_rows(what, [&](const Rows& rows) {
    for (std::size_t i = 0; i < rows.count; ++i) {
      std::byte* const to = rows.row_to(i);
      std::byte* const from = const_cast<std::byte*>(rows.row_from(i));  // which is only read
      const bool is_put = what.verb == Verb::put;
      run(Run{.there = reinterpret_cast<std::uint64_t>(is_put ? to : from),
              .here = is_put ? from : to,
              .bytes = rows.row_bytes});
    }
  });
}

/// The end of the chunk with that address.
std::uint64_t end_of_chunk(const Network& net, Rank rank, std::uint64_t address) {
  return address + part_in_chunk(net, rank, address, SIZE_MAX);
}

/// part(run) for the parts of a run, each within a chunk.
template <class F>
void for_each_part_in_chunk(const Network& net, Rank rank, Run run, F part) {
  while (run.bytes > 0) {
    const std::size_t bytes = part_in_chunk(net, rank, run.there, run.bytes);
    part(Run{run.there, run.here, bytes});
    run = {run.there + bytes, run.here + bytes, run.bytes - bytes};
  }
}

/// Whether the engine reaches all that a transfer touches, before any of it begins.
bool is_reached(Network& net, const Operation& what) {
  bool is_all = true;
  std::uint64_t last_end = 0;
  for_each_run(what, [&](const Run& run) {
    for_each_part_in_chunk(net, what.rank, run, [&](const Run& part) {
      const std::uint64_t end = end_of_chunk(net, what.rank, part.there);
      if (!is_all || std::exchange(last_end, end) == end) return;
      is_all = key_of(net, what.rank, part.there, what.call()).rkey != nullptr;
    });
  });
  return is_all;
}

/// Hands the runs of a transfer to the engine, as many as lie in one chunk together.
class Starting {
 public:
  Starting(Network& net, const Operation& what, std::size_t parts_max, UnderWay& transfer)
      : net_(net), what_(what), parts_max_(parts_max), transfer_(transfer) {}

  /// An error leaves this once what has begun is over: the engine knows the transfer until then.
  void start_all() {
    std::exception_ptr failure;
    try {
      for_each_run(what_, [&](const Run& run) {
        for_each_part_in_chunk(net_, what_.rank, run, [&](const Run& part) { add(part); });
      });
      start_gathered();
    } catch (const Error&) {
      failure = std::current_exception();
    }
    if (failure == nullptr) return;
    transfer_.await(net_, 0, what_.call());
    std::rethrow_exception(failure);
  }

 private:
  void add(const Run& part) {
    const std::uint64_t end = end_of_chunk(net_, what_.rank, part.there);
    const bool is_other_chunk = std::exchange(chunk_end_, end) != end;
    if (is_other_chunk || count_ == runs_.size()) start_gathered();
    runs_[count_++] = part;
  }
  void start_gathered() {
    const auto runs = std::span(runs_).first(std::exchange(count_, 0));
    // Few are waited for where few may be under way.
    const std::size_t at_once = std::min(runs.size(), parts_max_);
    for (std::size_t i = 0; i < runs.size(); i += at_once)
      start(runs.subspan(i, std::min(at_once, runs.size() - i)));
  }
  /// Goes by records where the engine does not reach them from the process that the rank is in by
  /// now, or cannot use the caller's memory.
  void start(std::span<const Run> runs) {
    transfer_.await(net_, parts_max_ - runs.size(), what_.call());
    const auto hand_over = [&](Engine& engine, const EngineKey& key) {
      const std::uint64_t token = transfer_.begin(runs.size());
      const bool is_taken = what_.verb == Verb::put
                                ? engine.put(key.process, key.rkey, runs, token)
                                : engine.get(key.process, key.rkey, runs, token);
      if (!is_taken) transfer_.take_back(runs.size());
      return is_taken;
    };
    is_reached_ = is_reached_ &&
                  begin_with_key(net_, what_.rank, runs.front().there, what_.call(), hand_over);
    if (is_reached_) return;
    for (const Run& run : runs) {
      auto* const there = reinterpret_cast<std::byte*>(run.there);
      const bool is_put = what_.verb == Verb::put;
      const OnePiece piece{is_put ? there : run.here, is_put ? run.here : there, run.bytes};
      (void)zero_copy.start(operation_on(what_.verb, what_.rank, piece, what_.update), Finish::now);
    }
  }

  Network& net_;
  const Operation& what_;
  std::size_t parts_max_;
  UnderWay& transfer_;
  bool is_reached_ = true;
  // Those that wait for others of their chunk.
  std::array<Run, runs_at_once> runs_;
  std::size_t count_ = 0;
  std::uint64_t chunk_end_ = 0;
};

void transfer_now(Network& net, const Operation& what) {
  net.flush().records_to(what.rank, what.call());
  UnderWay transfer;
  Starting(net, what, parts_max(what), transfer).start_all();
  transfer.await(net, 0, what.call());
  net.peers().require_reachable(what.rank, what.call());
}

/// A transfer behind a handle.
struct LaterTransfer final : detail::Request, UnderWay {
  LaterTransfer(Rank other, Verb is) : rank(other), verb(is) {
    is_complete = [](Request& request) {
      return static_cast<LaterTransfer&>(request).parts() == 0;
    };
    check = [](Request& request) {
      const auto& transfer = static_cast<LaterTransfer&>(request);
      net::network()->peers().require_reachable(transfer.rank,
                                                transfer.verb == Verb::put ? "put" : "get");
    };
    release = [](Request& request) { delete &static_cast<LaterTransfer&>(request); };
  }
  Rank rank;
  Verb verb;
};

detail::Request* transfer_later(Network& net, const Operation& what) {
  wait::make_room_for_operation(bytes_of_all(what), what.call());
  net.flush().records_to(what.rank, what.call());
  auto transfer = std::make_unique<LaterTransfer>(what.rank, what.verb);
  transfer->count(bytes_of_all(what));
  Starting(net, what, later_parts_max, *transfer).start_all();
  net.thread().leave_to_thread();
  return transfer.release();
}

/// Begins an operation by the engine. If the target cannot let the engine reach that memory, the
/// operation goes by the zero-copy protocol.
detail::Request* start_engine(const Operation& what, Finish finish) {
  Network& net = *net::network();
  if (!is_reached(net, what)) return zero_copy.start(what, finish);
  if (finish == Finish::later) return transfer_later(net, what);
  transfer_now(net, what);
  return nullptr;
}

}  // namespace

const Protocol engine{.name = "engine", .start = start_engine, .start_atomic = nullptr};

}  // namespace armature::rma
