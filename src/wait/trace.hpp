#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

// Events of a process, for `armature run --trace FILE`. Every process writes down what its ranks do
// into a part of its own of a memory file of the launcher's. The launcher makes the trace of it in
// the end, whatever has become of the processes. A part is a ring: the last events count. Names lie
// before the parts, each once for the whole job: a rank may go to another process with the number
// of one. Where nobody has asked for a trace, what costs nothing measurable is written down all
// the same.

namespace armature::wait {

struct TraceEvent {
  enum class Kind : std::uint32_t {
    turn,      // of a virtual rank, from begin to end; what: what it waits for then; number: the
               // turns since the last one that is told, in which it only looked and waited on
    wait,      // of another rank; what: for what, other: for whom
    sent,      // a call to rank `other`, the channel's `number`th
    executed,  // a call from rank `other`, the channel's `number`th; what: the name of the method
    moved,     // the rank came here from process `other`, which it left at begin
    given,     // by balancing to process `other`; number: what it costs, in ns
    phase,     // of the program, from begin to end; what: its name
    counter,   // of the program, from begin on; what: its name, number: the bits of a double
  };
  Kind kind = Kind::turn;
  std::int32_t rank = -1;
  std::int32_t other = -1;
  std::uint32_t what = 0;  // space::Awaiting, or the number of a name
  std::uint64_t begin_ns = 0, end_ns = 0;
  std::uint64_t number = 0;
};
static_assert(sizeof(TraceEvent) == 40);

/// The names of a job, in the memory that all its processes map.
class TraceNames {
 public:
  static constexpr std::size_t bytes = std::size_t{1} << 20;
  static constexpr std::size_t name_max = 1000;

  /// The number of a name, which is never 0; 0 when there is no room for it. From several processes
  /// and threads at a time.
  std::uint32_t add(std::string_view name);
  /// The name with that number; empty where there is none.
  [[nodiscard]] std::string_view at(std::uint32_t number) const;

 private:
  static constexpr std::uint32_t slots = 4096;
  [[nodiscard]] const char* memory() const { return reinterpret_cast<const char*>(this); }
  [[nodiscard]] std::uint32_t append(std::string_view name);

  // A number is the offset of a name: its length, then its bytes. Names stand behind this.
  std::atomic<std::uint32_t> used_{0};  // bytes of them
  std::atomic<std::uint32_t> of_hash_[slots];
};
static_assert(sizeof(TraceNames) < TraceNames::bytes / 2);

/// A process's part: this, then the events.
struct TracePart {
  static constexpr std::size_t head_bytes = 4096;

  std::atomic<std::uint64_t> written{0};  // events, since ever
  TraceNames* names = nullptr;            // as that process has mapped them: nobody else may look
  // In a file of the process's own: what makes its clock the time of day, and the job's ranks.
  std::int64_t to_time_of_day_ns = 0;
  std::uint32_t ranks = 0;

  [[nodiscard]] TraceEvent& event(std::uint64_t number, std::uint64_t events_max) {
    return reinterpret_cast<TraceEvent*>(reinterpret_cast<std::byte*>(this) +
                                         head_bytes)[number % events_max];
  }
};

/// A file of events: the name of the launcher's memory file, the variable that tells processes of
/// it, and how large a part is.
struct TraceFile {
  const char* name;
  const char* variable;
  std::size_t part_bytes;

  [[nodiscard]] constexpr std::size_t events_max() const {
    return (part_bytes - TracePart::head_bytes) / sizeof(TraceEvent);
  }
  /// The place of a process's part in the file.
  [[nodiscard]] constexpr std::size_t offset_of(int process) const {
    return TraceNames::bytes + static_cast<std::size_t>(process) * part_bytes;
  }
};
/// With --trace: everything.
inline constexpr TraceFile whole_trace{
    "armature-trace", "ARMATURE_TRACE",
    TracePart::head_bytes + (std::size_t{1} << 17) * sizeof(TraceEvent)};
/// Always, in jobs of `armature run`.
inline constexpr TraceFile kept_trace{"armature-kept-trace", "ARMATURE_KEPT_TRACE",
                                      std::size_t{1} << 20};

/// Other launchers: each process makes a file of whole_trace's kind with one part, its own. The
/// variable has what their names begin with; their ends are the numbers of the processes.
inline constexpr const char* own_traces_variable = "ARMATURE_OWN_TRACES";

/// The part of this process, and how much it writes down.
struct TraceState {
  TracePart* part = nullptr;  // nullptr: it writes down nothing
  std::uint64_t events_max = 0;
  bool is_whole = false;
  // Waits that take less are left out.
  std::uint64_t wait_min_ns = UINT64_MAX;
  // Bytes between so many ranks (recorded_links.hpp); nullptr: nobody has asked for them.
  std::atomic<std::uint64_t>* links = nullptr;
  int ranks = 0;
};

namespace detail {
extern TraceState trace_state;
}

/// Whether all is written down: turns and calls, too.
[[nodiscard]] inline bool traces() { return detail::trace_state.is_whole; }
/// Whether a wait is to be written down that has taken so long.
[[nodiscard]] inline bool traces_wait(std::uint64_t ns) {
  return ns >= detail::trace_state.wait_min_ns;
}
/// Events that this process has written so far; 0 where not all is written down.
[[nodiscard]] inline std::uint64_t traced_events() {
  return traces() ? detail::trace_state.part->written.load(std::memory_order_relaxed) : 0;
}
/// The number of a name, for events; 0 where nothing is written down, or names have no room.
[[nodiscard]] std::uint32_t trace_name(std::string_view name);
/// Does nothing where nothing is written down.
void trace(const TraceEvent& event);
/// The ranks here take turns, which are traced, and tell of their waits: these are left out.
void trace_turns();
/// Opens the part of that process, which is this one. Does nothing unless there is a launcher of
/// this machine.
void open_trace(int process);
/// Makes the own file of that process, which is this one, in a job of so many ranks. Does nothing
/// where other launchers were not told to; who asked for it misses what cannot be made.
void make_own_trace(int process, int ranks);

}  // namespace armature::wait
