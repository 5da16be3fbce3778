#include "command/run/own_traces.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/file_descriptor.hpp"
#include "command/run/console.hpp"
#include "command/stream.hpp"
#include "command/trace/picture.hpp"
#include "command/trace/recorded.hpp"
#include "wait/trace.hpp"

namespace armature::command {
namespace {

using wait::TraceNames;
using wait::TracePart;
using Kind = wait::TraceEvent::Kind;

constexpr const wait::TraceFile& kind = wait::whole_trace;
constexpr const char* ending = ".of-process-";

struct Unmap {
  std::size_t bytes;
  void operator()(void* memory) const { munmap(memory, bytes); }
};
using Memory = std::unique_ptr<void, Unmap>;

Memory map(int file, std::size_t offset, std::size_t bytes, int protection) {
  void* const at = mmap(nullptr, bytes, protection, MAP_SHARED, file, static_cast<off_t>(offset));
  return {at != MAP_FAILED ? at : nullptr, Unmap{bytes}};
}

bool has_name(const TracedEvent& event) {
  return event.kind == Kind::executed || event.kind == Kind::phase || event.kind == Kind::counter;
}

/// The processes' files as one: their events by the time of day, and the names of all.
class Merged {
 public:
  Merged() : file_(memfd_create(kind.name, MFD_CLOEXEC)) {
    if (file_ && ftruncate(file_.get(), TraceNames::bytes) == 0)
      names_ = map(file_.get(), 0, TraceNames::bytes, PROT_READ | PROT_WRITE);
  }

  /// False where the file is none that a process has made.
  bool add(int file, int process) {
    struct stat status {};
    if (fstat(file, &status) != 0 || static_cast<std::size_t>(status.st_size) < kind.offset_of(1) ||
        !names_)
      return false;
    const Memory head = map(file, kind.offset_of(0), TracePart::head_bytes, PROT_READ);
    const Memory names = map(file, 0, TraceNames::bytes, PROT_READ);
    if (!head || !names) return false;
    const auto& part = *static_cast<const TracePart*>(head.get());
    Recorded more;
    read_part({file, kind, 0}, process, part.ranks, more);
    const auto shift = static_cast<std::uint64_t>(part.to_time_of_day_ns);
    for (TracedEvent& event : more.events) {
      event.begin_ns += shift;
      event.end_ns += shift;
      if (has_name(event)) event.what = renamed(static_cast<TraceNames*>(names.get()), event.what);
      recorded_.events.push_back(event);
    }
    recorded_.lost += more.lost;
    return true;
  }

  /// The events of all: times count from the first one.
  const Recorded& recorded() {
    const auto by_begin = [](const auto& a, const auto& b) { return a.begin_ns < b.begin_ns; };
    const auto first = std::ranges::min_element(recorded_.events, by_begin);
    recorded_.began_ns = first != recorded_.events.end() ? first->begin_ns : 0;
    return recorded_;
  }
  [[nodiscard]] int names() const { return file_.get(); }

 private:
  std::uint32_t renamed(const TraceNames* from, std::uint32_t number) {
    return number != 0 ? static_cast<TraceNames*>(names_.get())->add(from->at(number)) : 0;
  }

  base::FileDescriptor file_;
  Memory names_{nullptr, Unmap{0}};
  Recorded recorded_;
};

}  // namespace

OwnTraces::OwnTraces(std::string path, std::uint32_t processes)
    : path_(std::move(path)), processes_(processes) {
  unsetenv(wait::own_traces_variable);
  if (path_.empty()) return;
  const base::FileDescriptor file(
      open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file)
    base::fail(Errc::start,
               fmt::format("--trace: {} cannot be written: {}", path_, base::system_text(errno)));
  for (std::uint32_t process = 0; process < processes_; ++process)
    (void)unlink(path_of(process).c_str());
  setenv(wait::own_traces_variable, (path_ + ending).c_str(), 1);
}

OwnTraces::~OwnTraces() { unsetenv(wait::own_traces_variable); }

std::string OwnTraces::path_of(std::uint32_t process) const {
  return path_ + ending + std::to_string(process);
}

bool OwnTraces::write() const {
  if (path_.empty()) return true;
  Merged merged;
  std::uint32_t read = 0;
  for (std::uint32_t process = 0; process < processes_; ++process) {
    const base::FileDescriptor file(open(path_of(process).c_str(), O_RDONLY | O_CLOEXEC));
    if (file && merged.add(file.get(), static_cast<int>(process))) ++read;
  }
  const Stream file(std::fopen(path_.c_str(), "we"));
  TracedNames names(merged.names());
  const Recorded& recorded = merged.recorded();
  if (const int error = file == nullptr ? errno : write_trace(file.get(), path_, recorded, names);
      error != 0) {
    say_headline(
        fmt::format("--trace: {} cannot be written: {}; the events of processes are in "
                    "{}{}N",
                    path_, base::system_text(error), path_, ending));
    return false;
  }
  for (std::uint32_t process = 0; process < processes_; ++process)
    (void)unlink(path_of(process).c_str());
  if (read < processes_)
    say(fmt::format(
        "--trace: {} of {} processes have left nothing in {}: each writes a file beside "
        "it, so that its folder must be one that all hosts share",
        processes_ - read, processes_, path_));
  if (recorded.lost != 0)
    say(fmt::format("--trace: {} holds the last {} events of each process: {} before had no room",
                    path_, kind.events_max(), recorded.lost));
  return true;
}

}  // namespace armature::command
