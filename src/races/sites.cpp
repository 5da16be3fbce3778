#include "races/sites.hpp"

#include <execinfo.h>
#include <link.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/runtime.hpp"

namespace armature::races {
namespace {

/// The addresses of the library that this code is in; none where that is the program itself.
struct OwnCode {
  std::uintptr_t begin = 0, end = 0;
  OwnCode() { dl_iterate_phdr(&OwnCode::look, this); }
  [[nodiscard]] bool has(const void* address) const {
    const auto number = reinterpret_cast<std::uintptr_t>(address);
    return number >= begin && number < end;
  }

 private:
  static int look(dl_phdr_info* file, std::size_t, void* found) {
    OwnCode& own = *static_cast<OwnCode*>(found);
    const auto here = reinterpret_cast<std::uintptr_t>(&site_of_caller);
    std::uintptr_t low = UINTPTR_MAX, high = 0;
    for (int i = 0; i < file->dlpi_phnum; ++i) {
      const auto& part = file->dlpi_phdr[i];
      if (part.p_type != PT_LOAD) continue;
      low = std::min(low, file->dlpi_addr + part.p_vaddr);
      high = std::max(high, file->dlpi_addr + part.p_vaddr + part.p_memsz);
    }
    if (here < low || here >= high) return 0;
    const bool is_program = file->dlpi_name == nullptr || *file->dlpi_name == '\0';
    if (!is_program) {
      own.begin = low;
      own.end = high;
    }
    return 1;
  }
};

bool are_alike(const Site& a, const Site& b) { return a.frames == b.frames && a.call == b.call; }

}  // namespace

Site site_of_caller(const char* call) {
  constexpr int depth_max = 32;
  void* stack[depth_max];
  const int depth = backtrace(stack, depth_max);
  const OwnCode& own = base::state<OwnCode>();
  Site site;
  std::strncpy(site.call.data(), call, site.call.size() - 1);
  std::size_t kept = 0;
  for (int i = 1; i < depth && kept < Site::frames_max; ++i)
    if (!own.has(stack[i])) site.frames[kept++] = reinterpret_cast<std::uint64_t>(stack[i]);
  return site;
}

Site site_at(const void* return_address, const char* call) {
  Site site;
  std::strncpy(site.call.data(), call, site.call.size() - 1);
  site.frames[0] = reinterpret_cast<std::uint64_t>(return_address);
  return site;
}

std::uint32_t keep(Region& region, const Site& site) {
  std::uint64_t hash = 0;
  for (const std::uint64_t frame : site.frames) hash = (hash ^ frame) * 0x9e37'79b9'7f4a'7c15u;
  constexpr std::uint32_t tries = 16;
  for (std::uint32_t i = 0; i < tries; ++i) {
    const auto number = static_cast<std::uint32_t>(((hash >> 32) + i) % Region::sites_max);
    Site& there = region.site(number);
    if (are_alike(there, site)) return number;
    if (there.call[0] != '\0') continue;
    there = site;
    return number;
  }
  // The table is full: the first one found is replaced.
  const auto number = static_cast<std::uint32_t>((hash >> 32) % Region::sites_max);
  region.site(number) = site;
  return number;
}

std::string place_text(int rank, const Site& site) {
  std::string text = fmt::format("{{at {}:", rank);
  for (const std::uint64_t frame : site.frames)
    if (frame != 0) text += fmt::format("{:x},", frame);
  return text + "}";
}

}  // namespace armature::races
