// A rank that dies says why, as far as it still can. It fills its CrashReport in the control block,
// which outlives it, and waits a moment for the launcher to read them. The launcher looks up names
// for the addresses while the process is still there to be looked at. In a signal handler only
// calls that are safe there are made; the unwinder is warmed up beforehand so that it needs no
// memory then.
#include "failure/crash_report.hpp"

#include <cxxabi.h>
#include <execinfo.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <typeinfo>

#include "base/own_process.hpp"
#include "base/runtime.hpp"
#include "space/core_file.hpp"
#include "space/segment_pages.hpp"
#include "space/stack_of_throw.hpp"
#include "wait/rank_context.hpp"

namespace armature::failure {
namespace {

using space::CrashReport;

/// The handlers' knowledge of the process. A static: they run when all else may be broken.
struct Dying {
  base::OwnProcess has_joined;
  const space::Mapping* mapping = nullptr;
  int first_rank = 0;
  int number = 0;  // of the process that it was in at first
  bool launcher_listens = false;
  std::terminate_handler previous_terminate = nullptr;
  std::atomic<pid_t> speaker = 0;  // the thread whose words count
  CrashReport of_nobody;
};
constinit Dying dying;

/// -1: outside of any rank, in a process that has come later, or has given its first one away, or
/// is none of the job.
int dying_rank() {
  if (!dying.has_joined.is_this()) return -1;
  const wait::RankContext* context = wait::current_rank();
  if (context != nullptr) return static_cast<int>(context->space.me());
  const int first = dying.first_rank;
  const bool is_here =
      first >= 0 && dying.mapping->is_here(first) &&
      dying.mapping->slot(first).process.load(std::memory_order_relaxed) == dying.number;
  return is_here ? first : -1;
}

CrashReport& crash_report() {
  const int rank = dying_rank();
  return rank < 0 ? dying.of_nobody : dying.mapping->control().crash_report(rank);
}

/// Leaves the stack of a throw as it is.
void record_stack(CrashReport& words) {
  if (space::take_stack_of_throw(words)) return;
  void* frames[CrashReport::frames_max];
  const int count = backtrace(frames, CrashReport::frames_max);
  words.frames = static_cast<std::uint32_t>(std::max(count, 0));
  for (std::uint32_t i = 0; i < words.frames; ++i)
    words.frame[i] = reinterpret_cast<std::uint64_t>(frames[i]);
}

void set_text(CrashReport& words, const char* a, const char* b = "", const char* c = "") {
  std::size_t used = 0;
  for (const char* part : {a, b, c})
    while (*part != '\0' && used + 1 < CrashReport::text_max) words.text[used++] = *part++;
  words.text[used] = '\0';
}

void print_alone(const CrashReport& words) {
  char line[CrashReport::text_max + 128];
  const char* signal_name = words.signal != 0 ? sigdescr_np(words.signal) : nullptr;
  char who[32] = "a process without ranks";
  if (!dying.has_joined.is_this()) std::strcpy(who, "a process outside of any job");
  if (dying_rank() >= 0) std::snprintf(who, sizeof who, "rank %d", dying_rank());
  const int n = std::snprintf(line, sizeof line, "armature: %s: %s%s%s\n", who, words.text,
                              signal_name != nullptr ? "killed by a signal: " : "",
                              signal_name != nullptr ? signal_name : "");
  if (n > 0)
    (void)!write(STDERR_FILENO, line, std::min(static_cast<std::size_t>(n), sizeof line - 1));
  void* frames[CrashReport::frames_max];
  for (std::uint32_t i = 0; i < words.frames; ++i)
    frames[i] = reinterpret_cast<void*>(words.frame[i]);
  backtrace_symbols_fd(frames, static_cast<int>(words.frames), STDERR_FILENO);
}

void wait_ms(long milliseconds) {
  const timespec time{milliseconds / 1000, milliseconds % 1000 * 1'000'000};
  nanosleep(&time, nullptr);
}

void say(CrashReport& words) {
  if (!dying.launcher_listens || dying_rank() < 0) return print_alone(words);
  // The launcher asks all to end as soon as it has read this: a signal that came first would end
  // this process without its core file.
  std::signal(SIGTERM, SIG_IGN);
  dying.mapping->slot(dying_rank()).said.store(1, std::memory_order_release);
  kill(getppid(), SIGCHLD);  // the launcher, which then looks at once instead of at its next round
  for (int i = 0; i < 2000 && words.taken.load(std::memory_order_acquire) == 0; ++i) wait_ms(1);
}

/// Called before the kernel writes a core file, of all ranks that this process hosts; where it
/// writes none, this takes no time.
void prepare_core_file() {
  rlimit limit{};
  if (!dying.has_joined.is_this() || getrlimit(RLIMIT_CORE, &limit) != 0 || limit.rlim_cur == 0)
    return;
  const space::Mapping& mapping = *dying.mapping;
  for (int rank = 0; rank < mapping.ranks(); ++rank)
    if (mapping.is_here(rank) && mapping.slot(rank).pid.load(std::memory_order_relaxed) == getpid())
      space::put_into_core(mapping, rank, space::segments_file());
}

/// Only the first reason counts. A second one of the same thread comes from a handler that has
/// failed in turn; another thread lets the first one finish, which ends the process.
bool first_to_speak() {
  pid_t nobody = 0;
  if (dying.speaker.compare_exchange_strong(nobody, gettid())) return true;
  if (nobody != gettid()) wait_ms(3000);
  return false;
}

void on_signal(int signal, siginfo_t* info, void*) {
  if (dying.has_joined.is_this() && first_to_speak()) {
    CrashReport& words = crash_report();
    words.signal = signal;
    words.was_sent = info->si_code <= 0 ? 1 : 0;
    if (signal == SIGSEGV || signal == SIGBUS)
      words.fault_address = reinterpret_cast<std::uint64_t>(info->si_addr);
    record_stack(words);
    say(words);
    prepare_core_file();
  }
  // This time the signal does what it does. Not earlier: another thread's must not end the process
  // before this one's is told.
  std::signal(signal, SIG_DFL);
  raise(signal);
}

/// Leaves out the own rank: the reader of the text says which rank died.
const char* without_own_rank(const char* text) {
  char mine[32];
  const int n = std::snprintf(mine, sizeof mine, "armature: rank %d: ", dying_rank());
  return std::strncmp(text, mine, static_cast<std::size_t>(n)) == 0 ? text + n : text;
}

void describe_exception(CrashReport& words) {
  const std::type_info* type = abi::__cxa_current_exception_type();
  if (type == nullptr) return set_text(words, "std::terminate was called");
  int status = 0;
  char* name = abi::__cxa_demangle(type->name(), nullptr, nullptr, &status);
  try {
    throw;
  } catch (const std::exception& e) {
    set_text(words, "exception ", name != nullptr ? name : type->name(), ": ");
    const std::size_t used = std::strlen(words.text);
    std::strncpy(words.text + used, without_own_rank(e.what()), CrashReport::text_max - used - 1);
  } catch (...) {
    set_text(words, "exception of type ", name != nullptr ? name : type->name());
  }
  std::free(name);
}

[[noreturn]] void on_terminate() {
  if (dying.has_joined.is_this() && first_to_speak()) {
    CrashReport& words = crash_report();
    describe_exception(words);
    record_stack(words);
    say(words);
    prepare_core_file();
  }
  if ((!dying.launcher_listens || !dying.has_joined.is_this()) &&
      dying.previous_terminate != nullptr)
    dying.previous_terminate();
  std::signal(SIGABRT, SIG_DFL);
  std::abort();
}

}  // namespace

SignalStack::SignalStack()
    : stack_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
  if (stack_ == MAP_FAILED) return;
  stack_t alternative{};
  alternative.ss_sp = stack_;
  alternative.ss_size = bytes;
  sigaltstack(&alternative, nullptr);
}

