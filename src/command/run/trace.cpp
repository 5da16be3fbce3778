// Times of all processes are of one clock, so their events need only be put side by side. A call is
// written down at both ends, by its place in the channel between the two ranks. It becomes an arrow
// when both ends are there, since a ring has room for the last events only.
#include "command/run/trace.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/fail.hpp"
#include "command/executable/function_names.hpp"
#include "command/run/console.hpp"
#include "space/control.hpp"
#include "wait/trace.hpp"

namespace armature::command {
namespace {

using wait::TraceEvent;
using wait::TraceNames;
using wait::TracePart;
using Kind = TraceEvent::Kind;

struct Event : TraceEvent {
  int process = 0;
};

/// The events that were written down, and how many are lost.
struct Recorded {
  std::vector<Event> events;
  std::uint64_t lost = 0;  // written over
};

void take_part(int file, int process, std::uint64_t started_ns, Recorded& recorded) {
  const auto offset = static_cast<off_t>(TracePart::offset_of(process));
  // Parts that nobody has touched take no memory, and are not to by being looked at.
  if (const off_t data = lseek(file, offset, SEEK_DATA);
      data < 0 || data >= offset + static_cast<off_t>(TracePart::bytes))
    return;
  void* const start = mmap(nullptr, TracePart::bytes, PROT_READ, MAP_SHARED, file, offset);
  if (start == MAP_FAILED) return;
  auto* const part = static_cast<TracePart*>(start);
  const std::uint64_t written = part->written.load(std::memory_order_acquire);
  const std::uint64_t first = written - std::min<std::uint64_t>(written, TracePart::events_max);
  recorded.lost += first;
  for (std::uint64_t i = first; i < written; ++i) {
    const Event event{part->event(i), process};
    // Leaves out the event that a process was about to write when it was killed.
    if (event.rank >= 0 && event.begin_ns >= started_ns &&
        (event.end_ns == 0 || event.end_ns >= event.begin_ns))
      recorded.events.push_back(event);
  }
  munmap(start, TracePart::bytes);
}

/// The names that processes have given.
class Names {
 public:
  explicit Names(int file)
      : memory_(mmap(nullptr, TraceNames::bytes, PROT_READ, MAP_SHARED, file, 0)) {}
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;
  ~Names() {
    if (memory_ != MAP_FAILED) munmap(memory_, TraceNames::bytes);
  }

  /// As JSON has it, without quotes. `otherwise`: where there is none.
  const std::string& at(std::uint32_t number, const char* otherwise) {
    const auto [known, is_new] = known_.try_emplace(number);
    if (is_new) known->second = escaped(found(number, otherwise));
    return known->second;
  }

 private:
  /// A method's type may be followed by the file of its code, and the offset there, on lines each.
  std::string found(std::uint32_t number, const char* otherwise) {
    if (memory_ == MAP_FAILED || number == 0) return otherwise;
    const std::string_view text = static_cast<const TraceNames*>(memory_)->at(number);
    const std::size_t file = text.find('\n'), offset = text.rfind('\n');
    if (file == offset) return std::string(text.empty() ? otherwise : text);
    const std::string name =
        functions_.at(std::string(text.substr(file + 1, offset - file - 1)),
                      std::strtoull(std::string(text.substr(offset + 1)).c_str(), nullptr, 16));
    return name.empty() ? std::string(text.substr(0, file)) : name;
  }
  static std::string escaped(const std::string& text) {
    const std::string quoted =
        nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return quoted.substr(1, quoted.size() - 2);
  }

