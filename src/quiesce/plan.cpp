#include "quiesce/plan.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "net/network.hpp"
#include "quiesce/records.hpp"
#include "wait/processes.hpp"

namespace armature::quiesce {

using net::network;

namespace {

/// Tells what becomes of some ranks. Behind it lie their processes, and behind those of the last
/// ones the directory of a checkpoint, if there is to be one.
struct PlanRecord {
  std::uint32_t number;
  std::int32_t first;
  std::uint32_t count;
  std::uint16_t is_last;  // 1: now all is told
  std::uint16_t is_incremental;
  space::KeptIn where;
  std::uint32_t changed_since;
  std::uint64_t folder_number;
  std::uint64_t id, goes_on_from;
};
static_assert(sizeof(PlanRecord) == 48);

constexpr std::size_t count_max =
    (transport::Link::body_bytes_max - sizeof(PlanRecord) - space::QuiesceState::text_max) /
    sizeof(int);

void write(const space::Mapping& mapping, const PlanRecord& record, const std::byte* processes,
           std::string_view directory) {
  for (std::uint32_t i = 0; i < record.count; ++i) {
    std::int32_t process = 0;
    std::memcpy(&process, processes + i * sizeof process, sizeof process);
    ARMATURE_ASSERT(process >= 0 && process < static_cast<int>(mapping.header().processes));
    mapping.slot(record.first + static_cast<int>(i))
        .load.goes_to.store(process, std::memory_order_relaxed);
  }
  if (record.is_last == 0) return;
  space::ControlHeader& job = mapping.header();
  std::memcpy(job.quiesce.folder.directory, directory.data(), directory.size());
  job.quiesce.folder.directory[directory.size()] = '\0';
  job.quiesce.folder.number = record.folder_number;
  if (record.id != 0) job.quiesce.folder.begin(record.id);
  job.quiesce.folder.goes_on_from = record.goes_on_from;
  job.quiesce.incremental.is_wanted.store(record.is_incremental, std::memory_order_relaxed);
  job.quiesce.incremental.since.store(record.changed_since, std::memory_order_relaxed);
  job.quiesce.where.store(record.where, std::memory_order_relaxed);
  // Release: who sees that it is wanted sees where all go.
  job.quiesce.wanted.store(record.number, std::memory_order_release);
  wait::wake_processes({reinterpret_cast<std::byte*>(&job)});
}

enum class Change : std::uint32_t { leaves, comes };

/// Before the plan, on the same link: a process leaves when all have gone where they are to go, or
/// comes before they do.
struct ChangeRecord {
  std::uint32_t number;
  std::int32_t process;
  Change change;
};

void write(const space::Mapping& mapping, const ChangeRecord& record) {
  space::ProcessSlot& slot = mapping.process_slot(record.process);
  (record.change == Change::leaves ? slot.leaves : slot.comes)
      .store(record.number, std::memory_order_release);
}

void on_change(const transport::Arrived& arrived) {
  const auto record = arrived.head<ChangeRecord>();
  const space::Mapping& mapping = network()->mapping();
  if (record.process < 0 || record.process >= static_cast<int>(mapping.header().processes) ||
      record.change > Change::comes)
    base::fail(Errc::corrupt, fmt::format("process {} says that process {} leaves or comes",
                                          arrived.process, record.process));
  write(mapping, record);
}

void on_plan(const transport::Arrived& arrived) {
  const auto record = arrived.head<PlanRecord>();
  const auto processes = arrived.rest(sizeof record);
  const space::Mapping& mapping = network()->mapping();
  if (record.first < 0 || record.first > mapping.ranks() ||
      record.count > static_cast<std::uint32_t>(mapping.ranks() - record.first) ||
      processes.size() < record.count * sizeof(std::int32_t) ||
      processes.size() - record.count * sizeof(std::int32_t) >= space::QuiesceState::text_max ||
      record.where > space::KeptIn::next_start)
    base::fail(Errc::corrupt, fmt::format("process {} tells of {} ranks from {} on",
                                          arrived.process, record.count, record.first));
  const auto processes_of_job = static_cast<std::int32_t>(mapping.header().processes);
  for (std::uint32_t i = 0; i < record.count; ++i) {
    std::int32_t process = 0;
    std::memcpy(&process, processes.data() + i * sizeof process, sizeof process);
    if (process < 0 || process >= processes_of_job)
      base::fail(Errc::corrupt,
                 fmt::format("process {} sends a rank to process {}", arrived.process, process));
  }
  const auto directory = processes.subspan(record.count * sizeof(std::int32_t));
  write(mapping, record, processes.data(),
        {reinterpret_cast<const char*>(directory.data()), directory.size()});
}

/// Tells the first processes of other nodes.
void tell_who_changes(const space::Mapping& mapping, const std::set<int>& others, const Plan& all) {
  const transport::Links::Lock locked(network()->links().lock());
  const auto tell = [&](const ChangeRecord& record) {
    write(mapping, record);
    for (const int other : others)
      network()->links().to(other).post(Kind::change, -1, -1, record, transport::Link::Ack::later);
  };
  for (const int process : all.leaving) tell({all.number, process, Change::leaves});
  for (const int process : all.coming) tell({all.number, process, Change::comes});
}

/// Finds one process of each other node.
std::set<int> first_processes(const space::Mapping& mapping) {
  std::set<int> nodes, processes;
  for (const int process : network()->others())
    if (!wait::is_gone(mapping.process_slot(process)) &&
        nodes.insert(mapping.process_slot(process).node).second)
      processes.insert(process);
  return processes;
}

}  // namespace

const std::array<transport::Handling, 2> plan_handlers{{
    {.kind = transport::number_of(Kind::change), .handler = on_change},
    {.kind = transport::number_of(Kind::plan), .handler = on_plan},
}};

void announce(const space::Mapping& mapping, const Plan& all) {
  static_assert(sizeof(int) == sizeof(std::int32_t));
  ARMATURE_ASSERT(all.directory.size() < space::QuiesceState::text_max);
  const std::set<int> others = first_processes(mapping);
  tell_who_changes(mapping, others, all);
  for (std::size_t first = 0; first < all.processes.size(); first += count_max) {
    const auto part =
        all.processes.subspan(first, std::min(count_max, all.processes.size() - first));
    const auto bytes = std::as_bytes(part);
    const bool is_last = first + part.size() == all.processes.size();
    const std::string_view directory = is_last ? all.directory : std::string_view();
    const PlanRecord record{all.number,
                            static_cast<std::int32_t>(first),
                            static_cast<std::uint32_t>(part.size()),
                            static_cast<std::uint16_t>(is_last ? 1 : 0),
                            static_cast<std::uint16_t>(all.is_incremental ? 1 : 0),
                            all.where,
                            all.changed_since,
                            all.folder_number,
                            all.id,
                            all.goes_on_from};
    {
      const transport::Links::Lock locked(network()->links().lock());
      for (const int other : others) {
        transport::Link& link = network()->links().to(other);
        std::byte* const body =
            link.append(Kind::plan, -1, -1, sizeof record + bytes.size() + directory.size(),
                        transport::Link::Ack::later);
        std::memcpy(body, &record, sizeof record);
        std::memcpy(body + sizeof record, bytes.data(), bytes.size());
        if (!directory.empty())
          std::memcpy(body + sizeof record + bytes.size(), directory.data(), directory.size());
        link.flush();
      }
    }
    write(mapping, record, bytes.data(), directory);
  }
}

}  // namespace armature::quiesce
