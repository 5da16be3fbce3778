// Serves operations of ranks on other nodes, with the same instructions that ranks of its own node
// use. So atomics and accumulates on one place are atomic with respect to each other wherever they
// come from. Runs under the links' lock, in whatever thread polls. It never waits except for the
// lock of a chunk, which is held for the time of a copy.
#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "armature/atomic.hpp"
#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "net/network.hpp"
#include "rma/adder.hpp"
#include "rma/answer.hpp"
#include "rma/copied.hpp"
#include "rma/iov_cursor.hpp"
#include "rma/known_exposures.hpp"
#include "rma/memory.hpp"
#include "rma/pending_requests.hpp"
#include "rma/remote.hpp"
#include "rma/remote_lock.hpp"
#include "rma/rows.hpp"
#include "rma/serve_check.hpp"
#include "rma/subarray.hpp"
#include "rma/target.hpp"
#include "wait/notifier.hpp"

namespace armature::rma {

using base::fail;
using net::network;
using transport::Arrived;
using transport::Link;

namespace {

const space::Mapping& mapping() { return network()->mapping(); }

/// The memory, which the sender has checked: what is wrong has not been sent by us, or is not
/// exposed any more.
Memory checked(const Arrived& arrived, std::uint64_t address, std::uint64_t bytes) {
  const auto memory = memory_at(mapping(), arrived.record.to, address, bytes);
  if (!memory)
    fail(Errc::corrupt,
         fmt::format("process {} wants {} bytes at {:#x} of rank {}, which are not there",
                     arrived.process, bytes, address, arrived.record.to));
  return *memory;
}

/// All that rows touch.
struct Touched {
  Memory memory;
  Reach reach;  // around the first row
};
Touched check_rows(const Arrived& arrived, std::uint64_t address, const IovCursor::Levels& levels,
                   std::size_t row_bytes) {
  Subarray subarray;
  subarray.row_bytes = row_bytes;
  subarray.levels = levels.levels;
  subarray.counts = levels.counts;
  Reach all{};
  try {
    all = reach(subarray, levels.strides, "get");
  } catch (const Error&) {
    fail(Errc::corrupt, fmt::format("process {} names rows of rank {} that reach too far",
                                    arrived.process, arrived.record.to));
  }
  return {checked(arrived, address + static_cast<std::uint64_t>(all.below), all.bytes), all};
}

/// The rank may wait for a word that has been written for it.
void tell_of_value(const Arrived& arrived) {
  wait::notify_of_value(mapping().slot(arrived.record.to));
}

Target target_of(const Arrived& arrived, const Memory& memory) {
  return Target(mapping(), Rank(arrived.record.to), memory.kind, {arrived.record.to, await_chunk});
}

std::byte* pointer(std::uint64_t address) { return reinterpret_cast<std::byte*>(address); }

/// How the bytes of a record are added: daxpy wants its source aligned.
class Source {
 public:
  std::span<const std::byte> aligned(std::span<const std::byte> bytes) {
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % 16 == 0) return bytes;
    count_copied_in(bytes.size());
    copy_.resize(bytes.size() / sizeof(Block) + 1);
    std::memcpy(copy_.data(), bytes.data(), bytes.size());
    return {reinterpret_cast<const std::byte*>(copy_.data()), bytes.size()};
  }

