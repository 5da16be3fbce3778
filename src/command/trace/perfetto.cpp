// Times of all processes are of one clock, or nearly so: their events need only be put side by
// side. A call is written down at both ends, by its place in the channel between the two ranks. It
// becomes an arrow when both ends are there, since a ring has room for the last events only.
#include "command/trace/perfetto.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace armature::command {
namespace {

using Kind = wait::TraceEvent::Kind;

/// Names as JSON has them, without quotes.
class EscapedNames {
 public:
  explicit EscapedNames(TracedNames& names) : names_(names) {}
  const std::string& at(std::uint32_t number, const char* otherwise) {
    const auto [known, is_new] = known_.try_emplace(number);
    if (is_new) {
      const std::string quoted =
          nlohmann::json(names_.at(number, otherwise))
              .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
      known->second = quoted.substr(1, quoted.size() - 2);
    }
    return known->second;
  }

 private:
  TracedNames& names_;
  std::map<std::uint32_t, std::string> known_;
};

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
  void span(int process, const TracedEvent& event, std::string_view name,
            const std::string& more = {}) {
    put(fmt::format(
        "{}{{\"ph\":\"X\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{}{}}}", next(),
        name, process, event.rank, us(event.begin_ns - started_ns_),
        us(event.end_ns - event.begin_ns), more));
  }
  void instant(const TracedEvent& event, const std::string& name) {
    put(fmt::format(
        "{}{{\"ph\":\"i\",\"s\":\"p\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{}}}", next(),
        name, event.process, event.rank, us(event.begin_ns - started_ns_)));
  }
  /// Draws an arrow from the one to the other.
  void arrow(const std::string& name, std::pair<int, const TracedEvent*> from,
             std::uint64_t from_ns, std::pair<int, const TracedEvent*> to, std::uint64_t to_ns) {
    ++arrows_;
    end_of_arrow('s', name, from.first, *from.second, from_ns, "");
    end_of_arrow('f', name, to.first, *to.second, to_ns, ",\"bp\":\"e\"");
  }
  /// A bar of its own, above the turns of its rank: it may reach over several, and over processes.
  void phase(const TracedEvent& event, const std::string& name) {
    const auto end = [&](char kind, std::uint64_t ns) {
      put(fmt::format(
          "{}{{\"ph\":\"{}\",\"cat\":\"phase\",\"name\":\"{}\",\"id\":\"rank {}\","
          "\"pid\":{},\"tid\":{},\"ts\":{}}}",
          next(), kind, name, event.rank, event.process, event.rank, us(ns - started_ns_)));
    };
    end('b', event.begin_ns);
    end('e', event.end_ns);
  }
  void counter(const TracedEvent& event, const std::string& name) {
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
  void end_of_arrow(char kind, const std::string& name, int process, const TracedEvent& event,
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

void write_names(Json& json, const std::vector<TracedEvent>& events) {
  std::set<std::pair<int, int>> places;
  for (const TracedEvent& event : events) {
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
void write_lives(Json& json, const std::vector<TracedEvent>& events) {
  std::vector<TracedEvent> lives;
  for (const TracedEvent& event : events) {
    const auto rank = static_cast<std::size_t>(event.rank);
    if (rank >= lives.size()) lives.resize(rank + 1);
    if (lives[rank].rank < 0) lives[rank] = event;
    lives[rank].begin_ns = std::min(lives[rank].begin_ns, event.begin_ns);
    lives[rank].end_ns = std::max({lives[rank].end_ns, event.begin_ns, event.end_ns});
  }
  for (const TracedEvent& life : lives)
    if (life.rank >= 0) json.span(life.process, life, "runs");
}

using Ends = std::span<const TracedEvent* const>;

/// The sending that an execution belongs to, of those of one call in the order of time; nullptr:
/// none that is known. A job that has rolled back may have made the same call twice.
const TracedEvent* sending_of(Ends sent, Ends executed, std::size_t execution) {
  // The order counts, not the time: clocks of two processes may differ by more than the way takes.
  if (sent.size() == executed.size()) return sent[execution];
  const TracedEvent* last = nullptr;
  for (const TracedEvent* const event : sent)
    if (event->begin_ns <= executed[execution]->begin_ns) last = event;
  return last;
}

void write_calls(Json& json, const std::vector<TracedEvent>& events, EscapedNames& names) {
  std::vector<const TracedEvent*> all;
  for (const TracedEvent& event : events)
    if (event.kind == Kind::sent || event.kind == Kind::executed) all.push_back(&event);
  const auto call_of = [](const TracedEvent* event) {
    const bool sends = event->kind == Kind::sent;
    return std::tuple(sends ? event->rank : event->other, sends ? event->other : event->rank,
                      event->number);
  };
  const auto key = [&](const TracedEvent* event) {
    return std::tuple_cat(call_of(event),
                          std::tuple(event->kind == Kind::executed, event->begin_ns));
  };
  std::ranges::sort(all, {}, key);
  for (auto begin = all.begin(); begin != all.end();) {
    const auto end = std::find_if(begin, all.end(), [&](const TracedEvent* event) {
      return call_of(event) != call_of(*begin);
    });
    const auto middle = std::partition_point(
        begin, end, [](const TracedEvent* event) { return event->kind == Kind::sent; });
    const Ends sent(begin, middle), executed(middle, end);
    for (std::size_t i = 0; i < executed.size(); ++i) {
      const TracedEvent *const from = sending_of(sent, executed, i), *const to = executed[i];
      // No arrow points back in time.
      if (from != nullptr)
        json.arrow(names.at(to->what, "call"), {from->process, from}, from->begin_ns,
                   {to->process, to}, std::max(from->begin_ns, to->begin_ns));
    }
    begin = end;
  }
}

std::string more_of_turn(const TracedEvent& event) {
  std::string more;
  if (event.what != 0) more = fmt::format("\"then waits for\":\"{}\"", name_of_wait(event.what));
  if (event.number != 0)
    more += fmt::format("{}\"looks before\":{}", more.empty() ? "" : ",", event.number);
  return more.empty() ? more : fmt::format(",\"args\":{{{}}}", more);
}

void write_event(Json& json, const TracedEvent& event, EscapedNames& names) {
  switch (event.kind) {
    case Kind::turn:
      return json.span(event.process, event, "turn", more_of_turn(event));
    case Kind::phase:
      return json.phase(event, names.at(event.what, "phase"));
    case Kind::counter:
      return json.counter(event, names.at(event.what, "counter"));
    case Kind::wait:
      return json.span(
          event.process, event, fmt::format("waits: {}", name_of_wait(event.what)),
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

int write_for_perfetto(std::FILE* file, const Recorded& recorded, TracedNames& traced_names) {
  Json json(file, recorded.began_ns);
  write_names(json, recorded.events);
  if (!recorded.has_turns()) write_lives(json, recorded.events);
  EscapedNames names(traced_names);
  for (const TracedEvent& event : recorded.events) write_event(json, event, names);
  write_calls(json, recorded.events, names);
  return json.end();
}

}  // namespace armature::command
