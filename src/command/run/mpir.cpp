// The table is one for the whole process, since debuggers know it by name. A launcher that runs
// several jobs, one after the other, fills it for each. A debugger that attaches later finds it
// filled; one that runs the launcher has set MPIR_being_debugged before main, and a breakpoint at
// MPIR_Breakpoint.
#include "command/run/mpir.hpp"

#include <unistd.h>

#include <csignal>

#include <fmt/format.h>

extern "C" {

// Names and layout are the interface's.
struct MPIR_PROCDESC {
  char* host_name;
  char* executable_name;
  int pid;
};

#define ARMATURE_FOR_DEBUGGERS [[gnu::used, gnu::visibility("default")]]
ARMATURE_FOR_DEBUGGERS MPIR_PROCDESC* MPIR_proctable = nullptr;
ARMATURE_FOR_DEBUGGERS int MPIR_proctable_size = 0;
ARMATURE_FOR_DEBUGGERS volatile int MPIR_being_debugged = 0;
ARMATURE_FOR_DEBUGGERS volatile int MPIR_debug_state = 0;
ARMATURE_FOR_DEBUGGERS char* MPIR_debug_abort_string = nullptr;
// Their presence says: this process is a launcher and no rank; who does not attach need not be
// released.
ARMATURE_FOR_DEBUGGERS int MPIR_i_am_starter = 1;
ARMATURE_FOR_DEBUGGERS int MPIR_partial_attach_ok = 1;

ARMATURE_FOR_DEBUGGERS [[gnu::noinline]] void MPIR_Breakpoint() { asm volatile("" ::: "memory"); }
#undef ARMATURE_FOR_DEBUGGERS
}

namespace armature::command {
namespace {

constexpr int state_spawned = 1;
constexpr int state_aborting = 2;

std::vector<MPIR_PROCDESC>& table() {
  static std::vector<MPIR_PROCDESC> entries;
  return entries;
}

std::string name_of_host() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace

DebuggerTable::~DebuggerTable() {
  publish({});
  MPIR_debug_abort_string = nullptr;
  MPIR_debug_state = 0;
}

void DebuggerTable::hold(const LaunchedProcess& process) const {
  if (MPIR_being_debugged != 0) kill(process.pid, SIGSTOP);
}

void DebuggerTable::announce() {
  publish(pids());
  MPIR_debug_state = state_spawned;
  MPIR_Breakpoint();
  if (MPIR_being_debugged == 0) return;
  for (const LaunchedProcess& process : processes_.all())
    if (process.alive) kill(process.pid, SIGCONT);
}

void DebuggerTable::follow() {
  if (std::vector<pid_t> now = pids(); now != published_) publish(now);
}

void DebuggerTable::announce_failure(int status) {
  if (MPIR_debug_state == state_aborting) return;
  why_ = fmt::format("the job ends with status {}", status);
  MPIR_debug_abort_string = why_.data();
  MPIR_debug_state = state_aborting;
  MPIR_Breakpoint();
}

/// Processes say their own number when they join: a script may have started them.
std::vector<pid_t> DebuggerTable::pids() const {
  const bool ranks_stay = job_.header().ranks_are_virtual == 0;
  std::vector<pid_t> pids;
  for (const LaunchedProcess& process : processes_.all()) {
    if (!process.alive) continue;
    const pid_t own = ranks_stay && process.ranks.count > 0
                          ? job_.control().slot(process.ranks.first).pid.load()
                          : 0;
    pids.push_back(own > 0 ? own : process.pid);
  }
  return pids;
}

void DebuggerTable::publish(const std::vector<pid_t>& pids) {
  if (host_.empty()) host_ = name_of_host();
  // A debugger that stops us in here finds no entry rather than half of one.
  MPIR_proctable_size = 0;
  asm volatile("" ::: "memory");
  table().clear();
  for (const pid_t pid : pids)
    table().push_back({host_.data(), const_cast<char*>(program_.c_str()), pid});
  MPIR_proctable = table().data();
  asm volatile("" ::: "memory");
  MPIR_proctable_size = static_cast<int>(table().size());
  published_ = pids;
}

}  // namespace armature::command