 private:
  struct alignas(16) Block {
    std::byte bytes[16];
  };
  std::vector<Block> copy_;
};

void on_put(const Arrived& arrived) {
  const auto record = arrived.head<PutRecord>();
  const auto bytes = arrived.rest(sizeof record);
  const Memory memory = checked(arrived, record.address, bytes.size());
  target_of(arrived, memory)
      .write({.to = pointer(record.address), .from = bytes.data(), .row_bytes = bytes.size()});
  count_copied_in(bytes.size());
  tell_of_value(arrived);
}

std::uint32_t element_of(std::uint32_t number) {
  if (number > static_cast<std::uint32_t>(detail::Element::complex128))
    fail(Errc::corrupt, fmt::format("an accumulate of elements of kind {}", number));
  return number;
}

void write_or_add(const Arrived& arrived) {
  const auto record = arrived.head<WriteRecord>();
  const auto bytes = arrived.rest(sizeof record);
  IovCursor::Levels levels;
  levels.levels = 1;
  levels.counts[0] = record.rows;
  levels.strides[0] = record.stride;
  std::size_t all = 0;
  if (record.rows == 0 || __builtin_mul_overflow(record.rows, record.row_bytes, &all) ||
      all != bytes.size())
    fail(Errc::corrupt, fmt::format("{} bytes for {} rows", bytes.size(), record.rows));
  const Target target =
      target_of(arrived, check_rows(arrived, record.address, levels, record.row_bytes).memory);
  Rows rows{.to = pointer(record.address),
            .from = bytes.data(),
            .to_stride = record.stride,
            .from_stride = static_cast<std::ptrdiff_t>(record.row_bytes),
            .row_bytes = record.row_bytes,
            .count = record.rows};
  if (record.element == no_element) {
    target.write(rows);
    return count_copied_in(bytes.size());
  }
  rows.from = base::state<Source>().aligned(bytes).data();
  target.add(rows, {.element = element_of(record.element), .scale = record.scale});
}

void on_write(const Arrived& arrived) {
  write_or_add(arrived);
  tell_of_value(arrived);
}

void write_or_add_pieces(const Arrived& arrived) {
  const auto record = arrived.head<PiecesRecord>();
  const auto rest = arrived.rest(sizeof record);
  const std::size_t addresses = std::size_t{record.count} * sizeof(std::uint64_t);
  std::size_t all = 0;
  if (record.count == 0 || __builtin_mul_overflow(record.count, record.piece_bytes, &all) ||
      rest.size() < addresses || rest.size() - addresses != all)
    fail(Errc::corrupt, fmt::format("{} bytes for {} pieces", rest.size(), record.count));
  const auto bytes = rest.subspan(addresses);
  const auto place = [&](std::size_t i) {
    std::uint64_t address = 0;
    std::memcpy(&address, rest.data() + i * sizeof address, sizeof address);
    return address;
  };
  const auto rows_of = [&](std::size_t i, const std::byte* from) {
    return Rows{.to = pointer(place(i)),
                .from = from + i * record.piece_bytes,
                .row_bytes = record.piece_bytes};
  };
  if (record.element == no_element) {
    for (std::size_t i = 0; i < record.count; ++i)
      target_of(arrived, checked(arrived, place(i), record.piece_bytes))
          .write(rows_of(i, bytes.data()));
    return count_copied_in(bytes.size());
  }
  const Update update{.element = element_of(record.element), .scale = record.scale};
  const auto from = base::state<Source>().aligned(bytes);
  // A segment is asked for where there is such a rank.
  (void)checked(arrived, place(0), record.piece_bytes);
  // Holds a chunk's lock from piece to piece.
  Adder adder(static_cast<detail::Element>(update.element), Rank(arrived.record.to), update.scale,
              mapping(), arrived.record.to, await_chunk);
  for (std::size_t i = 0; i < record.count; ++i) {
    const Memory memory = checked(arrived, place(i), record.piece_bytes);
    const Rows rows = rows_of(i, from.data());
    if (memory.kind == nullptr) {
      adder.add(rows.to, rows.from, rows.row_bytes);
    } else {
      adder.let_go();  // it may be the same one
      target_of(arrived, memory).add(rows, update);
    }
  }
}

void on_pieces(const Arrived& arrived) {
  write_or_add_pieces(arrived);
  tell_of_value(arrived);
}

void answer_nothing(const Arrived& request, std::uint64_t number) {
  network()
      ->links()
      .to(request.process)
      .post(Kind::data, request.record.to, request.record.from, DataRecord{number},
            Link::Ack::none);
}

/// Room for what is read by routines, before it is sent.
std::vector<std::byte> room_for(const Arrived& request, std::size_t bytes) {
  try {
    return std::vector<std::byte>(bytes);
  } catch (const std::bad_alloc&) {
    fail(Errc::out_of_memory, fmt::format("process {} wants {} bytes of rank {} at a time",
                                          request.process, bytes, request.record.to));
  }
}

std::vector<std::byte> read_all(const Arrived& request, const MemoryKind& kind, IovCursor from,
                                std::size_t bytes) {
  std::vector<std::byte> read = room_for(request, bytes);
  count_copied_out(bytes);
  for (std::size_t at = 0; at < bytes;) {
    const auto run = from.next();
    kind.read(read.data() + at, run.data(), run.size());
    at += run.size();
    from.skip(run.size());
  }
  return read;
}

/// Answers from memory that only routines touch. Where rows overlap, all that they touch is read
/// once: the answer may be longer than any memory.
void answer_by_routine(const Arrived& request, const GetRecord& record, const Touched& touched,
                       const IovCursor::Levels& levels, std::size_t bytes) {
  const MemoryKind& kind = *touched.memory.kind;
  std::byte* const first = pointer(record.address);
  const auto [below, touched_bytes] = touched.reach;
  if (bytes <= touched_bytes) {
    const IovCursor from = IovCursor::subarray(first, record.row_bytes, levels);
    return answer_held(request, record.request, read_all(request, kind, from, bytes));
  }
  const IovCursor all = IovCursor::contiguous(first + below, touched_bytes);
  std::vector<std::byte> held = read_all(request, kind, all, touched_bytes);
  const IovCursor from = IovCursor::subarray(held.data() - below, record.row_bytes, levels);
  answer(request, record.request, from, bytes, std::move(held));
}

void on_get(const Arrived& arrived) {
  GetRecord record{};
  arrived.require(offsetof(GetRecord, level));
  std::memcpy(&record, arrived.body.data(), std::min(sizeof record, arrived.body.size()));
  if (record.levels > Strided::levels_max) fail(Errc::corrupt, "a get of too many levels");
  IovCursor::Levels levels;
  levels.levels = record.levels;
  std::size_t bytes = record.row_bytes;
  for (std::size_t level = 0; level < record.levels; ++level) {
    levels.counts[level] = record.level[level].count;
    levels.strides[level] = record.level[level].stride;
    if (__builtin_mul_overflow(bytes, levels.counts[level], &bytes))
      fail(Errc::corrupt, "a get of more than can be");
  }
  if (bytes == 0) return answer_nothing(arrived, record.request);
  const Touched touched = check_rows(arrived, record.address, levels, record.row_bytes);
  if (touched.memory.kind != nullptr)
    return answer_by_routine(arrived, record, touched, levels, bytes);
  answer(arrived, record.request,
         IovCursor::subarray(pointer(record.address), record.row_bytes, levels), bytes);
}

void on_gather(const Arrived& arrived) {
  const auto record = arrived.head<GatherRecord>();
  const auto list = arrived.rest(sizeof record);
  if (record.count > list.size() / sizeof(std::uint64_t)) fail(Errc::corrupt, "a short gather");
  std::vector<std::byte*> pieces(record.count);
  std::vector<Memory> memories(record.count);
  bool all_by_loads = true;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    std::uint64_t address = 0;
    std::memcpy(&address, list.data() + i * sizeof address, sizeof address);
    memories[i] = checked(arrived, address, record.piece_bytes);
    all_by_loads = all_by_loads && memories[i].kind == nullptr;
    pieces[i] = pointer(address);
  }
  const std::size_t bytes = record.count * record.piece_bytes;
  if (bytes == 0) return answer_nothing(arrived, record.request);
  if (all_by_loads)
    return answer(arrived, record.request, IovCursor::pieces(std::move(pieces), record.piece_bytes),
                  bytes);
  std::vector<std::byte> read = room_for(arrived, bytes);
  for (std::size_t i = 0; i < pieces.size(); ++i)
    target_of(arrived, memories[i])
        .read({.to = read.data() + i * record.piece_bytes,
               .from = pieces[i],
               .row_bytes = record.piece_bytes});
  answer_held(arrived, record.request, std::move(read));
}

