#include "engines/sim/turn_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/file_descriptor.hpp"
#include "base/futex.hpp"

namespace armature::transport::sim {

namespace {

constexpr const char* file_key = "simulation.turns";
constexpr std::size_t lane_bytes = std::size_t{1} << 20;

std::size_t file_bytes(std::size_t head_bytes, int processes) {
  const auto count = static_cast<std::size_t>(processes);
  return head_bytes + count * count * lane_bytes;
}

/// Made by the first process; the others open it while it keeps it.
base::FileDescriptor meet(bootstrap::Exchange& exchange, std::size_t bytes, bool comes_later) {
  base::FileDescriptor file;
  if (exchange.process() == 0) {
    file = base::FileDescriptor(memfd_create("armature-turns", MFD_CLOEXEC));
    if (!file || ftruncate(file.get(), static_cast<off_t>(bytes)) != 0)
      base::fail(Errc::start,
                 fmt::format("no memory for a simulation: {}", base::system_text(errno)));
    const std::string path = fmt::format("/proc/{}/fd/{}", getpid(), file.get());
    exchange.put(file_key, std::as_bytes(std::span(path)));
  }
  if (!comes_later) exchange.fence();
  if (exchange.process() != 0) {
    const std::vector<std::byte> told = exchange.get(0, file_key);
    const std::string path(reinterpret_cast<const char*>(told.data()), told.size());
    file = base::FileDescriptor(open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (!file)
      base::fail(Errc::start,
                 fmt::format("a simulation's memory, {}: {}", path, base::system_text(errno)));
  }
  return file;
}

}  // namespace

TurnMemory::TurnMemory(bootstrap::Exchange& exchange, std::uint64_t seed, int later)
    : process_(exchange.process()),
      processes_at_first_(exchange.processes()),
      processes_(processes_at_first_ + later) {
  if (processes_ > processes_max)
    base::fail(Errc::start, fmt::format("a simulation of {} processes on several nodes: there may "
                                        "be {}",
                                        processes_, processes_max));
  const std::size_t bytes = file_bytes(sizeof(Shared), processes_);
  const bool comes_later = process_ >= processes_at_first_;
  base::FileDescriptor file = meet(exchange, bytes, comes_later);
  void* const start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (start == MAP_FAILED)
    base::fail(Errc::start,
               fmt::format("a simulation's memory cannot be mapped: {}", base::system_text(errno)));
  shared_ = static_cast<Shared*>(start);
  if (process_ == 0) {
    new (shared_) Shared;
    shared_->random = base::Random(seed);
    for (Actor& actor : shared_->actors)
      actor.weight = shared_->random.chance(0.25)
                         ? 1
                         : static_cast<std::uint32_t>(1 + shared_->random.below(40));
  }
  if (!comes_later) exchange.fence();  // all have opened the first one's file
  if (process_ == 0 && later > 0) file_ = std::move(file);
}

std::span<std::byte> TurnMemory::lane(int from, int to) const {
  const auto number = static_cast<std::size_t>(from) * static_cast<std::size_t>(processes_) +
                      static_cast<std::size_t>(to);
  return {reinterpret_cast<std::byte*>(shared_ + 1) + number * lane_bytes, lane_bytes};
}

int TurnMemory::choose() const {
  const auto weight = [&](std::size_t p) -> std::uint64_t {
    const Actor& one = actor(static_cast<int>(p));
    return one.ended ? 0 : one.weight;
  };
  return static_cast<int>(shared_->random.choose(static_cast<std::size_t>(processes_), weight));
}

void TurnMemory::give_turn(int process) const {
  actor(process).has_turn.store(1, std::memory_order_release);
  base::futex_wake(actor(process).has_turn);
}

bool TurnMemory::others_are_left() const {
  for (int p = 0; p < processes_; ++p)
    if (p != process_ && !actor(p).ended) return true;
  return false;
}

bool TurnMemory::some_are_under_way() const {
  for (int p = 0; p < processes_; ++p)
    if (!actor(p).ended && (actor(p).waiting != 0 || actor(p).under_way != 0)) return true;
  return false;
}

}  // namespace armature::transport::sim
