#include "wait/recorded_links.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cstdlib>

#include "base/file_descriptor.hpp"
#include "wait/rank_context.hpp"

namespace armature::wait {

namespace {

/// The calling rank's entry for that one; nullptr where there is none.
std::atomic<std::uint64_t>* entry(int partner) {
  const TraceState& state = detail::trace_state;
  const RankContext* const rank = current_rank();
  if (rank == nullptr) return nullptr;
  const int me = rank->space.me();
  if (partner == me || partner < 0 || partner >= state.ranks) return nullptr;
  const std::size_t row = static_cast<std::size_t>(me) * static_cast<std::size_t>(state.ranks);
  return &state.links[row + static_cast<std::size_t>(partner)];
}

}  // namespace

void detail::add_to_link(int partner, std::uint64_t bytes) {
  if (auto* const sum = entry(partner)) sum->fetch_add(bytes, std::memory_order_relaxed);
}

std::uint64_t bytes_of_link(int partner) {
  const auto* const sum = entry(partner);
  return sum != nullptr ? sum->load(std::memory_order_relaxed) : 0;
}

void open_recorded_links(int ranks) {
  const char* const path = std::getenv(links_variable);
  if (path == nullptr) return;
  const base::FileDescriptor file(open(path, O_RDWR | O_CLOEXEC));
  unsetenv(links_variable);  // programs that this process starts are none of the job
  const auto side = static_cast<std::size_t>(ranks);
  const std::size_t bytes = side * side * sizeof(std::uint64_t);
  struct stat status {};
  // A process that writes behind a file's end is killed.
  if (!file || fstat(file.get(), &status) != 0 || static_cast<std::size_t>(status.st_size) < bytes)
    return;
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (at == MAP_FAILED) return;
  detail::trace_state.links = static_cast<std::atomic<std::uint64_t>*>(at);
  detail::trace_state.ranks = ranks;
}

}  // namespace armature::wait
