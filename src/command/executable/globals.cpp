// Ranks that share a process share its variables, which a program written for processes does not
// expect. The program's table of symbols lists its variables. Whether ranks write different things
// to them, nobody can tell from outside, so this is a note and no error. A rank_local shows in how
// it begins. One that code has to make shows in its name: the class has an ABI tag, which GCC puts
// into names that other files can use.
#include "command/executable/globals.hpp"

#include <cxxabi.h>
#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "armature/rank_local.hpp"
#include "base/elf_file.hpp"
#include "base/joined.hpp"

namespace armature::command {
namespace {

bool begins_with_one_of(std::string_view name, std::span<const std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view beginning) { return name.starts_with(beginning); });
}

/// Names of the C++ runtime, of the library, or made by the compiler, are nobody's.
bool is_nobodys(std::string_view name) {
  static constexpr std::string_view runtime[] = {
      "_ZT",    "_ZGV",    "_ZSt",  "_ZNSt",         "_ZNKSt",
      "_ZZNSt", "_ZZNKSt", "_ZZSt", "_ZN9__gnu_cxx", "_ZN10__cxxabiv1"};
  static constexpr std::string_view library[] = {"_ZN8armature",   "_ZNK8armature", "_ZZN8armature",
                                                 "_ZZNK8armature", "_ZN5armci",     "_ZZN5armci"};
  // The library brings these along when it is linked statically.
  static constexpr std::string_view brought[] = {"_ZN5boost",   "_ZNK5boost", "_ZZN5boost",
                                                 "_ZZNK5boost", "_ZN3fmt",    "_ZNK3fmt",
                                                 "_ZZN3fmt",    "_ZZNK3fmt"};
  static constexpr std::string_view compiler[] = {"__", "_IO_", "_DYNAMIC", "_GLOBAL_", "DW.ref."};
  return name.empty() || begins_with_one_of(name, runtime) || begins_with_one_of(name, library) ||
         begins_with_one_of(name, brought) || begins_with_one_of(name, compiler) ||
         // Copies of what a shared library has, with its version.
         name.find('@') != std::string_view::npos ||
         name.find("B10rank_local") != std::string_view::npos;
}

/// Whether what lies in a section may change while the program runs.
bool may_change(const base::ElfFile& file, const Elf64_Shdr& section, const Elf64_Shdr& names) {
  static constexpr std::string_view others[] = {".data.rel.ro",   ".init_array", ".fini_array",
                                                ".preinit_array", ".dynamic",    ".got",
                                                ".tm_clone"};
  constexpr std::uint64_t flags = SHF_ALLOC | SHF_WRITE;
  return (section.sh_flags & flags) == flags && (section.sh_flags & SHF_TLS) == 0 &&
         !begins_with_one_of(file.text(names, section.sh_name), others);
}

bool is_rank_local(const base::ElfFile& file, const Elf64_Shdr& section, const Elf64_Sym& symbol) {
  constexpr detail::RankLocalMark mark;
  if (section.sh_type == SHT_NOBITS || symbol.st_size < sizeof mark ||
      symbol.st_value < section.sh_addr)
    return false;
  const std::uint64_t offset = section.sh_offset + (symbol.st_value - section.sh_addr);
  const auto bytes = file.table<std::byte>(offset, sizeof mark);
  return !bytes.empty() && std::memcmp(bytes.data(), &mark, sizeof mark) == 0;
}

std::string readable(std::string_view name) {
  const std::string mangled(name);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && demangled ? demangled.get() : mangled;
}

struct Variable {
  std::uint64_t address;
  std::string name;
};

std::vector<Variable> variables(const base::ElfFile& file, const Elf64_Shdr& symbols,
                                std::span<const Elf64_Shdr> sections,
                                const Elf64_Shdr& section_names) {
  std::vector<Variable> found;
  if (symbols.sh_link >= sections.size()) return found;
  const Elf64_Shdr& names = sections[symbols.sh_link];
  bool is_of_runtime = false;  // what is there before main
  for (const Elf64_Sym& symbol : file.table<Elf64_Sym>(symbols.sh_offset, symbols.sh_size)) {
    const std::string_view name = file.text(names, symbol.st_name);
    const auto type = ELF64_ST_TYPE(symbol.st_info);
    if (type == STT_FILE) is_of_runtime = name == "crtstuff.c";
    if (ELF64_ST_BIND(symbol.st_info) != STB_LOCAL) is_of_runtime = false;
    if (type != STT_OBJECT || symbol.st_size == 0 || is_of_runtime || is_nobodys(name) ||
        symbol.st_shndx >= sections.size() ||
        !may_change(file, sections[symbol.st_shndx], section_names) ||
        is_rank_local(file, sections[symbol.st_shndx], symbol))
      continue;
    found.push_back({symbol.st_value, readable(name)});
  }
  return found;
}

}  // namespace

std::vector<std::string> writable_globals(const std::string& program) {
  const base::ElfFile file(program);
  const std::span<const Elf64_Shdr> sections = file.sections();
  if (sections.empty()) return {};
  const std::uint32_t names = file.table<Elf64_Ehdr>(0, sizeof(Elf64_Ehdr))[0].e_shstrndx;
  if (names >= sections.size()) return {};
  std::vector<Variable> found;
  for (const Elf64_Shdr& section : sections)
    if (section.sh_type == SHT_SYMTAB) found = variables(file, section, sections, sections[names]);
  std::stable_sort(found.begin(), found.end(),
                   [](const Variable& a, const Variable& b) { return a.address < b.address; });
  std::vector<std::string> result;
  std::transform(found.begin(), found.end(), std::back_inserter(result),
                 [](const Variable& variable) { return variable.name; });
  return result;
}

std::string note_about_globals(const std::string& program, const std::vector<std::string>& globals,
                               std::size_t named_max) {
  if (globals.empty()) return {};
  std::string names =
      base::joined(std::span(globals).first(std::min(globals.size(), named_max)), ", ");
  if (globals.size() > named_max)
    names += fmt::format(" and {} more (--verbose names all)", globals.size() - named_max);
  return fmt::format(
      "the virtual ranks of a process share {} of {} that can be written to: {}. One that each "
      "rank is to have by itself becomes an armature::rank_local<T>; --no-globals-note says "
      "nothing of this",
      globals.size() == 1 ? "1 variable" : fmt::format("{} variables", globals.size()), program,
      names);
}

}  // namespace armature::command
