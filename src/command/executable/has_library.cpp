#include "command/executable/has_library.hpp"

#include <elf.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "base/elf_file.hpp"

namespace armature::command {
namespace {

bool names_library(const base::ElfFile& file, const Elf64_Shdr& section, const Elf64_Shdr& texts) {
  const auto entries = file.table<Elf64_Dyn>(section.sh_offset, section.sh_size);
  return std::any_of(entries.begin(), entries.end(), [&](const Elf64_Dyn& entry) {
    return entry.d_tag == DT_NEEDED &&
           file.text(texts, entry.d_un.d_val).starts_with("libarmature.so");
  });
}

/// Looks for the name that the library knows itself by (bootstrap/start_again.cpp).
bool has_it_in_it(const base::ElfFile& file, const Elf64_Shdr& section, const Elf64_Shdr& texts) {
  const auto symbols = file.table<Elf64_Sym>(section.sh_offset, section.sh_size);
  return std::any_of(symbols.begin(), symbols.end(), [&](const Elf64_Sym& symbol) {
    return symbol.st_shndx != SHN_UNDEF &&
           file.text(texts, symbol.st_name) == "armature_came_with_program";
  });
}

}  // namespace

bool has_library(const std::string& program) {
  const base::ElfFile file(program);
  const std::span<const Elf64_Shdr> sections = file.sections();
  return std::any_of(sections.begin(), sections.end(), [&](const Elf64_Shdr& section) {
    if (section.sh_link >= sections.size()) return false;
    const Elf64_Shdr& texts = sections[section.sh_link];
    if (section.sh_type == SHT_DYNAMIC) return names_library(file, section, texts);
    return section.sh_type == SHT_SYMTAB && has_it_in_it(file, section, texts);
  });
}

}  // namespace armature::command
