// A job that has crashed leaves one file for each user, which the next crash writes over: nobody
// has asked for it, so it must not fill anything. It takes its place when it is whole.
#include "command/run/trace.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "command/run/console.hpp"
#include "command/stream.hpp"
#include "command/trace/picture.hpp"
#include "command/trace/recorded.hpp"

namespace armature::command {
namespace {

/// Ranks that were killed by a signal or an exception, not those that asked for an end.
bool has_crashed(const space::Control& control) {
  const auto ranks = static_cast<int>(control.header().ranks);
  for (int rank = 0; rank < ranks; ++rank)
    if (control.slot(rank).said.load(std::memory_order_acquire) != 0 &&
        control.crash_report(rank).frames != 0)
      return true;
  return false;
}

/// Empty: nobody wants one.
std::string path_after_crash() {
  if (const char* const path = std::getenv("ARMATURE_CRASH_TRACE")) return path;
  const char* const folder = std::getenv("TMPDIR");
  return fmt::format("{}/armature-crash-{}.json",
                     folder != nullptr && *folder != '\0' ? folder : "/tmp", getuid());
}

}  // namespace

Trace::Trace(std::string path, const space::ControlHeader& job)
    : path_(std::move(path)),
      kind_(path_.empty() ? wait::kept_trace : wait::whole_trace),
      output_(path_.empty() ? -1
                            : open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)),
      events_(memfd_create(kind_.name, MFD_CLOEXEC)) {
  // The program of a job may be one that has a launcher of its own.
  unsetenv(wait::whole_trace.variable);
  unsetenv(wait::kept_trace.variable);
  const std::uint32_t processes_max = space::Control::process_slots(job);
  const auto bytes = static_cast<off_t>(kind_.offset_of(static_cast<int>(processes_max)));
  const bool is_open = events_ && ftruncate(events_.get(), bytes) == 0;
  if (!path_.empty() && (!output_ || !is_open))
    base::fail(Errc::start,
               fmt::format("--trace: {} cannot be written: {}", path_, base::system_text(errno)));
  if (!is_open) {
    events_.reset();
    return;
  }
  // The text is as long whatever the number is: a simulation finds the same addresses on the stack.
  setenv(kind_.variable, fmt::format("/proc{:/>10}/fd/{}", getpid(), events_.get()).c_str(), 1);
}

Trace::~Trace() { unsetenv(kind_.variable); }

bool Trace::write(const space::ControlHeader& job) const {
  if (path_.empty()) return true;
  const auto fail = [&](int error) {
    say_headline(fmt::format("--trace: {} cannot be written: {}", path_, base::system_text(error)));
    return false;
  };
  const Recorded recorded = read_events(events_.get(), kind_, job);
  const Stream file(fdopen(dup(output_.get()), "w"));
  if (file == nullptr) return fail(errno);
  TracedNames names(events_.get());
  if (const int error = write_trace(file.get(), path_, recorded, names); error != 0)
    return fail(error);
  if (recorded.lost != 0)
    say(fmt::format("--trace: {} holds the last {} events of each process: {} before had no room",
                    path_, kind_.events_max(), recorded.lost));
  return true;
}

void Trace::write_after_crash(const space::Control& control) const try {
  constexpr std::size_t events_max = 100'000;
  if (!path_.empty() || !events_ || !has_crashed(control)) return;
  const std::string path = path_after_crash();
  const Recorded recorded = read_events(events_.get(), kind_, control.header(), events_max);
  if (path.empty() || recorded.events.empty()) return;
  std::string beside = path + ".XXXXXX";
  const Stream file(fdopen(mkstemp(beside.data()), "w"));
  if (file == nullptr) return;
  TracedNames names(events_.get());
  if (write_trace(file.get(), path, recorded, names) != 0 ||
      std::rename(beside.c_str(), path.c_str()) != 0) {
    unlink(beside.c_str());
    return;
  }
  say(fmt::format("{} has what ranks did last (https://ui.perfetto.dev)", path));
} catch (const std::bad_alloc&) {
  // Nobody has asked for it: the job ends as it would without.
}

}  // namespace armature::command
