#include "migration/builds.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/build_id.hpp"
#include "base/checksum.hpp"

namespace armature::migration {
namespace {

/// Sums what the module executes, and what it only reads: builds may differ in a number alone.
std::uint64_t sum_of_what_stays(const dl_phdr_info& module) {
  std::uint64_t sum = 1;
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = module.dlpi_phdr[i];
    constexpr ElfW(Word) reads = PF_R, changes = PF_W;
    if (segment.p_type == PT_LOAD && (segment.p_flags & (reads | changes)) == reads)
      sum = base::checksum(reinterpret_cast<const void*>(module.dlpi_addr + segment.p_vaddr),
                           segment.p_memsz, sum);
  }
  return sum;
}

struct Search {
  Builds found;
  bool is_first = true;  // the program comes first
};

int look_at(dl_phdr_info* info, std::size_t /*bytes*/, void* to) {
  auto& search = *static_cast<Search*>(to);
  const auto here = reinterpret_cast<std::uintptr_t>(&look_at);
  bool holds_us = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && here - begin < segment.p_memsz) holds_us = true;
  }
  if (std::exchange(search.is_first, false)) search.found.program = build_of(*info);
  if (holds_us) search.found.library = build_of(*info);
  return 0;
}

}  // namespace

BuildId build_of(const dl_phdr_info& module) {
  BuildId id{};
  const std::string_view given = base::build_id(module);
  const std::uint64_t made = given.empty() ? sum_of_what_stays(module) : 0;
  if (given.empty())
    std::memcpy(id.data(), &made, sizeof made);
  else
    std::memcpy(id.data(), given.data(), std::min(given.size(), id.size()));
  return id;
}

Builds Builds::of_process() {
  Search search;
  dl_iterate_phdr(look_at, &search);
  return search.found;
}

std::uint64_t number_of(const Builds& builds) { return base::checksum(&builds, sizeof builds); }

std::string text(const BuildId& id) {
  std::string digits;
  for (const std::uint8_t byte : id) digits += fmt::format("{:02x}", byte);
  return digits;
}

bool parse(const std::string& text, BuildId& id) {
  if (text.size() != 2 * id.size()) return false;
  for (std::size_t i = 0; i < id.size(); ++i) {
    const char* const digits = text.data() + 2 * i;
    const auto [end, error] = std::from_chars(digits, digits + 2, id[i], 16);
    if (error != std::errc{} || end != digits + 2) return false;
  }
  return true;
}

}  // namespace armature::migration
