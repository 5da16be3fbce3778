#include "command/executable/call_places.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include <elfutils/libdwfl.h>

#include "base/clock.hpp"
#include "command/executable/process_symbols.hpp"
#include "command/executable/stack.hpp"

namespace armature::command {
namespace {

constexpr std::size_t depth_max = 64;

int add_frame(Dwfl_Frame* frame, void* list) {
  auto& addresses = *static_cast<std::vector<std::uint64_t>*>(list);
  Dwarf_Addr address = 0;
  bool is_exact = false;  // the innermost, or one that a signal has interrupted
  if (!dwfl_frame_pc(frame, &address, &is_exact)) return DWARF_CB_ABORT;
  // As they are on a stack: symbolise() looks one byte before.
  addresses.push_back(is_exact ? address + 1 : address);
  return addresses.size() < depth_max ? DWARF_CB_OK : DWARF_CB_ABORT;
}

/// The return addresses on the stack of a thread, innermost first.
std::vector<std::uint64_t> stack_of_thread(int pid, int tid) {
  std::vector<std::uint64_t> addresses;
  const Session session = open_process(pid);
  if (session && dwfl_linux_proc_attach(session.get(), pid, false) == 0)
    (void)dwfl_getthread_frames(session.get(), tid, &add_frame, &addresses);
  return addresses;
}

}  // namespace

std::string call_place(int pid, int tid) {
  // Nothing hurries, and a busy machine takes long to read the program's debug information.
  constexpr int symbols_ms_max = 1500;
  for (const Frame& frame : symbolise(pid, stack_of_thread(pid, tid), symbols_ms_max))
    if (is_of_program(frame)) return frame.place;
  return "";
}

void add_call_places(Explanation& explanation, const Snapshot& snapshot) {
  constexpr std::size_t ranks_max = 64;
  constexpr std::uint64_t took_ns_max = 2'000'000'000;
  const std::uint64_t start_ns = base::now_ns();
  std::map<int, int> ranks_on;  // of each thread
  for (const RankState& state : snapshot.ranks) ++ranks_on[state.tid];
  for (std::size_t rank = 0; rank < std::min(snapshot.ranks.size(), ranks_max); ++rank) {
    const RankState& state = snapshot.ranks[rank];
    const bool is_held = state.process_state == 'T' || state.process_state == 't';
    const bool is_in_job = state.life == space::Life::running || state.life == space::Life::leaving;
    const bool is_on_stack =
        ranks_on[state.tid] == 1 || (state.wait.awaiting == space::Awaiting::nothing &&
                                     state.runs_instead < 0 && !state.is_ready);
    if (!is_in_job || is_held || !is_on_stack || state.pid <= 0 || state.tid <= 0) continue;
    if (base::now_ns() - start_ns > took_ns_max) return;
    explanation.lines[rank].place = call_place(state.pid, state.tid);
  }
}

}  // namespace armature::command
