#include "command/trace/recorded.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <string_view>

namespace armature::command {

using wait::TraceNames;
using wait::TracePart;

namespace {

/// Whether it is an event of the job as a whole. A process may write it right now, or was killed
/// while it did, or has written into this memory what is none.
bool is_whole(const TracedEvent& event, std::uint64_t began_ns, std::uint32_t ranks) {
  if (event.rank < 0 || static_cast<std::uint32_t>(event.rank) >= ranks ||
      event.begin_ns < began_ns)
    return false;
  switch (event.kind) {
    case TracedEvent::Kind::turn:
    case TracedEvent::Kind::wait:
    case TracedEvent::Kind::phase:
      return event.end_ns >= event.begin_ns;
    case TracedEvent::Kind::moved:
      return event.end_ns >= event.begin_ns && event.other >= 0;
    case TracedEvent::Kind::counter:
      return std::isfinite(std::bit_cast<double>(event.number));
    case TracedEvent::Kind::sent:
    case TracedEvent::Kind::executed:
    case TracedEvent::Kind::given:
      return true;
  }
  return false;
}

}  // namespace

void read_part(const PartOfFile& from, int process, std::uint32_t ranks, Recorded& recorded) {
  const auto& [file, kind, number] = from;
  const auto offset = static_cast<off_t>(kind.offset_of(number));
  // Parts that nobody has touched take no memory, and are not to by being looked at.
  if (const off_t data = lseek(file, offset, SEEK_DATA);
      data < 0 || data >= offset + static_cast<off_t>(kind.part_bytes))
    return;
  void* const start = mmap(nullptr, kind.part_bytes, PROT_READ, MAP_SHARED, file, offset);
  if (start == MAP_FAILED) return;
  auto* const part = static_cast<TracePart*>(start);
  const std::uint64_t written = part->written.load(std::memory_order_acquire);
  const std::uint64_t first = written - std::min<std::uint64_t>(written, kind.events_max());
  recorded.lost += first;
  for (std::uint64_t i = first; i < written; ++i) {
    const TracedEvent event{part->event(i, kind.events_max()), process};
    if (is_whole(event, recorded.began_ns, ranks)) recorded.events.push_back(event);
  }
  munmap(start, kind.part_bytes);
}

bool Recorded::has_turns() const {
  return std::ranges::any_of(
      events, [](const auto& event) { return event.kind == wait::TraceEvent::Kind::turn; });
}

void Recorded::keep_last(std::size_t count) {
  if (events.size() <= count) return;
  const std::size_t more = events.size() - count;
  std::vector<std::uint64_t> times;
  for (const TracedEvent& event : events) times.push_back(event.begin_ns);
  const auto first = times.begin() + static_cast<std::ptrdiff_t>(more);
  std::ranges::nth_element(times, first);
  lost += std::erase_if(events, [&](const auto& event) { return event.begin_ns < *first; });
}

Recorded read_events(int file, const wait::TraceFile& kind, const space::ControlHeader& job,
                     std::size_t events_max) {
  // The clock of a simulation begins with it.
  Recorded recorded{.began_ns = job.simulation.on != 0 ? 0 : job.started_ns};
  const auto processes = static_cast<int>(space::Control::process_slots(job));
  for (int process = 0; process < processes; ++process) {
    read_part({file, kind, process}, process, job.ranks, recorded);
    if (recorded.events.size() / 2 > events_max) recorded.keep_last(events_max);
  }
  recorded.keep_last(events_max);
  return recorded;
}

TracedNames::TracedNames(int file)
    : memory_(mmap(nullptr, TraceNames::bytes, PROT_READ, MAP_SHARED, file, 0)) {}

TracedNames::~TracedNames() {
  if (memory_ != MAP_FAILED) munmap(memory_, TraceNames::bytes);
}

const std::string& TracedNames::at(std::uint32_t number, const char* otherwise) {
  const auto [known, is_new] = known_.try_emplace(number);
  if (is_new) known->second = found(number, otherwise);
  return known->second;
}

/// A method's type may be followed by the file of its code, and the offset there, on lines each.
std::string TracedNames::found(std::uint32_t number, const char* otherwise) {
  if (memory_ == MAP_FAILED || number == 0) return otherwise;
  const std::string_view text = static_cast<const TraceNames*>(memory_)->at(number);
  const std::size_t file = text.find('\n'), offset = text.rfind('\n');
  if (file == offset) return std::string(text.empty() ? otherwise : text);
  const std::string name =
      functions_.at(std::string(text.substr(file + 1, offset - file - 1)),
                    std::strtoull(std::string(text.substr(offset + 1)).c_str(), nullptr, 16));
  return name.empty() ? std::string(text.substr(0, file)) : name;
}

const char* name_of_wait(std::uint32_t awaiting) {
  static constexpr const char* names[] = {
      "nothing", "barrier", "collective", "mutex",       "element",   "notify",
      "message", "room",    "completion", "team",        "exit",      "answer",
      "fence",   "request", "name",       "initialiser", "condition", "value"};
  static_assert(std::size(names) == static_cast<std::size_t>(space::Awaiting::value) + 1);
  return awaiting < std::size(names) ? names[awaiting] : "?";
}

}  // namespace armature::command
