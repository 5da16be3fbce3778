// The compiled half of armature/captures.hpp.
#include "armature/captures.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "rmi/endpoint.hpp"
#include "space/virtual_segment.hpp"

namespace armature::detail {

namespace {

constexpr std::uintptr_t least_address = 64 * 1024;
constexpr int address_bits = 47;
/// Memory of one process alone is looked for from here on, where Linux puts libraries, heaps,
/// stacks and programs that are position-independent. What lies below is the job's and the shadow
/// memory of sanitizers, into which a word falls that is two small integers side by side, and
/// programs that are not position-independent, into which an integer falls that counts millions.
constexpr std::uintptr_t least_own_address = 0x5000'0000'0000;

bool is_mapped(std::uintptr_t address) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  unsigned char is_in_memory = 0;
  return mincore(reinterpret_cast<void*>(address / page * page), 1, &is_in_memory) == 0;
}

/// Names the memory that an address is of, where other ranks do not have it; or nullptr.
const char* private_memory(const space::AddressSpace& space, std::uintptr_t address) {
  if (address < least_address || address >> address_bits != 0) return nullptr;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const Rank me = space.me();
  const auto segment = reinterpret_cast<std::uintptr_t>(space.segment(me));
  const bool has_stack_in_segment = here - segment < space.segment_bytes();
  if (has_stack_in_segment) {
    const space::VirtualSegment areas(space.header());
    const auto number = static_cast<std::uint64_t>(static_cast<int>(me));
    const std::uintptr_t at = address - segment;
    if (areas.stack_low(number) <= at && at < areas.stack_top(number)) return "stack";
  }
  for (int rank = 0; rank < space.ranks(); ++rank) {
    const auto begin = reinterpret_cast<std::uintptr_t>(space.segment(rank));
    if (begin <= address && address < begin + space.segment_bytes()) return nullptr;
  }
  constexpr std::uintptr_t near = 1024 * 1024;
  if (here <= address && address - here < near && is_mapped(address)) return "stack";
  return address >= least_own_address && is_mapped(address) ? "process's own memory" : nullptr;
}

/// "[with F = X]" of the compiler's spelling.
std::string_view type_in(std::string_view spelling) {
  const std::size_t begin = spelling.find("F = ");
  if (begin == std::string_view::npos) return "a function object";
  const std::string_view rest = spelling.substr(begin + 4);
  return rest.substr(0, rest.rfind(']'));
}

}  // namespace

bool checks_captures() {
  return rmi::this_endpoint("a call of a container").space().checks_in_full();
}

void check_captures(const void* function, std::size_t bytes, const char* call,
                    const char* spelling) {
  const space::AddressSpace& space = rmi::this_endpoint(call).space();
  for (std::size_t at = 0; at + sizeof(std::uintptr_t) <= bytes; at += sizeof(std::uintptr_t)) {
    std::uintptr_t word = 0;
    std::memcpy(&word, static_cast<const std::byte*>(function) + at, sizeof word);
    const char* const what = private_memory(space, word);
    if (what == nullptr) continue;
    base::fail(Errc::bad_argument,
               fmt::format("{}: the function has captured {:#x}, an address of rank {}'s {} (byte "
                           "{} of {}): it means nothing on another rank. Pass values, or a "
                           "global_ptr",
                           call, word, static_cast<int>(space.me()), what, at, type_in(spelling)));
  }
}

}  // namespace armature::detail
