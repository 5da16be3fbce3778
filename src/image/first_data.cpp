#include "image/first_data.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "image/packed.hpp"

namespace armature::image {
namespace {

class FirstData {
 public:
  FirstData(const Loaded& library, const ElfW(Phdr) & part)
      : library_(library), part_(part), dynamic_(library), bytes_(part.p_filesz) {
    if (pread(library.file, bytes_.data(), bytes_.size(), static_cast<off_t>(part.p_offset)) !=
        static_cast<ssize_t>(bytes_.size()))
      base::fail(Errc::start, fmt::format("--private-globals: {} cannot be read: {}", library.path,
                                          base::system_text(errno)));
  }

  std::vector<std::byte> take() {
    for (const auto& one : dynamic_.table<ElfW(Rela)>(DT_RELA, DT_RELASZ)) relocate(one);
    for (const auto& one : dynamic_.table<ElfW(Rela)>(DT_JMPREL, DT_PLTRELSZ)) relocate(one);
    for_each_packed(dynamic_, [&](std::uint64_t at) {
      if (!holds(at)) return;
      std::uint64_t word = 0;
      std::memcpy(&word, place(at), sizeof word);
      write(at, library_.base + word);
    });
    return std::move(bytes_);
  }

 private:
  [[nodiscard]] bool holds(std::uint64_t at) const {
    return at >= part_.p_vaddr && at - part_.p_vaddr + sizeof(std::uint64_t) <= bytes_.size();
  }
  std::byte* place(std::uint64_t at) { return bytes_.data() + (at - part_.p_vaddr); }
  void write(std::uint64_t at, std::uint64_t word) { std::memcpy(place(at), &word, sizeof word); }

  void relocate(const ElfW(Rela) & one) {
    if (!holds(one.r_offset)) return;
    switch (ELF64_R_TYPE(one.r_info)) {
      case R_X86_64_NONE:
        return;
      case R_X86_64_RELATIVE:
        return write(one.r_offset, library_.base + static_cast<std::uint64_t>(one.r_addend));
      case R_X86_64_64:
        return write(one.r_offset, variable(one));
      default:
        return write(one.r_offset, library_.word(one.r_offset));
    }
  }

  /// A variable may have been written to since, unless it is a constant.
  std::uint64_t variable(const ElfW(Rela) & one) const {
    const ElfW(Phdr)* const constants = library_.header(PT_GNU_RELRO);
    if (constants != nullptr && one.r_offset - constants->p_vaddr < constants->p_memsz)
      return library_.word(one.r_offset);
    const Dynamic::Symbol symbol = dynamic_.symbol(one);
    // A function of that kind is where its resolver says.
    const bool is_resolved = ELF64_ST_TYPE(symbol.entry->st_info) == STT_GNU_IFUNC;
    if (dynamic_.binds_to_itself(*symbol.entry) && !is_resolved)
      return (symbol.entry->st_shndx == SHN_ABS ? 0 : library_.base) + symbol.entry->st_value +
             static_cast<std::uint64_t>(one.r_addend);
    const std::string name(symbol.name);
    const void* const found =
        name.empty() || is_resolved ? nullptr : dlsym(RTLD_DEFAULT, name.c_str());
    return found == nullptr
               ? library_.word(one.r_offset)
               : reinterpret_cast<std::uint64_t>(found) + static_cast<std::uint64_t>(one.r_addend);
  }

  const Loaded& library_;
  const ElfW(Phdr) & part_;
  const Dynamic dynamic_;
  std::vector<std::byte> bytes_;
};

}  // namespace

std::vector<std::byte> first_data(const Loaded& library, const ElfW(Phdr) & part) {
  return FirstData(library, part).take();
}

}  // namespace armature::image
