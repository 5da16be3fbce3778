#include "world/requests.hpp"

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "armature/collectives.hpp"
#include "base/fail.hpp"
#include "base/message.hpp"
#include "bootstrap/environment.hpp"
#include "checkpoint/folder.hpp"
#include "wait/processes.hpp"
#include "wait/rank_context.hpp"
#include "world/gather_first.hpp"
#include "world/process.hpp"

namespace armature::hosting {
namespace {

/// Seen by one rank, on its node.
struct Seen {
  std::int32_t process = -1;    // that it is in
  bool leaves = false;          // that one was asked to end
  std::uint32_t processes = 0;  // wanted; 0: nobody has asked since the last answer
  std::uint32_t number = 0;     // of who has asked last
};

Seen look(const space::Mapping& mapping, int rank) {
  const space::Resize& resize = mapping.header().resize;
  const std::uint64_t wanted = resize.wanted.load(std::memory_order_acquire);
  const auto number = static_cast<std::uint32_t>(wanted >> 32);
  const bool is_new = number != resize.answered.load(std::memory_order_acquire);
  const int process = mapping.slot(rank).process.load(std::memory_order_relaxed);
  return {
      .process = process,
      .leaves = mapping.process_slot(process).wants_to_leave.load(std::memory_order_acquire) != 0,
      .processes = is_new ? static_cast<std::uint32_t>(wanted) : 0,
      .number = number};
}

/// Gives all ranks what rank 0 has.
void share(const World& world, Requests& requests) {
  struct Counts {
    std::uint32_t processes, leaving, all;
  };
  std::vector<int> numbers(requests.leaving.begin(), requests.leaving.end());
  numbers.insert(numbers.end(), requests.hosting.begin(), requests.hosting.end());
  const auto [processes, leaving, all] =
      broadcast(world,
                Counts{requests.processes, static_cast<std::uint32_t>(requests.leaving.size()),
                       static_cast<std::uint32_t>(numbers.size())},
                0);
  numbers.resize(all);
  broadcast<int>(world, numbers, 0);
  requests.processes = processes;
  requests.leaving.insert(numbers.begin(), numbers.begin() + leaving);
  requests.hosting.insert(numbers.begin() + leaving, numbers.end());
}

Requests gather(const World& world, const space::Mapping& mapping) {
  const Seen mine = look(mapping, world.rank());
  Requests requests{.number = mine.number};
  // Only its own node knows in which process a rank is.
  for (const Seen& seen : gather_first(world, mine)) {
    if (seen.processes != 0) requests.processes = seen.processes;
    if (seen.leaves) requests.leaving.insert(seen.process);
    requests.hosting.insert(seen.process);
  }
  share(world, requests);
  return requests;
}

bool is_first_here(const space::Mapping& mapping, int rank) {
  for (int other = 0; other < rank; ++other)
    if (mapping.is_here(other)) return false;
  return true;
}

}  // namespace

Requests gather_requests(const World& world, const char* call) {
  const space::Mapping& mapping = wait::mapping(call);
  const Requests requests = gather(world, mapping);
  if (requests.leaving.empty()) return requests;
  constexpr timespec moment{0, 50'000'000};
  if (world.rank() == 0) nanosleep(&moment, nullptr);
  world.barrier();
  return gather(world, mapping);
}

void answer_requests(const space::Mapping& mapping, int rank, const Requests& requests,
                     const std::string& refusal) {
  if (!is_first_here(mapping, rank)) return;
  space::ControlHeader& job = mapping.header();
  base::copy_text(job.resize.refusal, refusal);
  for (const int process : requests.leaving) mapping.process_slot(process).wants_to_leave.store(0);
  job.resize.answered.store(requests.number, std::memory_order_release);
}

void write_requests(const space::Mapping& mapping, const Requests& requests,
                    const std::string& folder) {
  const bootstrap::ProcessTable* const process_table = Process::process_table();
  if (process_table == nullptr) return;
  struct Host {
    std::string name;
    int stay = 0, all = 0;
  };
  std::map<int, Host> hosts;
  for (int process = 0; process < std::ssize(process_table->members); ++process) {
    if (wait::is_lost(mapping.process_slot(process))) continue;
    const bootstrap::Member& member = process_table->members[static_cast<std::size_t>(process)];
    Host& host = hosts[member.node];
    host.name = member.host;
    ++host.all;
    if (!requests.leaving.contains(process)) ++host.stay;
  }
  int staying = 0;
  for (const auto& [node, host] : hosts) staying += host.stay;
  const std::string path = folder + "/" + bootstrap::resize_file_begun;
  std::ofstream file(path);
  file << fmt::format("processes {}\n", requests.processes != 0
                                            ? requests.processes
                                            : static_cast<std::uint32_t>(staying));
  for (const auto& [node, host] : hosts)
    file << fmt::format("host {} {} {}\n", host.stay, host.all, host.name);
  if (!file.flush())
    base::fail(Errc::corrupt,
               fmt::format("{} cannot be written: {}", path, base::system_text(errno)));
}

void confirm_requests(const space::Mapping& mapping) {
  const space::ControlHeader& job = mapping.header();
  if (job.resize.restart.load(std::memory_order_acquire) != space::Restart::complete) return;
  const std::string folder = checkpoints::own_folder(job.quiesce);
  (void)std::rename((folder + "/" + bootstrap::resize_file_begun).c_str(),
                    (folder + "/" + bootstrap::resize_file).c_str());
}

}  // namespace armature::hosting
