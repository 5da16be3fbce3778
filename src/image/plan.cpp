#include "image/plan.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "base/checksum.hpp"
#include "base/fail.hpp"

// These constants are in elf.h of newer C libraries.
#ifndef DT_RELR
#define DT_RELRSZ 35
#define DT_RELR 36
#endif

namespace armature::image {
namespace {

constexpr std::uint64_t word_bytes = sizeof(std::uint64_t);

[[noreturn]] void refuse(const std::string& why) {
  base::fail(Errc::start,
             fmt::format("--private-globals: {}; or run it with --private-globals=off, where the "
                         "ranks of a process share its globals",
                         why));
}

bool is_writable(const ElfW(Phdr) & part) { return (part.p_flags & PF_W) != 0; }

void require_that_it_can_move(const Loaded& image) {
#if !defined(__x86_64__)
  refuse("this processor is no x86-64, the only one for which programs are copied");
#endif
  if (image.header(PT_DYNAMIC) == nullptr || image.header(PT_INTERP) == nullptr)
    refuse("the program is linked statically: link it without -static and -static-pie");
  if (image.base == 0)
    refuse(
        "the program is not position-independent: compile all of it with -fPIE and link it with "
        "-pie");
  if (Dynamic(image).value(DT_PREINIT_ARRAYSZ) != 0)
    refuse(
        "the program has functions that run before all constructors (.preinit_array): make them "
        "constructors");
}

void add_part(Plan& plan, const Loaded& image, const ElfW(Phdr) & part) {
  const std::uint64_t begin = page_below(part.p_vaddr);
  const std::uint64_t end = page_above(part.p_vaddr + part.p_memsz);
  if (begin < plan.bytes || (plan.bytes == 0 && begin != 0))
    refuse(
        "the parts of the program share pages, or do not begin at address 0: link it with the "
        "linker's own addresses");
  plan.bytes = end;
  if (!is_writable(part)) {
    const int protection =
        ((part.p_flags & PF_R) != 0 ? PROT_READ : 0) | ((part.p_flags & PF_X) != 0 ? PROT_EXEC : 0);
    plan.text.push_back({begin, end - begin, page_below(part.p_offset), protection});
    return;
  }
  if ((part.p_flags & PF_X) != 0)
    refuse("the program has code that may be written to: link it without -N and -z rwx");
  const auto first = image.table<std::byte>(part.p_vaddr, part.p_filesz);
  plan.data.push_back({part.p_vaddr, end - part.p_vaddr, {first.begin(), first.end()}});
}

/// The word of the plan's data at an address; nullptr: not there.
std::byte* word_at(Plan& plan, std::uint64_t address) {
  for (Plan::Data& data : plan.data)
    if (address >= data.begin && address - data.begin + word_bytes <= data.first.size())
      return data.first.data() + (address - data.begin);
  return nullptr;
}

/// Whether a copy may have this variable of a library. A variable that the library changes behind
/// the program's back would be stale in the copy. A library's constants, which lie where nobody
/// writes, are the same for ever. The others here are pointers that stay what they are, states of
/// their own for each rank, or what copies.cpp looks after.
bool may_be_borrowed(std::string_view name) {
  constexpr std::array known{"stdin",
                             "stdout",
                             "stderr",
                             "_ZSt3cin",
                             "_ZSt4cout",
                             "_ZSt4cerr",
                             "_ZSt4clog",
                             "_ZSt4wcin",
                             "_ZSt5wcout",
                             "_ZSt5wcerr",
                             "_ZSt5wclog",
                             "__progname",
                             "__progname_full",
                             "optarg",
                             "optind",
                             "opterr",
                             "optopt",
                             "program_invocation_name",
                             "program_invocation_short_name",
                             "__libc_single_threaded",
                             "_ZN8armature6detail11main_moduleE",
                             "_ZN8armature6detail4viewE"};
  return std::ranges::find(known, name) != known.end();
}

class Relocating {
 public:
  Relocating(Plan& plan, const Loaded& image) : plan_(plan), image_(image), dynamic_(image) {}

  void take_all() {
    for (const auto& one : dynamic_.table<ElfW(Rela)>(DT_RELA, DT_RELASZ)) take(one);
    for (const auto& one : dynamic_.table<ElfW(Rela)>(DT_JMPREL, DT_PLTRELSZ)) take(one);
    take_packed();
    std::ranges::sort(plan_.moved);
  }
  [[nodiscard]] const Dynamic& dynamic() const { return dynamic_; }

 private:
  /// The word becomes one that moves with the image.
  void move(std::uint64_t at) {
    std::byte* const word = word_at(plan_, at);
    if (word == nullptr)
      refuse(
          "the program has addresses in its code or constants (text relocations): compile all of "
          "it, libraries that it is linked with statically included, with -fPIE");
    // The loader makes those of further threads of the original's.
    if (at - plan_.thread_locals.begin < plan_.thread_locals.first_bytes)
      refuse(
          "the program has a thread-local variable that begins as the address of another one: "
          "give it that value when it is first used");
    std::uint64_t address = 0;
    std::memcpy(&address, word, word_bytes);
    address -= image_.base;
    std::memcpy(word, &address, word_bytes);
    plan_.moved.push_back(at);
  }

