#include "command/executable/sanitizer.hpp"

#include <elf.h>

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "base/elf_file.hpp"
#include "base/fail.hpp"
#include "bootstrap/address_layout.hpp"

namespace armature::command {
namespace {

/// Looks for what every file that is compiled with it asks for: of the sanitizer's library, or of
/// the program where that is in it.
bool has_address_sanitizer(const std::string& program) {
  const base::ElfFile file(program);
  const std::span<const Elf64_Shdr> sections = file.sections();
  return std::any_of(sections.begin(), sections.end(), [&](const Elf64_Shdr& section) {
    if (section.sh_type != SHT_DYNSYM || section.sh_link >= sections.size()) return false;
    const auto symbols = file.table<Elf64_Sym>(section.sh_offset, section.sh_size);
    return std::any_of(symbols.begin(), symbols.end(), [&](const Elf64_Sym& symbol) {
      return file.text(sections[section.sh_link], symbol.st_name) == "__asan_init";
    });
  });
}

}  // namespace

void refuse_address_sanitizer(const std::string& program) {
  if (!bootstrap::has_malloc_of_ranks() || !has_address_sanitizer(program)) return;
  base::fail(Errc::start, fmt::format("{} {}", program, bootstrap::address_sanitizer_text));
}

}  // namespace armature::command
