#include "base/build_id.hpp"

#include <elf.h>

#include <cstring>

namespace armature::base {
namespace {

/// Takes the next note off; false when there is none.
bool take_note(std::string_view& notes, std::size_t align, ElfW(Nhdr) & head,
               std::string_view& name, std::string_view& value) {
  if (notes.size() < sizeof head) return false;
  std::memcpy(&head, notes.data(), sizeof head);
  const auto aligned = [align](std::size_t bytes) { return (bytes + align - 1) / align * align; };
  const std::size_t value_at = aligned(sizeof head + head.n_namesz);
  if (value_at > notes.size() || head.n_descsz > notes.size() - value_at) return false;
  name = notes.substr(sizeof head, head.n_namesz);
  value = notes.substr(value_at, head.n_descsz);
  const std::size_t all = aligned(value_at + head.n_descsz);
  notes.remove_prefix(all < notes.size() ? all : notes.size());
  return true;
}

}  // namespace

std::string_view build_id(const dl_phdr_info& module) {
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = module.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    std::string_view notes(reinterpret_cast<const char*>(module.dlpi_addr + segment.p_vaddr),
                           segment.p_memsz);
    ElfW(Nhdr) head;
    for (std::string_view name, value;
         take_note(notes, segment.p_align == 8 ? 8 : 4, head, name, value);)
      if (head.n_type == NT_GNU_BUILD_ID && name == std::string_view("GNU\0", 4)) return value;
  }
  return {};
}

}  // namespace armature::base
