#include "bootstrap/door_program.hpp"

#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string_view>

#include "base/elf_file.hpp"
#include "base/valgrind.hpp"
#include "bootstrap/address_layout.hpp"
#include "bootstrap/environment.hpp"

namespace armature::bootstrap {
namespace {

/// The functions of the interfaces' libraries that compat/main/main.c calls: RUN_MAIN.
constexpr std::string_view run_main[] = {"armci_run_main", "caf_run_main", "shmem_run_main"};

bool imports_one(const base::ElfFile& file, const Elf64_Shdr& section, const Elf64_Shdr& texts,
                 std::span<const std::string_view> functions) {
  const auto symbols = file.table<Elf64_Sym>(section.sh_offset, section.sh_size);
  return std::ranges::any_of(symbols, [&](const Elf64_Sym& symbol) {
    return symbol.st_shndx == SHN_UNDEF &&
           std::ranges::count(functions, file.text(texts, symbol.st_name)) > 0;
  });
}

bool imports_one(const std::string& path, std::span<const std::string_view> functions) {
  const base::ElfFile file(path);
  const std::span<const Elf64_Shdr> sections = file.sections();
  return std::ranges::any_of(sections, [&](const Elf64_Shdr& section) {
    return section.sh_type == SHT_DYNSYM && section.sh_link < sections.size() &&
           imports_one(file, section, sections[section.sh_link], functions);
  });
}

}  // namespace

bool is_door_program(const std::string& path) { return imports_one(path, run_main); }

bool has_symmetric_variables(const std::string& path) {
  constexpr std::string_view of_openshmem[] = {"shmem_run_main"};
  return imports_one(path, of_openshmem);
}

void make_globals_private_by_default(const std::string& program) {
  if (std::getenv(private_globals_variable) == nullptr && has_malloc_of_ranks() &&
      !base::on_valgrind && is_door_program(program))
    setenv(private_globals_variable, "on", 1);
}

}  // namespace armature::bootstrap
