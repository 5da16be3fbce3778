#include "fibers/files_of_ranks.hpp"

#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/process_memory.hpp"
#include "fibers/rank_malloc.hpp"
#include "image/copies.hpp"

namespace armature::fibers {
namespace {

const space::Mapping& mapping() { return *space::Mapping::of_process(); }

RankFiber& fiber_of(Rank rank) { return RankFiber::of(mapping(), rank); }

/// The job and the node where files were packed.
struct Origin {
  std::int32_t launcher, node;
  friend bool operator==(const Origin&, const Origin&) = default;
};

Origin origin_here() {
  const space::ControlHeader& job = mapping().header();
  return {job.launcher.pid, static_cast<std::int32_t>(job.node)};
}

void append(void* all, const void* bytes, std::size_t count) {
  auto& into = *static_cast<std::vector<std::byte>*>(all);
  const auto* const begin = static_cast<const std::byte*>(bytes);
  into.insert(into.end(), begin, begin + count);
}

/// Whether another process has what the rank has left here, or nobody wants it. Acquire: the other
/// one has opened it.
bool is_settled(std::size_t number, const void* of) {
  const HostProcess& host = *static_cast<const HostProcess*>(of);
  const auto rank = static_cast<int>(number);
  if (!host.mapping.is_here(rank)) return true;
  const RankFiber& fiber = host.fiber(rank);
  // While it is here, it may be about to leave.
  if (host.mapping.slot(rank).process.load(std::memory_order_acquire) == host.number)
    return fiber.packed.first == nullptr;
  return fiber.heap->files.holder.load(std::memory_order_acquire) != host.pid;
}

}  // namespace

bool keeps_files(Rank rank) {
  const space::RankHeap* const heap = fiber_of(rank).heap;
  return heap != nullptr && heap->files.open.load(std::memory_order_relaxed) != 0;
}

void pack_files(Rank rank, std::vector<std::byte>& to) {
  const interpose::MovingFiles* const files = moving_files();
  if (files == nullptr) return;
  const Origin origin = origin_here();
  append(&to, &origin, sizeof origin);
  files->pack(static_cast<std::size_t>(rank), append, &to);
}

void unpack_files(Rank rank, std::span<const std::byte> from) {
  const interpose::MovingFiles* const files = moving_files();
  if (files == nullptr)
    base::fail(
        Errc::misuse,
        fmt::format("rank {} has files open, and this process does not know of ranks' files: "
                    "{}",
                    static_cast<int>(rank), why_malloc_knows_no_ranks()));
  Origin origin{};
  if (from.size() < sizeof origin) base::fail(Errc::corrupt, "what a rank has open");
  std::memcpy(&origin, from.data(), sizeof origin);
  from = from.subspan(sizeof origin);
  interpose::MovingFiles::Problem problem;
  if (files->unpack(static_cast<std::size_t>(rank), from.data(), from.size(),
                    origin == origin_here(), problem))
    return;
  if (problem.path[0] == '\0') base::fail(Errc::corrupt, "what a rank has open");
  base::fail(Errc::bad_argument,
             fmt::format("rank {} cannot go on with the file {}, which it had open: {}",
                         static_cast<int>(rank), problem.path,
                         problem.error != 0 ? base::system_text(problem.error) : problem.why));
}

// A rank that has left the job goes on to the end of its program.
void forget_files(Rank rank) {
  const interpose::MovingFiles* const files = moving_files();
  if (files == nullptr) return;
  if (mapping().slot(rank).life.load(std::memory_order_relaxed) == space::Life::finished) return;
  files->forget(static_cast<std::size_t>(rank));
}

std::string why_not_reopen(const RankFiber& fiber) {
  const interpose::MovingFiles* const files = moving_files();
  interpose::MovingFiles::Problem problem;
  if (files == nullptr || !keeps_files(fiber.rank) ||
      !files->find_nameless(static_cast<std::size_t>(fiber.rank), problem))
    return {};
  return fmt::format("rank {} has the file {} open: {}", fiber.rank, problem.path, problem.why);
}

void end_files(const RankFiber& fiber) {
  if (const interpose::MovingFiles* const files = moving_files())
    files->end(static_cast<std::size_t>(fiber.rank), image::copies() != nullptr);
}

bool some_files_are_left() {
  const interpose::MovingFiles* const files = moving_files();
  return files != nullptr && files->left->load(std::memory_order_relaxed) != 0;
}

void close_files_left(const HostProcess& host) {
  const base::ProcessMemory memory;
  moving_files()->close_left(is_settled, &host);
}

}  // namespace armature::fibers
