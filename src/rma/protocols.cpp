// The table of protocols. Every operation that is not inlined passes here. It is checked, and begun
// by the protocol that the table names for the place of its peer and the class of its size.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "image/copies.hpp"
#include "net/network.hpp"
#include "races/races.hpp"
#include "rma/in_order.hpp"
#include "rma/modelled.hpp"
#include "rma/pieces.hpp"
#include "rma/protocol.hpp"
#include "rma/remote.hpp"
#include "rma/write_stream.hpp"
#include "transport/limits.hpp"
#include "wait/rank_context.hpp"
#include "wait/recorded_links.hpp"

namespace armature::rma {
namespace {

/// The place of a rank's memory, seen from here.
enum class Place {
  here,     // in this process
  node,     // in another one, whose segments are mapped here
  network,  // on another node
  count
};

/// The class of a size, which decides how an operation is carried out.
enum class Size {
  brief,   // few bytes, or many short pieces: copied sooner than described
  word,    // 8 bytes at a multiple of 8, in one piece: may be worth an operation of the network's
  atomic,  // an atomic on such a word
  large,
  whole,  // in one piece, and worth an operation of the network's own
  runs,   // in several, each of which is worth one
  count
};

template <class E>
constexpr std::size_t index(E e) {
  return static_cast<std::size_t>(e);
}

class ProtocolTable {
 public:
  static constexpr std::size_t runtime_place = 1;

  ProtocolTable() {
    using Is = Memory::Is;
    fill(Place::here, Is::segment, load_store);
    fill(Place::here, Is::host, load_store);
    fill(Place::here, Is::routine, by_routine);
    fill(Place::node, Is::segment, load_store);
    fill(Place::node, Is::host, by_mapping);
    fill(Place::node, Is::routine, errand);
    for (const Is memory : {Is::segment, Is::host, Is::routine}) {
      fill(Place::network, memory, zero_copy);
      for (const Size size : {Size::brief, Size::word, Size::atomic})
        row(Place::network, memory)[index(size)] = &packet;
    }
  }
  /// The network can do these by itself.
  void use_engine(const EngineDoes& does) {
    Row& segments = row(Place::network, Memory::Is::segment);
    if (does.long_pieces) segments[index(Size::whole)] = segments[index(Size::runs)] = &engine;
    if (does.words) segments[index(Size::word)] = &engine_word;
    if (does.atomics) segments[index(Size::atomic)] = &engine_word;
  }
  [[nodiscard]] const Protocol& of(Place place, Memory::Is memory, Size size) const {
    return *protocols_[index(place)][index(memory)][index(size)];
  }

 private:
  using Row = std::array<const Protocol*, index(Size::count)>;
  Row& row(Place place, Memory::Is memory) { return protocols_[index(place)][index(memory)]; }
  void fill(Place place, Memory::Is memory, const Protocol& protocol) {
    row(place, memory).fill(&protocol);
  }

