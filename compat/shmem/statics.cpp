#include "statics.hpp"

#include <cstdint>
#include <cstdio>

#include <armature/layer/races.hpp>
#include <armature/layer/symmetric.hpp>
#include <armature/run.hpp>

#include "extent.hpp"

namespace shmem {
namespace {

bool lies_in(const void* address, const std::byte* begin, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(begin) <
         bytes;
}

}  // namespace

void Statics::open() {
  if (is_open_) return;
  is_open_ = true;
  variables_ = armature::layer::symmetric_variables(armature::world());
  if (variables_.bytes != 0) learn_extent();
}

bool Statics::contains(const void* address) const {
  return lies_in(address, variables_.mine, variables_.bytes) ||
         lies_in(address, variables_.place, variables_.bytes);
}

void Statics::learn_extent() const {
  const auto before = static_cast<std::uintptr_t>(armature::world().rank()) *
                      static_cast<std::uintptr_t>(armature::layer::segment_stride());
  statics_extent.own = reinterpret_cast<std::uintptr_t>(variables_.mine);
  statics_extent.begin = reinterpret_cast<std::uintptr_t>(variables_.place) - before;
  // Release: who sees these bytes sees where they begin.
  statics_extent.bytes.store(variables_.bytes, std::memory_order_release);
  if (looks_for_races && variables_.mine != variables_.place)
    armature::layer::variables_are_in_segment(variables_.mine, variables_.bytes, variables_.place);
}

std::string Statics::place() const {
  if (variables_.bytes == 0)
    return "the program's static and global variables are not symmetric: " + variables_.why_none;
  char text[96];
  std::snprintf(text, sizeof text, "the program's static and global variables lie from %p to %p",
                static_cast<void*>(variables_.mine),
                static_cast<void*>(variables_.mine + variables_.bytes));
  return text;
}

void* static_at_pe(const void* address, int pe) {
  const std::size_t bytes = statics_extent.bytes.load(std::memory_order_acquire);
  const std::uintptr_t begin = statics_extent.begin.load(std::memory_order_relaxed);
  const int bits = heap_extent.stride_bits.load(std::memory_order_relaxed);
  const std::uintptr_t from_own = reinterpret_cast<std::uintptr_t>(address) -
                                  statics_extent.own.load(std::memory_order_relaxed);
  const std::uintptr_t from_first = reinterpret_cast<std::uintptr_t>(address) - begin;
  std::uintptr_t offset = from_own;
  if (offset >= bytes) {
    // By its place in any rank's segment.
    offset = from_first & ((std::uintptr_t{1} << bits) - 1);
    if (offset >= bytes || from_first >= heap_extent.span.load(std::memory_order_relaxed))
      return nullptr;
  }
  return reinterpret_cast<void*>(begin + offset + (static_cast<std::uintptr_t>(pe) << bits));
}

}  // namespace shmem