  void take(const ElfW(Rela) & one) {
    switch (ELF64_R_TYPE(one.r_info)) {
      case R_X86_64_NONE:
      case R_X86_64_DTPMOD64:  // of the thread-local variables of libraries
      case R_X86_64_DTPOFF64:
      case R_X86_64_TPOFF64:
        return;
      case R_X86_64_RELATIVE:
        return move(one.r_offset);
      case R_X86_64_IRELATIVE:  // the loader has asked already which one it is
        return move_if_inside(one.r_offset);
      case R_X86_64_64:
      case R_X86_64_GLOB_DAT:
      case R_X86_64_JUMP_SLOT:
        return take_named(one);
      case R_X86_64_COPY:
        return borrow(one);
      default:
        refuse(
            fmt::format("the program has relocations of a kind that is not known (type {}): "
                        "compile it with GCC, Clang or gfortran, with -fPIE and -pie",
                        ELF64_R_TYPE(one.r_info)));
    }
  }

  void take_named(const ElfW(Rela) & one) {
    const Dynamic::Symbol symbol = dynamic_.symbol(one);
    if (symbol.entry->st_shndx == SHN_UNDEF)
      plan_.imports.push_back({one.r_offset, std::string(symbol.name)});
    // A library may have it, though the program does: one that is loaded before it.
    move_if_inside(one.r_offset);
  }

  /// The loader has chosen what the word names. The end of the image belongs to it, too.
  void move_if_inside(std::uint64_t at) {
    std::uint64_t named = image_.word(at);
    if (named - image_.base <= plan_.bytes) {
      named -= image_.base;
      move(at);
    }
    plan_.bound = base::checksum(&named, sizeof named, plan_.bound);
  }

  void borrow(const ElfW(Rela) & one) {
    const Dynamic::Symbol symbol = dynamic_.symbol(one);
    const ElfW(Phdr)* const constants = image_.header(PT_GNU_RELRO);
    const bool is_constant =
        constants != nullptr && one.r_offset - constants->p_vaddr < constants->p_memsz;
    if (!is_constant && !may_be_borrowed(symbol.name))
      refuse(
          fmt::format("the program has in it the variable {} of a library, which would change "
                      "without the copies: compile the program with -fPIC (and link it with -pie), "
                      "so that it names the library's own",
                      symbol.name));
    plan_.borrowed.push_back({one.r_offset, symbol.entry->st_size, std::string(symbol.name)});
  }

  /// Addresses, each followed by words of which each bit but the lowest is one of the next 63.
  void take_packed() {
    std::uint64_t next = 0;
    for (const std::uint64_t entry : dynamic_.table<std::uint64_t>(DT_RELR, DT_RELRSZ)) {
      if ((entry & 1) == 0) {
        move(entry);
        next = entry + word_bytes;
        continue;
      }
      for (std::uint64_t bits = entry >> 1, at = next; bits != 0; bits >>= 1, at += word_bytes)
        if ((bits & 1) != 0) move(at);
      next += 63 * word_bytes;
    }
  }

  Plan& plan_;
  const Loaded& image_;
  const Dynamic dynamic_;
};

Plan::Functions functions(const Dynamic& dynamic, std::int64_t start, std::int64_t bytes) {
  if (!dynamic.has(start)) return {};
  return {dynamic.address(start), dynamic.value(bytes) / word_bytes};
}

}  // namespace

void Plan::replace(std::string_view name, std::uintptr_t by) {
  for (const Import& import : imports) {
    std::byte* const word = import.name == name ? word_at(*this, import.at) : nullptr;
    if (word == nullptr) continue;
    std::memcpy(word, &by, word_bytes);
    std::erase(moved, import.at);
  }
}

void Plan::give(std::string_view name, std::span<const std::byte> value) {
  const std::uint64_t place = given_begin() + given.size() * word_bytes;
  bool is_named = false;
  for (const Import& import : imports) {
    std::byte* const word = import.name == name ? word_at(*this, import.at) : nullptr;
    if (word == nullptr) continue;
    std::memcpy(word, &place, word_bytes);
    std::erase(moved, import.at);
    moved.push_back(import.at);
    is_named = true;
  }
  if (!is_named) return;
  std::memcpy(&given.emplace_back(), value.data(), value.size());
  given_names.emplace_back(name);
}

std::uint64_t Plan::own_at(std::string_view name) const {
  const auto found = std::ranges::find(borrowed, name, &Borrowed::name);
  if (found != borrowed.end()) return found->begin;
  const auto its_own = std::ranges::find(given_names, name);
  return its_own == given_names.end()
             ? 0
             : given_begin() +
                   static_cast<std::uint64_t>(its_own - given_names.begin()) * word_bytes;
}

std::uint64_t Plan::given_begin() const { return bytes + page_above(thread_locals.bytes); }
std::uint64_t Plan::all_bytes() const {
  return given_begin() + page_above(given.size() * word_bytes);
}

Plan plan(const Loaded& image) {
  require_that_it_can_move(image);
  Plan plan;
  for (const ElfW(Phdr) & header : image.headers)
    if (header.p_type == PT_LOAD) add_part(plan, image, header);
  if (const ElfW(Phdr)* const own = image.header(PT_TLS))
    plan.thread_locals = {own->p_vaddr, own->p_filesz, own->p_memsz};
  Relocating relocating(plan, image);
  relocating.take_all();
  const Dynamic& dynamic = relocating.dynamic();
  plan.init = functions(dynamic, DT_INIT_ARRAY, DT_INIT_ARRAYSZ);
  plan.fini = functions(dynamic, DT_FINI_ARRAY, DT_FINI_ARRAYSZ);
  plan.init_function = dynamic.address(DT_INIT);
  plan.fini_function = dynamic.address(DT_FINI);
  if (const ElfW(Phdr)* const unwind = image.header(PT_GNU_EH_FRAME))
    plan.unwind_table = unwind->p_vaddr;
  return plan;
}

}  // namespace armature::image
