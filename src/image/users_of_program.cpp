#include "image/users_of_program.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "image/libraries.hpp"

namespace armature::image {
namespace {

/// The symbol that the program defines at an address; nullptr: unknown.
const ElfW(Sym) * definition_at(std::uintptr_t address) {
  Dl_info info{};
  void* entry = nullptr;
  const bool is_found =
      dladdr1(reinterpret_cast<void*>(address), &info, &entry, RTLD_DL_SYMENT) != 0;
  return is_found ? static_cast<const ElfW(Sym)*>(entry) : nullptr;
}

/// The place in a copy of what lies at an address, counted from where the copy begins.
std::uint64_t place_of(const Copies& copies, std::uintptr_t address) {
  return copies.own_of(0, address) - reinterpret_cast<std::uintptr_t>(copies.of(0));
}

/// Whether code that finds the original there finds what each copy has: a variable of a library
/// that lies in the program, or an inline function.
bool is_the_same_in_copies(const Copies& copies, std::uintptr_t address) {
  const std::uint64_t place = place_of(copies, address);
  const auto holds = [&](const Plan::Borrowed& one) {
    return place - one.begin < std::max<std::uint64_t>(one.bytes, 1);
  };
  if (std::ranges::any_of(copies.plan().borrowed, holds)) return true;
  const ElfW(Sym)* const symbol = definition_at(address);
  return symbol != nullptr && ELF64_ST_BIND(symbol->st_info) == STB_WEAK &&
         ELF64_ST_TYPE(symbol->st_info) == STT_FUNC;
}

using Counts = std::function<bool(std::uintptr_t address, std::string_view name)>;

/// The first name of what is copied that counts.
std::optional<std::string> first_name(const Copies& copies, const Loaded& library,
                                      const Counts& counts) {
  if (library.header(PT_DYNAMIC) == nullptr) return std::nullopt;
  const Dynamic dynamic(library);
  const auto look_at = [&](std::span<const ElfW(Rela)> table) -> std::optional<std::string> {
    for (const ElfW(Rela) & one : table) {
      const auto type = ELF64_R_TYPE(one.r_info);
      if (type != R_X86_64_64 && type != R_X86_64_GLOB_DAT && type != R_X86_64_JUMP_SLOT) continue;
      const std::uintptr_t named = library.word(one.r_offset);
      const std::string_view name = dynamic.symbol(one).name;
      if (copies.own_of(0, named) != named && !is_the_same_in_copies(copies, named) &&
          counts(named, name))
        return std::string(name);
    }
    return std::nullopt;
  };
  if (auto name = look_at(dynamic.table<ElfW(Rela)>(DT_RELA, DT_RELASZ))) return name;
  return look_at(dynamic.table<ElfW(Rela)>(DT_JMPREL, DT_PLTRELSZ));
}

/// Whether the C or C++ library, or Armature, has that name, too: then the program has replaced a
/// function of theirs for all, as an allocator of its own.
bool replaces_one(const std::vector<Loaded>& loaded, std::string_view name) {
  return std::ranges::any_of(loaded, [&](const Loaded& one) {
    void* const library = is_shared(one) ? dlopen(one.path, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
    if (library == nullptr) return false;
    const auto found = reinterpret_cast<std::uintptr_t>(dlsym(library, std::string(name).c_str()));
    dlclose(library);
    return found != 0 && one.part_of(found - one.base) != nullptr;
  });
}

}  // namespace

std::optional<std::string> name_of_program(const Copies& copies, const Loaded& library) {
  return first_name(copies, library, [](auto, auto) { return true; });
}

void refuse_users_of_program(const Copies& copies) {
  const std::vector<Loaded> loaded = Loaded::all();
  // Definitions that several images may have, such as tables of types, are of all of them.
  const auto is_of_program = [&](std::uintptr_t address, std::string_view name) {
    const ElfW(Sym)* const symbol = definition_at(address);
    return place_of(copies, address) < copies.plan().images.front().bytes && symbol != nullptr &&
           ELF64_ST_BIND(symbol->st_info) == STB_GLOBAL && !replaces_one(loaded, name);
  };
  for (const Loaded& library : loaded) {
    if (library.name().empty() || is_shared(library) ||
        copies.own_of(0, library.base) != library.base)
      continue;
    if (const auto name = first_name(copies, library, is_of_program))
      base::fail(
          Errc::start,
          fmt::format("--private-globals: the library {0}, with which the program is linked, uses "
                      "{1} of the program, of which each rank has its own: name the library, so "
                      "that it is copied, too (--private-globals=program,{0}), or let the ranks of "
                      "a process share the program's globals (--private-globals=off)",
                      library.name(), *name));
  }
}

}  // namespace armature::image
