#include "heap.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <armature/error.hpp>
#include <armature/layer/symmetric.hpp>
#include <armature/run.hpp>

#include "calls.hpp"
#include "extent.hpp"
#include "settings.hpp"

namespace shmem {
namespace {

constexpr std::size_t block_bytes = std::size_t{64} << 20;
/// Blocks begin at cache lines, so that what two PEs change does not share one by chance.
constexpr std::size_t line_bytes = 64;

std::size_t rounded(std::size_t bytes) {
  if (bytes > SIZE_MAX / 2) return SIZE_MAX / 2 / line_bytes * line_bytes;
  return (bytes + line_bytes - 1) / line_bytes * line_bytes;
}

/// A number, and a letter that says how many bytes it counts (OpenSHMEM 1.6, 8: K, M, G, T).
std::size_t size_of(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  static constexpr std::string_view letters = "kKmMgGtT";
  const std::size_t letter = unit.empty() ? std::string_view::npos : letters.find(unit[0]);
  const bool is_size = end != text.c_str() && number > 0 &&
                       (unit.empty() || (unit.size() == 1 && letter != std::string_view::npos));
  const double bytes = is_size && !unit.empty()
                           ? number * static_cast<double>(1ULL << (10 * (letter / 2 + 1)))
                           : number;
  if (!is_size || bytes > 0x1p47)
    refuse("SHMEM_SYMMETRIC_SIZE=" + text + " is no size: a number, with K, M, G or T behind it");
  return static_cast<std::size_t>(bytes);
}

}  // namespace

void Heap::open() {
  const char* const asked = setting("SYMMETRIC_SIZE");
  may_grow_ = asked == nullptr || *asked == '\0';
  add_block(may_grow_ ? block_bytes : rounded(size_of(asked)));
}

void Heap::close() {
  for (const auto& [begin, bytes] : blocks_)
    armature::layer::free_symmetric(armature::world(), begin);
  forget_heap();
  *this = {};
}

void Heap::add_block(std::size_t bytes) {
  auto* const begin =
      static_cast<std::byte*>(armature::layer::allocate_symmetric(armature::world(), bytes));
  blocks_.emplace_back(begin, bytes);
  free_[begin] = bytes;
  learn_extent();
}

void Heap::learn_extent() const {
  const auto [low, high] = std::minmax_element(blocks_.begin(), blocks_.end());
  know_heap(low->first, high->first + high->second);
}

void* Heap::take(std::size_t bytes, std::size_t alignment) {
  for (const auto& [begin, length] : free_) {
    const auto address = reinterpret_cast<std::uintptr_t>(begin);
    const std::size_t before = (alignment - address % alignment) % alignment;
    if (before > length || bytes > length - before) continue;
    std::byte* const block = begin + before;
    const std::size_t behind = length - before - bytes;
    std::byte* const start = begin;
    free_.erase(start);
    if (before > 0) free_[start] = before;
    if (behind > 0) free_[block + bytes] = behind;
    used_[block] = bytes;
    return block;
  }
  return nullptr;
}

void* Heap::allocate(std::size_t bytes, std::size_t alignment) {
  if (!std::has_single_bit(alignment)) return nullptr;
  const std::size_t wanted = rounded(bytes);
  const std::size_t aligned = std::max(alignment, line_bytes);
  if (void* const block = take(wanted, aligned); block != nullptr || !may_grow_) return block;
  try {
    add_block(std::max(block_bytes, rounded(wanted + aligned)));
  } catch (const armature::Error& error) {
    if (error.code() != armature::Errc::out_of_memory) throw;
    return nullptr;
  }
  return take(wanted, aligned);
}

void Heap::release(void* block) {
  std::byte* begin = static_cast<std::byte*>(block);
  std::size_t bytes = bytes_of(block);
  used_.erase(begin);
  // Neighbours of one block become one; blocks of the segment stay apart, or may be one as well.
  auto next = free_.lower_bound(begin);
  if (next != free_.end() && begin + bytes == next->first) {
    bytes += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin())
    if (const auto before = std::prev(next); before->first + before->second == begin) {
      before->second += bytes;
      return;
    }
  free_[begin] = bytes;
}

std::size_t Heap::bytes_of(void* block) const {
  const auto found = used_.find(static_cast<std::byte*>(block));
  if (found == used_.end())
    refuse(
        "there is no such block of the symmetric heap: it was freed, or none of the heap's calls "
        "has returned it",
        armature::Errc::bad_address);
  return found->second;
}

bool Heap::contains(const void* address) const {
  return std::any_of(blocks_.begin(), blocks_.end(), [&](const auto& block) {
    return address >= block.first && address < block.first + block.second;
  });
}

std::string Heap::place() const {
  std::string said;
  for (const auto& [begin, bytes] : blocks_) {
    char text[64];
    std::snprintf(text, sizeof text, "%s%p to %p", said.empty() ? "" : ", ",
                  static_cast<void*>(begin), static_cast<void*>(begin + bytes));
    said += text;
  }
  return said.empty() ? "empty" : said;
}

}  // namespace shmem
