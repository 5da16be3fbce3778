// Which protocol moves what. Every operation that is not inlined passes here: it is checked, and
// begun by the protocol that the table names for the place of its peer and the class of its size.
#include <array>
#include <cstddef>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "rma/far.hpp"
#include "rma/pieces.hpp"
#include "rma/protocol.hpp"
#include "rma/write_stream.hpp"
#include "transport/limits.hpp"
#include "wait/rank_context.hpp"

namespace armature::rma {
namespace {

/// Where the memory of a rank lies, seen from here.
enum class Place { node, network, count };

/// What a size means for the way an operation takes.
enum class Size {
  brief,  // few bytes, or many short pieces: copied sooner than described
  large,
  whole,  // in one piece, and worth an operation of the network's own
  count
};

template <class E>
constexpr std::size_t index(E e) {
  return static_cast<std::size_t>(e);
}

class Table {
 public:
  Table() {
    row(Place::node).fill(&load_store);
    row(Place::network) = {&packet, &zero_copy, &zero_copy};
  }
  /// The network can put and get by itself.
  void use_engine() { row(Place::network)[index(Size::whole)] = &engine; }
  [[nodiscard]] const Protocol& of(Place place, Size size) const {
    return *protocols_[index(place)][index(size)];
  }

 private:
  using Row = std::array<const Protocol*, index(Size::count)>;
  Row& row(Place place) { return protocols_[index(place)]; }

  std::array<Row, index(Place::count)> protocols_{};
};

Place place_of(Rank rank, const char* call) {
  return far(rank, call) == nullptr ? Place::node : Place::network;
}

bool is_brief(std::span<const Segments> lists, Finish finish) {
  std::size_t bytes = 0;
  for (const Segments& pieces : lists) {
    if (!are_short(pieces.bytes)) return false;
    bytes += pieces.bytes * pieces.to.size();
  }
  // Who waits anyway copies as many as there are.
  return finish == Finish::now || is_copied(bytes);
}

Size size_of(const Operation& what, Finish finish) {
  if (what.is_list()) return is_brief(what.lists, finish) ? Size::brief : Size::large;
  const std::size_t bytes = what.bytes();
  if (is_copied(bytes)) return Size::brief;
  const bool is_whole = what.verb != Verb::add && what.is_one_piece() &&
                        bytes >= transport::Limits::get().one_sided_min();
  return is_whole ? Size::whole : Size::large;
}

void check(const Operation& what) {
  const Remote side = what.verb == Verb::get ? Remote::from : Remote::to;
  if (what.is_list()) return check_segments(what.rank, what.lists, side, what.call());
  const void* const first = side == Remote::to ? what.to : what.from;
  if (what.section.levels == 0)
    return require(what.rank, first, what.section.row_bytes, what.call());
  const auto& strides = side == Remote::to ? what.section.to_strides : what.section.from_strides;
  const Reach touched = reach(what.section, strides, what.call());
  require(what.rank, static_cast<const std::byte*>(first) + touched.below, touched.bytes,
          what.call());
}

void check(const Atomic& what) {
  const auto* const address = reinterpret_cast<const void*>(what.record.address);
  require(what.rank, address, what.record.bytes, what.call);
  if (what.record.address % what.record.bytes != 0)
    base::fail(
        Errc::bad_address,
        fmt::format("{}: {} of rank {} is not a multiple of {}: atomics need aligned addresses",
                    what.call, address, static_cast<int>(what.rank), what.record.bytes));
}

}  // namespace

void choose_protocols(bool engine_is_one_sided) {
  Table table;
  if (engine_is_one_sided) table.use_engine();
  base::state<Table>() = table;
}

const Protocol& protocol_of(const Operation& what, Finish finish) {
  return base::state<Table>().of(place_of(what.rank, what.call()), size_of(what, finish));
}

detail::Request* start(const Operation& what, Finish finish) {
  check(what);
  return start_good(what, finish);
}

detail::Request* start_good(const Operation& what, Finish finish) {
  if (!what.is_list() && what.section.empty()) return nullptr;
  return protocol_of(what, finish).start(what, finish);
}

detail::Request* start(const Atomic& what, Finish finish, std::uint64_t& found) {
  check(what);
  return start_good(what, finish, found);
}

detail::Request* start_good(const Atomic& what, Finish finish, std::uint64_t& found) {
  return base::state<Table>()
      .of(place_of(what.rank, what.call), Size::brief)
      .start_atomic(what, finish, found);
}

}  // namespace armature::rma
