#include "wait/trace.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

#include "armature/trace.hpp"
#include "base/clock.hpp"
#include "base/fail.hpp"
#include "base/file_descriptor.hpp"

namespace armature::wait {

namespace detail {
constinit TraceState trace_state;
}

std::uint32_t TraceNames::append(std::string_view name) {
  const auto length = static_cast<std::uint32_t>(name.size());
  const std::uint32_t room = (length + 2 * sizeof(std::uint32_t) - 1) / 4 * 4;
  // The bytes in use are those behind the table.
  const std::uint32_t at = static_cast<std::uint32_t>(sizeof(TraceNames)) +
                           used_.fetch_add(room, std::memory_order_relaxed);
  if (at + room > bytes) {
    used_.fetch_sub(room, std::memory_order_relaxed);
    return 0;
  }
  char* const entry = reinterpret_cast<char*>(this) + at;
  std::memcpy(entry, &length, sizeof length);
  std::memcpy(entry + sizeof length, name.data(), length);
  return at;
}

std::string_view TraceNames::at(std::uint32_t number) const {
  std::uint32_t length = 0;
  if (number < sizeof(TraceNames) || number > bytes - sizeof length) return {};
  std::memcpy(&length, memory() + number, sizeof length);
  if (length > name_max || number + sizeof length + length > bytes) return {};
  return {memory() + number + sizeof length, length};
}

std::uint32_t TraceNames::add(std::string_view name) {
  name = name.substr(0, name_max);
  const auto hash = static_cast<std::uint32_t>(std::hash<std::string_view>()(name));
  std::uint32_t appended = 0;
  // A program that gives ever new names fills the table, and is not to look through all of it then.
  constexpr std::uint32_t tried_max = 64;
  for (std::uint32_t tried = 0; tried < tried_max; ++tried) {
    std::atomic<std::uint32_t>& slot = of_hash_[(hash + tried) % slots];
    std::uint32_t found = slot.load(std::memory_order_acquire);
    if (found == 0) {
      if (appended == 0) appended = append(name);
      if (appended == 0) return 0;
      // Release: who finds the number finds the name.
      if (slot.compare_exchange_strong(found, appended, std::memory_order_acq_rel)) return appended;
    }
    if (at(found) == name) return found;
  }
  return 0;
}

[[gnu::noinline]] std::uint32_t trace_name(std::string_view name) {
  const TracePart* const part = detail::trace_state.part;
  return part != nullptr && part->names != nullptr ? part->names->add(name) : 0;
}

// Never inlined: a rank that goes on in another process writes into that one's part.
[[gnu::noinline]] void trace(const TraceEvent& event) {
  const TraceState& state = detail::trace_state;
  if (state.part == nullptr) return;
  const std::uint64_t number = state.part->written.fetch_add(1, std::memory_order_relaxed);
  state.part->event(number, state.events_max) = event;
}

void trace_turns() { detail::trace_state.wait_min_ns = UINT64_MAX; }

namespace {

/// Opens the file that the launcher has told of. Programs that this process starts are none of the
/// job, and hear nothing of it.
base::FileDescriptor take_file(const TraceFile& kind) {
  const char* const path = std::getenv(kind.variable);
  if (path == nullptr) return {};
  base::FileDescriptor file(open(path, O_RDWR | O_CLOEXEC));
  unsetenv(kind.variable);
  return file;
}

/// Maps the names and the part of that number. Returns nullptr when the file has no room for them:
/// a process that writes behind a file's end is killed.
TracePart* map_part(const base::FileDescriptor& file, const TraceFile& kind, int number) {
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0 ||
      static_cast<std::size_t>(status.st_size) < kind.offset_of(number) + kind.part_bytes)
    return nullptr;
  const auto map = [&](std::size_t offset, std::size_t bytes) -> void* {
    void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(),
                          static_cast<off_t>(offset));
    return at != MAP_FAILED ? at : nullptr;
  };
  auto* const part = static_cast<TracePart*>(map(kind.offset_of(number), kind.part_bytes));
  if (part != nullptr) part->names = static_cast<TraceNames*>(map(0, TraceNames::bytes));
  return part;
}

}  // namespace

void open_trace(int process) {
  // Waits that are shorter say little, and are many.
  constexpr std::uint64_t kept_wait_min_ns = 2000;
  base::FileDescriptor file = take_file(whole_trace);
  const bool is_whole = static_cast<bool>(file);
  const TraceFile& kind = is_whole ? whole_trace : kept_trace;
  if (!is_whole) file = take_file(kept_trace);
  if (TracePart* const part = map_part(file, kind, process); part != nullptr)
    detail::trace_state = {.part = part,
                           .events_max = kind.events_max(),
                           .is_whole = is_whole,
                           .wait_min_ns = is_whole ? 0 : kept_wait_min_ns};
}

void make_own_trace(int process, int ranks) {
  const char* const beginning = std::getenv(own_traces_variable);
  if (beginning == nullptr) return;
  const std::string path = beginning + std::to_string(process);
  unsetenv(own_traces_variable);
  const base::FileDescriptor file(
      open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666));
  const auto bytes = static_cast<off_t>(whole_trace.offset_of(1));
  // Writing where a disk has no room kills a process.
  if (!file || posix_fallocate(file.get(), 0, bytes) != 0) return;
  TracePart* const part = map_part(file, whole_trace, 0);
  if (part == nullptr) return;
  using namespace std::chrono;
  const auto of_day = duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
  part->to_time_of_day_ns = of_day - static_cast<std::int64_t>(base::now_ns());
  part->ranks = static_cast<std::uint32_t>(ranks);
  detail::trace_state = {
      .part = part, .events_max = whole_trace.events_max(), .is_whole = true, .wait_min_ns = 0};
}

}  // namespace armature::wait

namespace armature {

trace_phase::trace_phase(std::string_view name) {
  if (wait::detail::trace_state.part == nullptr) return;
  name_ = wait::trace_name(name);
  began_ns_ = base::now_ns();
}

trace_phase::~trace_phase() {
  const int rank = name_ != 0 ? base::message_rank() : -1;
  if (rank < 0) return;
  wait::trace({.kind = wait::TraceEvent::Kind::phase,
               .rank = rank,
               .what = name_,
               .begin_ns = began_ns_,
               .end_ns = base::now_ns()});
}

void trace_counter(std::string_view name, double value) {
  if (wait::detail::trace_state.part == nullptr || !std::isfinite(value)) return;
  const int rank = base::message_rank();
  const std::uint32_t number = rank >= 0 ? wait::trace_name(name) : 0;
  if (number == 0) return;
  wait::trace({.kind = wait::TraceEvent::Kind::counter,
               .rank = rank,
               .what = number,
               .begin_ns = base::now_ns(),
               .number = std::bit_cast<std::uint64_t>(value)});
}

}  // namespace armature
