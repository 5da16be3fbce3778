#include "image/loaded.hpp"

#include <algorithm>

namespace armature::image {
namespace {

Loaded loaded_of(const dl_phdr_info& info) {
  return {info.dlpi_addr,
          {info.dlpi_phdr, info.dlpi_phnum},
          static_cast<std::byte*>(info.dlpi_tls_data),
          info.dlpi_name};
}

}  // namespace

Loaded Loaded::program() {
  Loaded found;
  const auto take_first = [](dl_phdr_info* info, std::size_t, void* to) {
    *static_cast<Loaded*>(to) = loaded_of(*info);
    return 1;
  };
  dl_iterate_phdr(take_first, &found);
  return found;
}

std::vector<Loaded> Loaded::all() {
  std::vector<Loaded> found;
  const auto take = [](dl_phdr_info* info, std::size_t, void* to) {
    static_cast<std::vector<Loaded>*>(to)->push_back(loaded_of(*info));
    return 0;
  };
  dl_iterate_phdr(take, &found);
  return found;
}

std::string_view Loaded::name() const {
  const std::string_view whole = path;
  const std::size_t slash = whole.rfind('/');
  return slash == std::string_view::npos ? whole : whole.substr(slash + 1);
}

const ElfW(Phdr) * Loaded::header(std::uint32_t type) const {
  const auto found =
      std::ranges::find_if(headers, [&](const ElfW(Phdr) & one) { return one.p_type == type; });
  return found == headers.end() ? nullptr : &*found;
}

const ElfW(Phdr) * Loaded::part_of(std::uint64_t address) const {
  const auto found = std::ranges::find_if(headers, [&](const ElfW(Phdr) & one) {
    return one.p_type == PT_LOAD && address - one.p_vaddr < one.p_memsz;
  });
  return found == headers.end() ? nullptr : &*found;
}

Dynamic::Dynamic(const Loaded& image) : image_(image) {
  const ElfW(Phdr)& header = *image.header(PT_DYNAMIC);
  entries_ = image.table<ElfW(Dyn)>(header.p_vaddr, header.p_memsz);
  const auto end = std::ranges::find(entries_, DT_NULL, &ElfW(Dyn)::d_tag);
  entries_ = entries_.first(static_cast<std::size_t>(end - entries_.begin()));
}

bool Dynamic::has(std::int64_t tag) const {
  return std::ranges::find(entries_, tag, &ElfW(Dyn)::d_tag) != entries_.end();
}

std::uint64_t Dynamic::value(std::int64_t tag) const {
  const auto found = std::ranges::find(entries_, tag, &ElfW(Dyn)::d_tag);
  return found == entries_.end() ? 0 : found->d_un.d_val;
}

std::uint64_t Dynamic::address(std::int64_t tag) const {
  const std::uint64_t address = value(tag);
  return address >= image_.base ? address - image_.base : address;
}

Dynamic::Symbol Dynamic::symbol(const ElfW(Rela) & relocation) const {
  const auto* symbols = reinterpret_cast<const ElfW(Sym)*>(image_.base + address(DT_SYMTAB));
  const auto* names = reinterpret_cast<const char*>(image_.base + address(DT_STRTAB));
  const ElfW(Sym)& entry = symbols[ELF64_R_SYM(relocation.r_info)];
  return {&entry, names + entry.st_name};
}

bool Dynamic::binds_to_itself(const ElfW(Sym) & symbol) const {
  if (symbol.st_shndx == SHN_UNDEF) return false;
  if (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL ||
      ELF64_ST_VISIBILITY(symbol.st_other) != STV_DEFAULT)
    return true;
  // There is one of that name in the whole process, whoever defines it.
  if (ELF64_ST_BIND(symbol.st_info) == STB_GNU_UNIQUE) return false;
  return has(DT_SYMBOLIC) || (value(DT_FLAGS) & DF_SYMBOLIC) != 0;
}

std::vector<std::string_view> Dynamic::needed() const {
  const auto* names = reinterpret_cast<const char*>(image_.base + address(DT_STRTAB));
  std::vector<std::string_view> found;
  for (const ElfW(Dyn) & entry : entries_)
    if (entry.d_tag == DT_NEEDED) found.emplace_back(names + entry.d_un.d_val);
  return found;
}

}  // namespace armature::image