void on_atomic(const Arrived& arrived) {
  const auto record = arrived.head<AtomicRecord>();
  if ((record.bytes != 4 && record.bytes != 8) || record.address % record.bytes != 0)
    fail(Errc::corrupt, fmt::format("an atomic of {} bytes", record.bytes));
  const Memory memory = checked(arrived, record.address, record.bytes);
  const std::uint64_t value = target_of(arrived, memory).perform(record);
  tell_of_value(arrived);
  const ValueRecord found{record.request, value};
  network()
      ->links()
      .to(arrived.process)
      .post(Kind::value, arrived.record.to, arrived.record.from, found, Link::Ack::none);
}

void on_signal(const Arrived& arrived) {
  const auto record = arrived.head<SignalRecord>();
  if (record.address % sizeof record.value != 0 ||
      (record.code != AtomicCode::fetch_add && record.code != AtomicCode::swap))
    fail(Errc::corrupt, fmt::format("a signal at {:#x}", record.address));
  const Memory memory = checked(arrived, record.address, sizeof record.value);
  (void)target_of(arrived, memory).perform(atomic_of(record));
  wait::notify(mapping().slot(arrived.record.to));
}

}  // namespace

void forget_remote() {
  PendingRequest::forget_all();
  wait::forget_outstanding();
  give_up_answers();
  forget_locks();
  forget_extents(*network());
}

const std::array<transport::Handling, 9> remote_handlers{{
    {.kind = transport::number_of(Kind::put), .handler = on_put, .is_of_rank = true},
    {.kind = transport::number_of(Kind::write), .handler = on_write, .is_of_rank = true},
    {.kind = transport::number_of(Kind::pieces), .handler = on_pieces, .is_of_rank = true},
    {.kind = transport::number_of(Kind::get), .handler = on_get, .is_of_rank = true},
    {.kind = transport::number_of(Kind::gather), .handler = on_gather, .is_of_rank = true},
    {.kind = transport::number_of(Kind::atomic), .handler = on_atomic, .is_of_rank = true},
    {.kind = transport::number_of(Kind::signal), .handler = on_signal, .is_of_rank = true},
    {.kind = transport::number_of(Kind::check), .handler = on_check, .is_of_rank = true},
    {.kind = transport::number_of(Kind::concealed), .handler = on_concealed},
}};

}  // namespace armature::rma