  void* const memory_;
  FunctionNames functions_;
  std::map<std::uint32_t, std::string> known_;
};

const char* name_of(std::uint32_t awaiting) {
  static constexpr const char* names[] = {
      "nothing", "barrier", "collective", "mutex",       "element",   "notify",
      "message", "room",    "completion", "team",        "exit",      "answer",
      "fence",   "request", "name",       "initialiser", "condition", "value"};
  static_assert(std::size(names) == static_cast<std::size_t>(space::Awaiting::value) + 1);
  return awaiting < std::size(names) ? names[awaiting] : "?";
}

class Json {
 public:
  Json(std::FILE* file, std::uint64_t started_ns) : file_(file), started_ns_(started_ns) {
    put("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
  }

  void name(const char* what, int process, int rank, const std::string& name) {
    put(fmt::format(
        "{}{{\"ph\":\"M\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":\"{}\"}}}}",
        next(), what, process, rank, name));
  }
  void span(int process, const Event& event, std::string_view name, const std::string& more = {}) {
    put(fmt::format(
        "{}{{\"ph\":\"X\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{}{}}}", next(),
        name, process, event.rank, us(event.begin_ns - started_ns_),
        us(event.end_ns - event.begin_ns), more));
  }
  void instant(const Event& event, const std::string& name) {
    put(fmt::format(
        "{}{{\"ph\":\"i\",\"s\":\"p\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{}}}", next(),
        name, event.process, event.rank, us(event.begin_ns - started_ns_)));
  }
  /// Draws an arrow from the one to the other.
  void arrow(const std::string& name, std::pair<int, const Event*> from, std::uint64_t from_ns,
             std::pair<int, const Event*> to, std::uint64_t to_ns) {
    ++arrows_;
    end_of_arrow('s', name, from.first, *from.second, from_ns, "");
    end_of_arrow('f', name, to.first, *to.second, to_ns, ",\"bp\":\"e\"");
  }
  /// A bar of its own, above the turns of its rank: it may reach over several, and over processes.
  void phase(const Event& event, const std::string& name) {
    const auto end = [&](char kind, std::uint64_t ns) {
      put(fmt::format(
          "{}{{\"ph\":\"{}\",\"cat\":\"phase\",\"name\":\"{}\",\"id\":\"rank {}\","
          "\"pid\":{},\"tid\":{},\"ts\":{}}}",
          next(), kind, name, event.rank, event.process, event.rank, us(ns - started_ns_)));
    };
    end('b', event.begin_ns);
    end('e', event.end_ns);
  }
  void counter(const Event& event, const std::string& name) {
    put(
        fmt::format("{}{{\"ph\":\"C\",\"name\":\"{} of rank {}\",\"pid\":{},\"tid\":{},\"ts\":{},"
                    "\"args\":{{\"value\":{}}}}}",
                    next(), name, event.rank, event.process, event.rank,
                    us(event.begin_ns - started_ns_), std::bit_cast<double>(event.number)));
  }
  /// 0, or why not all of it could be written.
  int end() {
    put("\n]}\n");
    if (std::fflush(file_) != 0 && error_ == 0) error_ = errno;
    return error_;
  }

 private:
  void put(const std::string& text) {
    if (error_ == 0 && std::fwrite(text.data(), 1, text.size(), file_) != text.size())
      error_ = errno;
  }
  const char* next() { return std::exchange(is_first_, false) ? "\n" : ",\n"; }
  static std::string us(std::uint64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }
  void end_of_arrow(char kind, const std::string& name, int process, const Event& event,
                    std::uint64_t ns, const char* more) {
    put(fmt::format(
        "{}{{\"ph\":\"{}\",\"cat\":\"call\",\"name\":\"{}\",\"id\":{},\"pid\":{},\"tid\":{},"
        "\"ts\":{}{}}}",
        next(), kind, name, arrows_, process, event.rank, us(ns - started_ns_), more));
  }

  std::FILE* const file_;
  const std::uint64_t started_ns_;
  std::uint64_t arrows_ = 0;
  bool is_first_ = true;
  int error_ = 0;
};

void write_names(Json& json, const std::vector<Event>& events) {
  std::set<std::pair<int, int>> places;
  for (const Event& event : events) {
    places.emplace(event.process, event.rank);
    if (event.kind == Kind::moved) places.emplace(event.other, event.rank);
  }
  int before = -1;
  for (const auto& [process, rank] : places) {
    if (std::exchange(before, process) != process)
      json.name("process_name", process, rank, fmt::format("process {}", process));
    json.name("thread_name", process, rank, fmt::format("rank {}", rank));
  }
}

/// Writes ranks that have no turns: from the first that is known of each to the last.
void write_lives(Json& json, const std::vector<Event>& events) {
  std::vector<Event> lives;
  for (const Event& event : events) {
    const auto rank = static_cast<std::size_t>(event.rank);
    if (rank >= lives.size()) lives.resize(rank + 1);
    if (lives[rank].rank < 0) lives[rank] = event;
    lives[rank].begin_ns = std::min(lives[rank].begin_ns, event.begin_ns);
    lives[rank].end_ns = std::max({lives[rank].end_ns, event.begin_ns, event.end_ns});
  }
  for (const Event& life : lives)
    if (life.rank >= 0) json.span(life.process, life, "runs");
}

void write_calls(Json& json, const std::vector<Event>& events, Names& names) {
  std::vector<const Event*> ends;
  for (const Event& event : events)
    if (event.kind == Kind::sent || event.kind == Kind::executed) ends.push_back(&event);
  // A job that has rolled back may have made the same call twice: by time, too.
  const auto key = [](const Event* event) {
    const bool sends = event->kind == Kind::sent;
    return std::tuple(sends ? event->rank : event->other, sends ? event->other : event->rank,
                      event->number, event->begin_ns, !sends);
  };
  std::sort(ends.begin(), ends.end(),
            [&](const Event* a, const Event* b) { return key(a) < key(b); });
  const Event* sent = nullptr;
  for (const Event* event : ends) {
    if (event->kind == Kind::sent) {
      sent = event;
    } else if (const Event* const from = std::exchange(sent, nullptr);
               from != nullptr && from->rank == event->other && from->other == event->rank &&
               from->number == event->number) {
      json.arrow(names.at(event->what, "call"), {from->process, from}, from->begin_ns,
                 {event->process, event}, event->begin_ns);
    }
  }
}

std::string more_of_turn(const Event& event) {
  std::string more;
  if (event.what != 0) more = fmt::format("\"then waits for\":\"{}\"", name_of(event.what));
  if (event.number != 0)
    more += fmt::format("{}\"looks before\":{}", more.empty() ? "" : ",", event.number);
  return more.empty() ? more : fmt::format(",\"args\":{{{}}}", more);
}

void write_event(Json& json, const Event& event, Names& names) {
  switch (event.kind) {
    case Kind::turn:
      return json.span(event.process, event, "turn", more_of_turn(event));
    case Kind::phase:
      return json.phase(event, names.at(event.what, "phase"));
    case Kind::counter:
      return json.counter(event, names.at(event.what, "counter"));
    case Kind::wait:
      return json.span(
          event.process, event, fmt::format("waits: {}", name_of(event.what)),
          event.other < 0 ? "" : fmt::format(",\"args\":{{\"rank\":{}}}", event.other));
    case Kind::moved:
      json.span(event.other, event, fmt::format("moves to process {}", event.process));
      return json.instant({{.rank = event.rank, .begin_ns = event.end_ns}, event.process},
                          fmt::format("rank {} comes from process {}", event.rank, event.other));
    case Kind::given:
      return json.instant(
          event, fmt::format("balancing gives rank {} to process {}, which has nothing to do: "
                             "{} us of work",
                             event.rank, event.other, event.number / 1000));
    case Kind::sent:
    case Kind::executed:
      return;
  }
}

}  // namespace

Trace::Trace(std::string path, std::uint32_t processes_max)
    : path_(std::move(path)),
      processes_max_(processes_max),
      output_(open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)),
      events_(memfd_create("armature-trace", MFD_CLOEXEC)) {
  const auto bytes = static_cast<off_t>(TracePart::offset_of(static_cast<int>(processes_max)));
  if (!output_ || !events_ || ftruncate(events_.get(), bytes) != 0)
    base::fail(Errc::start,
               fmt::format("--trace: {} cannot be written: {}", path_, base::system_text(errno)));
  setenv(wait::trace_variable, fmt::format("/proc/{}/fd/{}", getpid(), events_.get()).c_str(), 1);
}

Trace::~Trace() { unsetenv(wait::trace_variable); }

bool Trace::write(std::uint64_t job_started_ns) const {
  const auto fail = [&](int error) {
    say_headline(fmt::format("--trace: {} cannot be written: {}", path_, base::system_text(error)));
    return false;
  };
  Recorded recorded;
  for (std::uint32_t process = 0; process < processes_max_; ++process)
    take_part(events_.get(), static_cast<int>(process), job_started_ns, recorded);
  const auto& events = recorded.events;
  const std::unique_ptr<std::FILE, decltype(&std::fclose)> file(fdopen(dup(output_.get()), "w"),
                                                                &std::fclose);
  if (file == nullptr) return fail(errno);
  const bool has_turns = std::any_of(events.begin(), events.end(),
                                     [](const Event& event) { return event.kind == Kind::turn; });
  Json json(file.get(), job_started_ns);
  write_names(json, events);
  if (!has_turns) write_lives(json, events);
  Names names(events_.get());
  for (const Event& event : events) write_event(json, event, names);
  write_calls(json, events, names);
  if (const int error = json.end(); error != 0) return fail(error);
  if (recorded.lost != 0)
    say(fmt::format("--trace: {} holds the last {} events of each process: {} before had no room",
                    path_, TracePart::events_max, recorded.lost));
  return true;
}

}  // namespace armature::command
