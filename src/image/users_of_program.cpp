#include "image/users_of_program.hpp"

#include <cxxabi.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "image/libraries.hpp"

namespace armature::image {
namespace {

/// A word of a library that the loader has bound to what another image has.
struct Use {
  std::string_view name;
  const ElfW(Sym) & symbol;  // as the library has it
  std::uintptr_t address;    // where the loader has found it
};

/// The symbol that is defined at an address; nullptr: unknown.
const ElfW(Sym) * definition_at(std::uintptr_t address) {
  Dl_info info{};
  void* entry = nullptr;
  const bool is_found =
      dladdr1(reinterpret_cast<void*>(address), &info, &entry, RTLD_DL_SYMENT) != 0;
  return is_found ? static_cast<const ElfW(Sym)*>(entry) : nullptr;
}

std::string_view name_at(std::uintptr_t address) {
  Dl_info info{};
  const bool is_known = dladdr(reinterpret_cast<void*>(address), &info) != 0;
  return is_known && info.dli_sname != nullptr ? info.dli_sname : "";
}

/// The image that an address lies in; nullptr: none.
const Loaded* image_at(const std::vector<Loaded>& loaded, std::uintptr_t address) {
  const auto found = std::ranges::find_if(
      loaded, [&](const Loaded& one) { return one.part_of(address - one.base) != nullptr; });
  return found == loaded.end() ? nullptr : &*found;
}

/// Whether it is a variable of a function of the C++ library's headers, or its guard: a table that
/// the function makes when it first needs it, the same wherever that is, as std::regex does.
bool is_of_library_function(std::string_view name) {
  constexpr std::array begins{"_ZZNSt", "_ZZNKSt", "_ZZSt", "_ZGVZNSt", "_ZGVZNKSt", "_ZGVZSt"};
  return std::ranges::any_of(begins,
                             [&](std::string_view begin) { return name.starts_with(begin); });
}

/// Whether nobody writes there. Tables of virtual functions and types are constants wherever the
/// linker puts them.
bool is_constant(const Loaded& image, const Use& use) {
  const std::uint64_t address = use.address - image.base;
  const ElfW(Phdr)* const part = image.part_of(address);
  const ElfW(Phdr)* const constants = image.header(PT_GNU_RELRO);
  return use.name.starts_with("_ZT") || is_of_library_function(use.name) || part == nullptr ||
         (part->p_flags & PF_W) == 0 ||
         (constants != nullptr && address - constants->p_vaddr < constants->p_memsz);
}

/// The place in a copy of what lies at an address, counted from where the copy begins.
std::uint64_t place_of(const Copies& copies, std::uintptr_t address) {
  return copies.own_of(0, address) - reinterpret_cast<std::uintptr_t>(copies.of(0));
}

bool is_copied(const Copies& copies, std::uintptr_t address) {
  return copies.own_of(0, address) != address;
}

/// Whether code that finds the original there finds what each copy has: a variable of a library
/// that lies in the program, an inline function, or a constant. An inline function's variables are
/// uses of their own.
bool is_the_same_in_copies(const Copies& copies, const std::vector<Loaded>& loaded,
                           const Use& use) {
  const std::uint64_t place = place_of(copies, use.address);
  const auto holds = [&](const Plan::Borrowed& one) {
    return place - one.begin < std::max<std::uint64_t>(one.bytes, 1);
  };
  if (std::ranges::any_of(copies.plan().borrowed, holds)) return true;
  const ElfW(Sym)* const symbol = definition_at(use.address);
  // Weak definitions, which several images may have, are of all of them.
  if (symbol == nullptr || ELF64_ST_BIND(symbol->st_info) == STB_GLOBAL) return false;
  if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC) return use.symbol.st_shndx != SHN_UNDEF;
  const Loaded* const image = image_at(loaded, use.address);
  return image != nullptr && is_constant(*image, use);
}

/// The first one that counts of what a library uses by name.
template <class Counts>
std::optional<Use> first_use(const Loaded& library, const Counts& counts) {
  if (library.header(PT_DYNAMIC) == nullptr) return std::nullopt;
  const Dynamic dynamic(library);
  const auto look_at = [&](std::span<const ElfW(Rela)> table) -> std::optional<Use> {
    for (const ElfW(Rela) & one : table) {
      const auto type = ELF64_R_TYPE(one.r_info);
      if (type != R_X86_64_64 && type != R_X86_64_GLOB_DAT && type != R_X86_64_JUMP_SLOT) continue;
      const Dynamic::Symbol symbol = dynamic.symbol(one);
      const Use use{symbol.name, *symbol.entry, library.word(one.r_offset)};
      if (counts(use)) return use;
    }
    return std::nullopt;
  };
  if (auto use = look_at(dynamic.table<ElfW(Rela)>(DT_RELA, DT_RELASZ))) return use;
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

/// The name as the program wrote it.
std::string as_written(std::string_view name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> written(
      abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status), &std::free);
  return written != nullptr ? written.get() : std::string(name);
}

std::string called(const Loaded& image) {
  return image.name().empty() ? "the program" : std::string(image.name());
}

/// Refuses a library that is not copied, and uses what of the program, or of a library that is
/// named, each rank has for itself.
void refuse_user(const Copies& copies, const std::vector<Loaded>& loaded, const Loaded& library) {
  const auto use = first_use(library, [&](const Use& one) {
    if (!is_copied(copies, one.address) || definition_at(one.address) == nullptr) return false;
    const Loaded* const image = image_at(loaded, one.address);
    // Libraries of Fortran have the units of the process.
    return image != nullptr && !keeps_units(*image) &&
           !is_the_same_in_copies(copies, loaded, one) && !replaces_one(loaded, one.name);
  });
  if (!use) return;
  base::fail(
      Errc::start,
      fmt::format("--private-globals: the library {0}, with which the program is linked, uses "
                  "{1} of {2}, of which each rank has its own: name the library, so "
                  "that it is copied, too (--private-globals=program,{0}), or let the ranks of "
                  "a process share the program's globals (--private-globals=off)",
                  library.name(), as_written(use->name), called(*image_at(loaded, use->address))));
}

/// Refuses a variable that a copied library defines, where the loader has bound it to the one of a
/// library that is not copied.
void refuse_displaced(const Copies& copies, const std::vector<Loaded>& loaded,
                      const Loaded& library) {
  const auto use = first_use(library, [&](const Use& one) {
    if (one.symbol.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(one.symbol.st_info) != STT_OBJECT ||
        is_copied(copies, one.address))
      return false;
    const Loaded* const image = image_at(loaded, one.address);
    // A word may hold another address by now.
    return image != nullptr && !is_shared(*image) && !is_constant(*image, one) &&
           name_at(one.address) == one.name;
  });
  if (!use) return;
  base::fail(
      Errc::start,
      fmt::format("--private-globals: {1} is copied, and its variable {0} is the one of "
                  "{2}, which is not: name {2}, too (--private-globals=program,{1},{2})",
                  as_written(use->name), library.name(), image_at(loaded, use->address)->name()));
}

}  // namespace

std::optional<std::string> name_of_program(const Copies& copies, const Loaded& library) {
  const std::vector<Loaded> loaded = Loaded::all();
  const auto use = first_use(library, [&](const Use& one) {
    return is_copied(copies, one.address) && !is_the_same_in_copies(copies, loaded, one);
  });
  return use ? std::optional(as_written(use->name)) : std::nullopt;
}

void refuse_users_of_program(const Copies& copies) {
  const std::vector<Loaded> loaded = Loaded::all();
  for (const Loaded& library : loaded) {
    if (library.name().empty() || is_shared(library)) continue;
    if (is_copied(copies, library.base))
      refuse_displaced(copies, loaded, library);
    else
      refuse_user(copies, loaded, library);
  }
}

}  // namespace armature::image