SignalStack::~SignalStack() {
  if (stack_ == MAP_FAILED) return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
  munmap(stack_, bytes);
}

namespace {
struct MainStack {
  SignalStack stack;
};
}  // namespace

void install_crash_reports(const space::Mapping& job, int rank, bool has_launcher) {
  dying.has_joined.remember();
  dying.mapping = &job;
  dying.first_rank = rank;
  if (rank >= 0) dying.number = job.slot(rank).process.load(std::memory_order_relaxed);
  dying.launcher_listens = has_launcher;
  void* warm_up[2];
  (void)backtrace(warm_up, 2);
  (void)base::state<MainStack>();
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    struct sigaction old {};
    if (sigaction(signal, nullptr, &old) != 0 || (old.sa_flags & SA_SIGINFO) != 0 ||
        old.sa_handler != SIG_DFL)
      continue;
    struct sigaction mine {};
    mine.sa_sigaction = on_signal;
    mine.sa_flags = static_cast<int>(SA_SIGINFO | SA_ONSTACK | SA_NODEFER);
    sigemptyset(&mine.sa_mask);
    sigaction(signal, &mine, nullptr);
  }
  dying.previous_terminate = std::set_terminate(on_terminate);
}

namespace {

/// The system keeps eight bits of a status, and those of 256 say that all is well.
int status_of_failure(int status) { return std::max(status & 255, 1); }

/// Flushes the program's standard streams, but for one that another thread is in the middle of: to
/// flush all would wait for a thread that reads.
void flush_output() {
  for (FILE* const stream : {stdout, stderr}) {
    if (ftrylockfile(stream) != 0) continue;
    std::fflush(stream);
    funlockfile(stream);
  }
}

[[noreturn]] void leave(int status, const char* text, bool with_stack, bool is_well = false) {
  if (first_to_speak()) {
    CrashReport& words = crash_report();
    words.status = status_of_failure(status);
    words.is_well = is_well ? 1 : 0;
    set_text(words, text);
    if (with_stack) record_stack(words);
    say(words);
  }
  flush_output();
  const bool is_alone = dying.mapping != nullptr && dying.mapping->ranks() == 1;
  _exit(is_well && (dying.launcher_listens || is_alone) ? 0 : status_of_failure(status));
}

}  // namespace

void die(int status, const char* text) { leave(status, text, true); }
void end_job(const char* text) { leave(0, text, false, true); }
void give_up(int status, const char* text) { leave(status, text, false); }

}  // namespace armature::failure
