#include "image/plan.hpp"

#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/checksum.hpp"
#include "base/fail.hpp"
#include "image/first_data.hpp"
#include "image/packed.hpp"

namespace armature::image {
namespace {

constexpr std::uint64_t word_bytes = sizeof(std::uint64_t);

[[noreturn]] void refuse(const Loaded& image, const std::string& why) {
  const std::string what =
      image.name().empty() ? "the program" : fmt::format("the library {}", image.name());
  base::fail(
      Errc::start,
      fmt::format("--private-globals: {} {}; or run it with --private-globals=off, where the "
                  "ranks of a process share its globals",
                  what, why));
}

bool is_writable(const ElfW(Phdr) & part) { return (part.p_flags & PF_W) != 0; }

void require_that_it_can_move(const Loaded& image) {
  const bool is_program = image.name().empty();
#if !defined(__x86_64__)
  refuse(image, "is for a processor that is no x86-64, the only one for which programs are copied");
#endif
  if (image.header(PT_DYNAMIC) == nullptr || (is_program && image.header(PT_INTERP) == nullptr))
    refuse(image, "is linked statically: link it without -static and -static-pie");
  if (image.base == 0)
    refuse(image,
           "is not position-independent: compile all of it with -fPIE and link it with -pie");
  if (Dynamic(image).value(DT_PREINIT_ARRAYSZ) != 0)
    refuse(image,
           "has functions that run before all constructors (.preinit_array): make them "
           "constructors");
}

std::vector<std::byte> first_bytes(const Loaded& image, const ElfW(Phdr) & part) {
  if (image.file >= 0) return first_data(image, part);
  const auto first = image.table<std::byte>(part.p_vaddr, part.p_filesz);
  return {first.begin(), first.end()};
}

/// A copy begins at a page. Of parts that ask for the large pages of older linkers nobody knows
/// whether a variable in them needs more.
void require_common_alignment(const Loaded& image, const ElfW(Phdr) & part) {
  constexpr std::uint64_t large_page = std::uint64_t{2} << 20;
  if (part.p_align <= page || part.p_align == large_page) return;
  refuse(image, fmt::format("has variables that are to lie at multiples of {} bytes, and those of "
                            "copies lie at multiples of {}: align them to less, or link it without "
                            "-z max-page-size",
                            part.p_align, page));
}

/// Code and constants that follow each other in memory as in the file are one memory area of each
/// rank instead of three. Then constants may be executed, as with linkers that do not part them.
void add_text(Plan& plan, const Plan::Text& text) {
  Plan::Text* const last = plan.text.empty() ? nullptr : &plan.text.back();
  const bool follows = last != nullptr && last->image == text.image &&
                       text.begin - last->begin == last->bytes &&
                       text.file_offset - last->file_offset == last->bytes;
  if (!follows) {
    plan.text.push_back(text);
    return;
  }
  last->bytes += text.bytes;
  last->protection |= text.protection;
}

void add_part(Plan& plan, Plan::Image& own, const Loaded& image, const ElfW(Phdr) & part) {
  const std::uint64_t begin = page_below(part.p_vaddr);
  const std::uint64_t end = page_above(part.p_vaddr + part.p_memsz);
  if (begin < own.bytes || (own.bytes == 0 && begin != 0))
    refuse(image,
           "has parts that share pages, or do not begin at address 0: link it with the linker's "
           "own addresses");
  own.bytes = end;
  if (!is_writable(part)) {
    const int protection =
        ((part.p_flags & PF_R) != 0 ? PROT_READ : 0) | ((part.p_flags & PF_X) != 0 ? PROT_EXEC : 0);
    add_text(plan, {own.begin + begin, end - begin, page_below(part.p_offset), protection,
                    plan.images.size()});
    return;
  }
  if ((part.p_flags & PF_X) != 0)
    refuse(image, "has code that may be written to: link it without -N and -z rwx");
  require_common_alignment(image, part);
  plan.data.push_back({own.begin + part.p_vaddr, end - part.p_vaddr, first_bytes(image, part)});
}

void add_image(Plan& plan, const Loaded& image) {
  require_that_it_can_move(image);
  Plan::Image own{.begin = plan.bytes};
  for (const ElfW(Phdr) & header : image.headers)
    if (header.p_type == PT_LOAD) add_part(plan, own, image, header);
  const ElfW(Phdr)* const locals = image.header(PT_TLS);
  if (locals != nullptr && locals->p_memsz != 0) {
    if (image.thread_locals == nullptr && !image.name().empty())
      refuse(image, "has thread-local variables, and was loaded behind the program's start");
    plan.thread_locals.push_back(
        {own.begin + locals->p_vaddr, locals->p_filesz, locals->p_memsz, plan.images.size()});
  }
  plan.bytes += own.bytes;
  plan.images.push_back(own);
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

/// The place in a copy of what lies at an address; where it lies in no image: none.
std::optional<std::uint64_t> place_in_copy(const Plan& plan, std::span<const Loaded> images,
                                           std::size_t own, std::uint64_t address) {
  // The end of the image belongs to it, too.
  if (address - images[own].base <= plan.images[own].bytes)
    return plan.images[own].begin + (address - images[own].base);
  for (std::size_t i = 0; i < images.size(); ++i)
    if (address - images[i].base < plan.images[i].bytes)
      return plan.images[i].begin + (address - images[i].base);
  return std::nullopt;
}

class Relocating {
 public:
  Relocating(Plan& plan, std::span<const Loaded> images, std::size_t own)
      : plan_(plan),
        images_(images),
        own_(own),
        image_(images[own]),
        begin_(plan.images[own].begin),
        dynamic_(image_) {}

  void take_all() {
    for (const auto& one : dynamic_.table<ElfW(Rela)>(DT_RELA, DT_RELASZ)) take(one);
    for (const auto& one : dynamic_.table<ElfW(Rela)>(DT_JMPREL, DT_PLTRELSZ)) take(one);
    for_each_packed(dynamic_, [this](std::uint64_t at) { move(at); });
    Plan::Image& own = plan_.images[own_];
    own.init = functions(DT_INIT_ARRAY, DT_INIT_ARRAYSZ);
    own.fini = functions(DT_FINI_ARRAY, DT_FINI_ARRAYSZ);
    own.init_function = place(dynamic_.address(DT_INIT));
    own.fini_function = place(dynamic_.address(DT_FINI));
    if (const ElfW(Phdr)* const unwind = image_.header(PT_GNU_EH_FRAME))
      own.unwind_table = place(unwind->p_vaddr);
  }

 private:
  [[nodiscard]] std::uint64_t place(std::uint64_t address) const {
    return address == 0 ? 0 : begin_ + address;
  }
  [[nodiscard]] Plan::Functions functions(std::int64_t start, std::int64_t bytes) const {
    if (!dynamic_.has(start)) return {};
    return {place(dynamic_.address(start)), dynamic_.value(bytes) / word_bytes};
  }

  std::byte* written_word(std::uint64_t at) {
    std::byte* const word = word_at(plan_, begin_ + at);
    if (word == nullptr)
      refuse(image_,
             "has addresses in its code or constants (text relocations): compile all of it, "
             "libraries that it is linked with statically included, with -fPIE");
    return word;
  }

  /// The word becomes one that moves with the image.
  void move(std::uint64_t at) {
    std::uint64_t address = 0;
    std::memcpy(&address, written_word(at), word_bytes);
    move(at, begin_ + (address - image_.base));
  }
  void move(std::uint64_t at, std::uint64_t to) {
    // The loader makes those of further threads of the original's.
    for (const Plan::ThreadLocals& locals : plan_.thread_locals)
      if (begin_ + at - locals.begin < locals.first_bytes)
        refuse(image_,
               "has a thread-local variable that begins as the address of another one: give it "
               "that value when it is first used");
    std::memcpy(written_word(at), &to, word_bytes);
    plan_.moved.push_back(begin_ + at);
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
        refuse(image_,
               fmt::format("has relocations of a kind that is not known (type {}): compile it "
                           "with GCC, Clang or gfortran, with -fPIE and -pie",
                           ELF64_R_TYPE(one.r_info)));
    }
  }

  void take_named(const ElfW(Rela) & one) {
    const Dynamic::Symbol symbol = dynamic_.symbol(one);
    if (symbol.entry->st_shndx == SHN_UNDEF)
      plan_.imports.push_back({begin_ + one.r_offset, std::string(symbol.name)});
    // A library may have it, though the program does: one that is loaded before it.
    move_if_inside(one.r_offset);
  }

  /// The loader has chosen what the word names.
  void move_if_inside(std::uint64_t at) {
    std::uint64_t named = 0;
    std::memcpy(&named, written_word(at), word_bytes);
    if (const auto inside = place_in_copy(plan_, images_, own_, named)) {
      named = *inside;
      move(at, named);
    }
    plan_.bound = base::checksum(&named, sizeof named, plan_.bound);
  }

  void borrow(const ElfW(Rela) & one) {
    const Dynamic::Symbol symbol = dynamic_.symbol(one);
    const std::string name(symbol.name);
    const std::uint64_t from = copied_variable(name);
    const ElfW(Phdr)* const constants = image_.header(PT_GNU_RELRO);
    // Tables of virtual functions and types are constants wherever the linker puts them.
    const bool is_constant =
        name.starts_with("_ZT") ||
        (constants != nullptr && one.r_offset - constants->p_vaddr < constants->p_memsz);
    if (from == 0 && !is_constant && !may_be_borrowed(name))
      refuse(image_,
             fmt::format("has in it the variable {} of a library, which would change without the "
                         "copies: compile the program with -fPIC (and link it with -pie), so that "
                         "it names the library's own",
                         name));
    plan_.borrowed.push_back({begin_ + one.r_offset, symbol.entry->st_size, name, from});
  }

  /// The place in a copy of the variable of that name in a library that is copied, too; 0: none.
  [[nodiscard]] std::uint64_t copied_variable(const std::string& name) const {
    for (std::size_t i = 1; i < images_.size(); ++i) {
      void* const library = dlopen(images_[i].path, RTLD_LAZY | RTLD_NOLOAD);
      const auto found = reinterpret_cast<std::uint64_t>(
          library != nullptr ? dlsym(library, name.c_str()) : nullptr);
      if (library != nullptr) dlclose(library);
      if (found - images_[i].base < plan_.images[i].bytes)
        return plan_.images[i].begin + (found - images_[i].base);
    }
    return 0;
  }

  Plan& plan_;
  const std::span<const Loaded> images_;
  const std::size_t own_;
  const Loaded& image_;
  const std::uint64_t begin_;
  const Dynamic dynamic_;
};

/// The numbers of the images, each behind those that it needs.
class Order {
 public:
  explicit Order(std::span<const Loaded> images) : images_(images), is_taken_(images.size()) {
    take(0);
    for (std::size_t i = 1; i < images.size(); ++i) take(i);
    // A library that the program does not name runs before the program all the same.
    std::erase(found_, 0u);
    found_.push_back(0);
  }
  [[nodiscard]] std::vector<std::size_t> found() { return std::move(found_); }

