#include "command/executable/function_names.hpp"

#include <cxxabi.h>
#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/elf_file.hpp"

namespace armature::command {
namespace {

constexpr std::uint64_t page = 4096;

/// The address at which the file's first segment wants to be: 0 where it may be anywhere.
std::uint64_t first_address(const base::ElfFile& file, const Elf64_Ehdr& head) {
  std::uint64_t first = UINT64_MAX;
  for (const Elf64_Phdr& segment :
       file.table<Elf64_Phdr>(head.e_phoff, head.e_phnum * sizeof(Elf64_Phdr)))
    if (segment.p_type == PT_LOAD) first = std::min<std::uint64_t>(first, segment.p_vaddr);
  return first != UINT64_MAX ? first / page * page : 0;
}

std::map<std::uint64_t, std::string> functions_of(const std::string& path) {
  std::map<std::uint64_t, std::string> functions;
  const base::ElfFile file(path);
  const auto sections = file.sections();
  if (sections.empty()) return functions;
  const std::uint64_t first =
      first_address(file, file.table<Elf64_Ehdr>(0, sizeof(Elf64_Ehdr)).front());
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    for (const Elf64_Sym& symbol : file.table<Elf64_Sym>(section.sh_offset, section.sh_size))
      if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_value != 0)
        functions.try_emplace(symbol.st_value - first,
                              file.text(sections[section.sh_link], symbol.st_name));
  }
  return functions;
}

}  // namespace

std::string FunctionNames::at(const std::string& file, std::uint64_t offset) {
  auto of_file = of_files_.find(file);
  if (of_file == of_files_.end()) of_file = of_files_.emplace(file, functions_of(file)).first;
  const auto found = of_file->second.find(offset);
  if (found == of_file->second.end()) return {};
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(found->second.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && name ? name.get() : found->second;
}

}  // namespace armature::command
