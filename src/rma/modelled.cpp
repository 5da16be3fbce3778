// A put of one piece is copied at once and stored when it arrives, as a record between nodes would
// be; what has another shape is packed in the same way, piece by piece. Invariant: a caller's
// memory is read before start_modelled returns, but for what a get writes, which is its owner's
// until the request is complete.
#include "rma/modelled.hpp"

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "armature/handle.hpp"
#include "rma/iov_cursor.hpp"
#include "rma/local.hpp"
#include "rma/rows.hpp"
#include "wait/rank_context.hpp"
#include "wait/wait.hpp"

namespace armature::rma {
namespace {

struct Modelled : detail::Request {
  Modelled() {
    is_complete = [](Request& request) { return static_cast<Modelled&>(request).self->is_done; };
    check = [](Request& request) { request.value = static_cast<Modelled&>(request).self->value; };
    release = [](Request& request) { delete static_cast<Modelled*>(&request); };
  }
  /// The event at the end writes this: a handle may be abandoned before.
  struct State {
    bool is_done = false;
    std::uint64_t value = 0;
  };
  std::shared_ptr<State> self = std::make_shared<State>();
};

/// nullptr once it is complete, where that is to be now.
detail::Request* finish_modelled(std::unique_ptr<Modelled> request, Finish finish, Rank rank,
                                 const char* call) {
  if (finish == Finish::later) return request.release();
  wait::WaitFor wait{.what = space::Awaiting::completion, .peer = rank, .call = call};
  wait::wait_until(wait, [&] { return request->self->is_done; });
  return nullptr;
}

/// The pieces of an operation, of both sides.
std::vector<OnePiece> pieces_of(const Operation& what) {
  std::vector<OnePiece> pieces;
  const auto add_piece = [&](void* to, const void* from, std::size_t bytes) {
    pieces.push_back({to, from, bytes});
  };
  if (what.is_list()) {
    for (const Iov& list : what.lists)
      for (std::size_t i = 0; i < list.to.size(); ++i)
        add_piece(list.to[i], list.from[i], list.bytes);
  } else if (what.is_one_piece()) {
    add_piece(what.to, what.from, what.subarray.row_bytes);
  } else {
    for_each_row(static_cast<std::byte*>(what.to), static_cast<const std::byte*>(what.from),
                 what.subarray, [&](std::byte* to, const std::byte* from) {
                   add_piece(to, from, what.subarray.row_bytes);
                 });
  }
  return pieces;
}

std::size_t bytes_of(const std::vector<OnePiece>& pieces) {
  std::size_t bytes = 0;
  for (const OnePiece& piece : pieces) bytes += piece.bytes;
  return bytes;
}

/// The local side of a put or an accumulate, copied.
struct Packed {
  explicit Packed(std::vector<OnePiece> all) : pieces(std::move(all)), bytes(bytes_of(pieces)) {
    std::byte* at = bytes.data();
    for (OnePiece& piece : pieces) {
      std::memcpy(at, piece.from, piece.bytes);
      piece.from = at;
      at += piece.bytes;
    }
  }
  std::vector<OnePiece> pieces;
  std::vector<std::byte> bytes;
};

/// An accumulate's scale, which the caller may let go of.
struct Scale {
  std::byte bytes[16] = {};
  bool is_there = false;
};

void send_put(wait::CostModel& model, const Operation& what, std::vector<OnePiece> pieces) {
  auto packed = std::make_shared<Packed>(std::move(pieces));
  model.send(what.rank, packed->bytes.size(), [packed] {
    for (const OnePiece& piece : packed->pieces) put_local(piece.to, piece.from, piece.bytes);
  });
}

/// The elements are added as the rank that has sent them.
void send_add(wait::CostModel& model, const Operation& what, std::vector<OnePiece> pieces) {
  auto packed = std::make_shared<Packed>(std::move(pieces));
  auto scale = std::make_shared<Scale>();
  if (what.update.scale != nullptr) {
    const std::size_t bytes = std::size_t{1}
                              << element_shift(static_cast<detail::Element>(what.update.element));
    std::memcpy(scale->bytes, what.update.scale, bytes);
    scale->is_there = true;
  }
  wait::RankContext* const me = wait::current_rank();
  model.send(what.rank, packed->bytes.size(),
             [packed, scale, me, rank = what.rank, update = what.update]() mutable {
               if (scale->is_there) update.scale = scale->bytes;
               wait::set_this_rank(me);
               for (const OnePiece& piece : packed->pieces) add_local(rank, piece, update);
               wait::set_this_rank(nullptr);
             });
}

}  // namespace

detail::Request* start_modelled(wait::CostModel& model, const Operation& what, Finish finish) {
  std::vector<OnePiece> pieces = pieces_of(what);
  if (what.verb == Verb::put) return send_put(model, what, std::move(pieces)), nullptr;
  if (what.verb == Verb::add) return send_add(model, what, std::move(pieces)), nullptr;
  auto request = std::make_unique<Modelled>();
  const std::size_t bytes = bytes_of(pieces);
  model.fetch(
      what.rank, bytes,
      [all = std::move(pieces)] {
        for (const OnePiece& piece : all) get_local(piece.to, piece.from, piece.bytes);
      },
      [state = request->self] { state->is_done = true; });
  return finish_modelled(std::move(request), finish, what.rank, what.call());
}

detail::Request* start_modelled(wait::CostModel& model, const Atomic& what, Finish finish,
                                std::uint64_t& found) {
  auto request = std::make_unique<Modelled>();
  model.fetch(
      what.rank, what.record.bytes,
      [record = what.record, state = request->self] {
        state->value = perform_local(reinterpret_cast<void*>(record.address), record);
      },
      [state = request->self] { state->is_done = true; });
  const auto state = request->self;
  detail::Request* const left = finish_modelled(std::move(request), finish, what.rank, what.call);
  found = state->value;
  return left;
}

}  // namespace armature::rma