 private:
  void take(std::size_t number) {
    if (is_taken_[number]) return;
    is_taken_[number] = true;
    for (const std::string_view needed : Dynamic(images_[number]).needed())
      for (std::size_t i = 1; i < images_.size(); ++i)
        if (images_[i].name() == needed) take(i);
    found_.push_back(number);
  }

  const std::span<const Loaded> images_;
  std::vector<bool> is_taken_;
  std::vector<std::size_t> found_;
};

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

std::uint64_t Plan::thread_locals_bytes() const {
  std::uint64_t sum = 0;
  for (const ThreadLocals& one : thread_locals) sum += one.bytes;
  return sum;
}
std::uint64_t Plan::given_begin() const { return bytes + page_above(thread_locals_bytes()); }
std::uint64_t Plan::all_bytes() const {
  return given_begin() + page_above(given.size() * word_bytes);
}

Plan plan(const Loaded& program) { return plan(std::span(&program, 1)); }

Plan plan(std::span<const Loaded> images) {
  Plan plan;
  for (const Loaded& image : images) add_image(plan, image);
  for (std::size_t i = 0; i < images.size(); ++i) Relocating(plan, images, i).take_all();
  std::ranges::sort(plan.moved);
  plan.order = Order(images).found();
  return plan;
}

}  // namespace armature::image
