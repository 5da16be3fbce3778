#include "heap.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
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
  add_block(may_grow_ ? block_bytes : heap::rounded(size_of(asked)));
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
  pieces_.add(begin, bytes);
  learn_extent();
}

void Heap::learn_extent() const {
  const auto [low, high] = std::minmax_element(blocks_.begin(), blocks_.end());
  know_heap(low->first, high->first + high->second);
}

void* Heap::allocate(std::size_t bytes, std::size_t alignment) {
  if (!std::has_single_bit(alignment)) return nullptr;
  const std::size_t wanted = heap::rounded(bytes);
  const std::size_t aligned = std::max(alignment, heap::line_bytes);
  if (void* const block = pieces_.take(wanted, aligned); block != nullptr || !may_grow_)
    return block;
  try {
    add_block(std::max(block_bytes, heap::rounded(wanted + aligned)));
  } catch (const armature::Error& error) {
    if (error.code() != armature::Errc::out_of_memory) throw;
    return nullptr;
  }
  return pieces_.take(wanted, aligned);
}

void Heap::release(void* block) {
  (void)bytes_of(block);
  (void)pieces_.release(block);
}

std::size_t Heap::bytes_of(void* block) const {
  const std::optional<std::size_t> bytes = pieces_.bytes_of(block);
  if (!bytes)
    refuse(
        "there is no such block of the symmetric heap: it was freed, or none of the heap's calls "
        "has returned it",
        armature::Errc::bad_address);
  return *bytes;
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
