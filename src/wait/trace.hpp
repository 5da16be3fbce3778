#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

// Events of a process, for `armature run --trace FILE`. Every process writes down what its ranks do
// into a part of its own of a memory file of the launcher's. The launcher makes the trace of it in
// the end, whatever has become of the processes. A part is a ring: the last events count.

namespace armature::wait {

struct TraceEvent {
  enum class Kind : std::uint32_t {
    turn,      // of a virtual rank, from begin to end; what: what it waits for then
    wait,      // of another rank; what: for what, other: for whom
    sent,      // a call to rank `other`, the channel's `number`th
    executed,  // a call from rank `other`, the channel's `number`th
    moved,     // the rank came here from process `other`, which it left at begin
    given,     // by balancing to process `other`; number: what it costs, in ns
  };
  Kind kind = Kind::turn;
  std::int32_t rank = -1;
  std::int32_t other = -1;
  std::uint32_t what = 0;  // space::Awaiting
  std::uint64_t begin_ns = 0, end_ns = 0;
  std::uint64_t number = 0;
};
static_assert(sizeof(TraceEvent) == 40);

/// A process's part: this, then the events.
struct TracePart {
  static constexpr std::size_t events_max = std::size_t{1} << 17;
  static constexpr std::size_t head_bytes = 4096;
  static constexpr std::size_t bytes = head_bytes + events_max * sizeof(TraceEvent);

  std::atomic<std::uint64_t> written{0};  // events, since ever

  [[nodiscard]] TraceEvent& event(std::uint64_t number) {
    return reinterpret_cast<TraceEvent*>(reinterpret_cast<std::byte*>(this) +
                                         head_bytes)[number % events_max];
  }
};

/// Names the launcher's file.
inline constexpr const char* trace_variable = "ARMATURE_TRACE";

namespace detail {
extern TracePart* trace_part;  // of this process; nullptr: nothing is written down
}

[[nodiscard]] inline bool traces() { return detail::trace_part != nullptr; }
/// Does nothing where nothing is written down.
void trace(const TraceEvent& event);
/// Opens the part of that process, which is this one. Does nothing unless the launcher wants a
/// trace.
void open_trace(int process);

}  // namespace armature::wait