  std::array<std::array<Row, index(Memory::Is::count)>, index(Place::count)> protocols_{};
};

/// The place of a rank of this node. A virtual rank's memory is mapped in all processes of its
/// node, and so is their code.
Place place_on_node(Rank rank, Memory::Is memory, const char* call) {
  if (memory == Memory::Is::segment) return Place::here;  // or mapped here, which is the same
  const space::Mapping& mapping = wait::mapping(call);
  const bool is_here = mapping.header().ranks_are_virtual != 0 ||
                       mapping.slot(rank).pid.load(std::memory_order_relaxed) == getpid();
  return is_here ? Place::here : Place::node;
}

Place place_of(Rank rank, const Memory& memory, const char* call) {
  return memory.is_remote ? Place::network : place_on_node(rank, memory.is, call);
}

/// Returns what is known of a segment without a look at the address.
Memory segment_of(Rank rank, const char* call) {
  return {.is_remote = network_to(rank, call) != nullptr};
}

bool is_brief(std::span<const Iov> lists, Finish finish) {
  std::size_t bytes = 0;
  for (const Iov& pieces : lists) {
    if (!are_short(pieces.bytes)) return false;
    bytes += pieces.bytes * pieces.to.size();
  }
  // A caller that waits anyway copies as many as there are.
  return finish == Finish::now || is_copied(bytes);
}

/// Whether it is a word on the other side. Here it may lie anywhere: it is copied.
bool is_word(const Operation& what) {
  constexpr std::size_t word = sizeof(std::uint64_t);
  const void* const other = what.verb == Verb::get ? what.from : what.to;
  return what.subarray.row_bytes == word && reinterpret_cast<std::uintptr_t>(other) % word == 0;
}

/// The class of what is not copied.
Size size_of_long(const Operation& what) {
  const transport::Limits& limits = transport::Limits::get();
  if (what.verb == Verb::add || bytes_of_all(what) < limits.one_sided_min()) return Size::large;
  if (what.is_one_piece()) return Size::whole;
  const std::size_t run_min = limits.one_sided_run_min();
  const bool are_runs =
      what.is_list() ? std::ranges::all_of(what.lists,
                                           [&](const Iov& pieces) {
                                             return pieces.bytes >= run_min || pieces.to.empty();
                                           })
                     : what.subarray.row_bytes >= run_min;
  return are_runs ? Size::runs : Size::large;
}

Size size_of(const Operation& what, Finish finish) {
  if (what.is_list()) return is_brief(what.lists, finish) ? Size::brief : size_of_long(what);
  if (what.verb != Verb::add && what.is_one_piece() && is_word(what)) return Size::word;
  return is_copied(what.bytes()) ? Size::brief : size_of_long(what);
}

Memory check(const Operation& what) {
  const Remote side = what.verb == Verb::get ? Remote::from : Remote::to;
  if (what.is_list()) return check_iov(what.rank, what.lists, side, what.call());
  const void* const first = side == Remote::to ? what.to : what.from;
  if (what.subarray.levels == 0)
    return require(what.rank, first, what.subarray.row_bytes, what.call());
  const auto& strides = side == Remote::to ? what.subarray.to_strides : what.subarray.from_strides;
  const Reach touched = reach(what.subarray, strides, what.call());
  return require(what.rank, static_cast<const std::byte*>(first) + touched.below, touched.bytes,
                 what.call());
}

Memory check(const Atomic& what) {
  const auto* const address = reinterpret_cast<const void*>(what.record.address);
  const Memory memory = require(what.rank, address, what.record.bytes, what.call);
  if (what.record.address % what.record.bytes != 0)
    base::fail(
        Errc::bad_address,
        fmt::format("{}: {} of rank {} is not a multiple of {}: atomics need aligned addresses",
                    what.call, address, static_cast<int>(what.rank), what.record.bytes));
  return memory;
}

/// Requires that this side of an operation between nodes is there until its end.
void require_own_side(const Operation& what, Finish finish) {
  const bool is_get = what.verb == Verb::get;
  const Size size = size_of(what, finish);
  if (!is_get && (size == Size::brief || size == Size::word)) return;  // it is copied at once
  for (const Iov& pieces : what.lists)
    for (std::size_t i = 0; i < pieces.to.size(); ++i)
      require_lasting(is_get ? pieces.to[i] : pieces.from[i], pieces.bytes, what.call());
  if (what.is_list()) return;
  const void* const side = is_get ? what.to : what.from;
  Reach touched{0, what.subarray.row_bytes};
  if (what.subarray.levels != 0)
    touched = reach(what.subarray, is_get ? what.subarray.to_strides : what.subarray.from_strides,
                    what.call());
  require_lasting(static_cast<const std::byte*>(side) + touched.below, touched.bytes, what.call());
}

/// The model of a simulation that charges for it: not for a rank's own memory, nor for what only
/// routines touch.
wait::CostModel* model_of(Rank rank, const Memory& memory) {
  wait::CostModel* const model = wait::CostModel::of_job();
  if (model == nullptr || memory.is == Memory::Is::routine) [[likely]]
    return nullptr;
  const wait::RankContext* const me = wait::current_rank();
  return me == nullptr || me->space.me() == rank ? nullptr : model;
}

detail::Request* start(const Operation& what, const Memory& memory, Finish finish) {
  if (!what.is_list() && what.subarray.empty()) return nullptr;
  if (wait::records_links()) [[unlikely]]
    wait::record_link(what.rank, bytes_of_all(what));
  if (memory.is_remote && image::copies() != nullptr) require_own_side(what, finish);
  if (wait::CostModel* const model = model_of(what.rank, memory); model != nullptr) [[unlikely]]
    return start_modelled(*model, what, finish);
  return protocol_of(what, memory, finish).start(what, finish);
}

detail::Request* start(const Atomic& what, const Memory& memory, Finish finish,
                       std::uint64_t& found) {
  wait::record_link(what.rank, what.record.bytes);
  if (wait::CostModel* const model = model_of(what.rank, memory); model != nullptr) [[unlikely]]
    return start_modelled(*model, what, finish, found);
  const Size size = what.record.bytes == sizeof(std::uint64_t) ? Size::atomic : Size::brief;
  return base::state<ProtocolTable>()
      .of(place_of(what.rank, memory, what.call), memory.is, size)
      .start_atomic(what, finish, found);
}

}  // namespace

void choose_protocols(const EngineDoes& does) {
  ProtocolTable table;
  table.use_engine(does);
  base::state<ProtocolTable>() = table;
}

const Protocol& protocol_of(const Operation& what, const Memory& memory, Finish finish) {
  return base::state<ProtocolTable>().of(place_of(what.rank, memory, what.call()), memory.is,
                                         size_of(what, finish));
}

detail::Request* start(const Operation& what, Finish finish) {
  const Memory memory = check(what);
  if (races::looks()) [[unlikely]]
    return start_in_order(what, finish, [&] { return start(what, memory, finish); });
  return start(what, memory, finish);
}
void put_before_signal(const Operation& what) {
  const Memory memory = check(what);
  look_at_signalled(what);
  (void)start(what, memory, Finish::now);
}
detail::Request* start_good(const Operation& what, Finish finish) {
  return start(what, segment_of(what.rank, what.call()), finish);
}
detail::Request* start(const Atomic& what, Finish finish, std::uint64_t& found) {
  const Memory memory = check(what);
  if (races::looks()) [[unlikely]]
    return start_in_order(what, [&] { return start(what, memory, finish, found); });
  return start(what, memory, finish, found);
}
detail::Request* start_good(const Atomic& what, Finish finish, std::uint64_t& found) {
  return start(what, segment_of(what.rank, what.call), finish, found);
}

}  // namespace armature::rma
