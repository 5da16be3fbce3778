#include "virtual/checkpoint/builds.hpp"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/checksum.hpp"

namespace armature::checkpoints {
namespace {

/// From the notes of a module; zeros where there is none.
BuildId id_in(const std::byte* notes, std::size_t bytes) {
  BuildId id{};
  while (bytes >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head;
    std::memcpy(&head, notes, sizeof head);
    const std::size_t name = (head.n_namesz + 3) / 4 * 4, value = (head.n_descsz + 3) / 4 * 4;
    const std::size_t all = sizeof head + name + value;
    if (all > bytes) break;
    if (head.n_type == NT_GNU_BUILD_ID) {
      std::memcpy(id.data(), notes + sizeof head + name,
                  std::min<std::size_t>(head.n_descsz, id.size()));
      break;
    }
    notes += all;
    bytes -= all;
  }
  return id;
}

struct Search {
  Builds found;
  bool is_first = true;  // the program comes first
};

int look_at(dl_phdr_info* info, std::size_t /*bytes*/, void* to) {
  auto& search = *static_cast<Search*>(to);
  const auto here = reinterpret_cast<std::uintptr_t>(&look_at);
  BuildId id{};
  bool holds_us = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && here - begin < segment.p_memsz) holds_us = true;
    if (segment.p_type == PT_NOTE && id == BuildId{})
      id = id_in(reinterpret_cast<const std::byte*>(begin), segment.p_memsz);
  }
  if (std::exchange(search.is_first, false)) search.found.program = id;
  if (holds_us) search.found.library = id;
  return 0;
}

}  // namespace

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

}  // namespace armature::checkpoints
