#include "simulation/timed_stacks.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "space/virtual_segment.hpp"

namespace armature::simulation {
namespace {

constexpr std::uint64_t untouched = 0x5ac1'1e5f'0a57'ac4d;

}  // namespace

TimedStacks::TimedStacks(std::size_t ranks) {
  if (space::VirtualSegment::guards_are_areas(ranks)) return;
  const std::size_t bytes = ranks * bytes_each;
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  (void)madvise(memory, bytes, MADV_NOHUGEPAGE);  // one would have the stacks of eight ranks
  area_ = {static_cast<std::byte*>(memory), bytes};
}

TimedStacks::~TimedStacks() {
  if (!area_.empty()) munmap(area_.data(), area_.size());
}

std::unique_ptr<fibers::Fiber> TimedStacks::fiber(std::size_t rank, std::function<void()> body) {
  if (area_.empty()) return std::make_unique<fibers::Fiber>(bytes_each, std::move(body));
  const auto stack = area_.subspan(rank * bytes_each, bytes_each);
  std::memcpy(stack.data(), &untouched, sizeof untouched);
  return std::make_unique<fibers::Fiber>(stack.subspan(sizeof untouched), std::move(body));
}

bool TimedStacks::is_used_up(std::size_t rank) const {
  return !area_.empty() &&
         std::memcmp(area_.data() + rank * bytes_each, &untouched, sizeof untouched) != 0;
}

}  // namespace armature::simulation
