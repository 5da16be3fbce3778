#include "command/trace/loads.hpp"

#include <algorithm>

namespace armature::command {

using Kind = wait::TraceEvent::Kind;

namespace {

struct Span {
  std::uint64_t begin_ns = 0, end_ns = 0;
};

/// Adds to each interval of a row how much of it the span takes.
void add(std::vector<double>& row, const Loads& all, Span span, double sign) {
  const double width =
      static_cast<double>(all.end_ns - all.begin_ns) / static_cast<double>(row.size());
  const double begin = static_cast<double>(std::max(span.begin_ns, all.begin_ns) - all.begin_ns);
  const double end = static_cast<double>(std::min(span.end_ns, all.end_ns) - all.begin_ns);
  if (width <= 0 || end <= begin) return;
  const auto last = std::min(static_cast<std::size_t>(end / width), row.size() - 1);
  for (auto i = static_cast<std::size_t>(begin / width); i <= last; ++i) {
    const double low = static_cast<double>(i) * width;
    row[i] += sign * std::max(0.0, std::min(end, low + width) - std::max(begin, low)) / width;
  }
}

/// Waits may lie in each other: what they cover together, in order.
std::vector<Span> covered(std::vector<Span> spans) {
  std::ranges::sort(spans, {}, &Span::begin_ns);
  std::vector<Span> apart;
  for (const Span& span : spans) {
    if (!apart.empty() && span.begin_ns <= apart.back().end_ns)
      apart.back().end_ns = std::max(apart.back().end_ns, span.end_ns);
    else
      apart.push_back(span);
  }
  return apart;
}

std::uint64_t end_of(const TracedEvent& event) { return std::max(event.begin_ns, event.end_ns); }

}  // namespace

Loads loads_over_time(const Recorded& recorded, std::size_t intervals) {
  Loads loads;
  if (recorded.events.empty()) return loads;
  loads.begin_ns = UINT64_MAX;
  const std::size_t ranks = ranks_in(recorded, SIZE_MAX);
  const bool has_turns = recorded.has_turns();
  std::vector<Span> lives(ranks, {UINT64_MAX, 0});
  std::vector<std::vector<Span>> spans(ranks);
  for (const TracedEvent& event : recorded.events) {
    const auto rank = static_cast<std::size_t>(event.rank);
    loads.begin_ns = std::min(loads.begin_ns, event.begin_ns);
    loads.end_ns = std::max(loads.end_ns, end_of(event));
    lives[rank].begin_ns = std::min(lives[rank].begin_ns, event.begin_ns);
    lives[rank].end_ns = std::max(lives[rank].end_ns, end_of(event));
    if (event.kind == (has_turns ? Kind::turn : Kind::wait))
      spans[rank].push_back({event.begin_ns, event.end_ns});
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    std::vector<double>& row = loads.of_ranks.emplace_back(intervals);
    if (!has_turns && lives[rank].end_ns != 0) add(row, loads, lives[rank], 1);
    for (const Span& span : covered(std::move(spans[rank])))
      add(row, loads, span, has_turns ? 1 : -1);
    for (double& part : row) part = std::clamp(part, 0.0, 1.0);
  }
  return loads;
}

double Matrix::most() const {
  return values_.empty() ? 0 : *std::max_element(values_.begin(), values_.end());
}

Matrix Matrix::in_groups(std::size_t by) const {
  Matrix fewer((ranks_ + by - 1) / by);
  for (std::size_t from = 0; from < ranks_; ++from)
    for (std::size_t to = 0; to < ranks_; ++to)
      fewer.add(static_cast<int>(from / by), static_cast<int>(to / by), at(from, to));
  return fewer;
}

std::size_t ranks_in(const Recorded& recorded, std::size_t most) {
  int last = -1;
  for (const TracedEvent& event : recorded.events) last = std::max(last, event.rank);
  return std::min(static_cast<std::size_t>(last + 1), most);
}

Matrix calls_between(const Recorded& recorded, std::size_t ranks) {
  Matrix calls(ranks);
  for (const TracedEvent& event : recorded.events)
    if (event.kind == Kind::sent) calls.add(event.rank, event.other, 1);
  return calls;
}

Matrix waits_between(const Recorded& recorded, std::size_t ranks) {
  Matrix waits(ranks);
  for (const TracedEvent& event : recorded.events)
    if (event.kind == Kind::wait)
      waits.add(event.rank, event.other, static_cast<double>(event.end_ns - event.begin_ns) * 1e-9);
  return waits;
}

}  // namespace armature::command
