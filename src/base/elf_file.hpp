#pragma once

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "base/file_descriptor.hpp"

namespace armature::base {

/// A program's file. Nothing in it is believed before it was compared with the file's length.
class ElfFile {
 public:
  explicit ElfFile(const std::string& path) {
    const base::FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status {};
    if (!file || fstat(file.get(), &status) != 0 || status.st_size <= 0) return;
    const auto bytes = static_cast<std::size_t>(status.st_size);
    void* const start = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (start != MAP_FAILED) file_ = {static_cast<const std::byte*>(start), bytes};
  }
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;
  ~ElfFile() {
    if (!file_.empty()) munmap(const_cast<std::byte*>(file_.data()), file_.size());
  }

  /// Returns so many of them from there; none when they do not lie in the file.
  template <class T>
  [[nodiscard]] std::span<const T> table(std::uint64_t offset, std::uint64_t bytes) const {
    if (offset > file_.size() || bytes > file_.size() - offset || offset % alignof(T) != 0)
      return {};
    return {reinterpret_cast<const T*>(file_.data() + offset), bytes / sizeof(T)};
  }

  [[nodiscard]] std::span<const Elf64_Shdr> sections() const {
    const auto head = table<Elf64_Ehdr>(0, sizeof(Elf64_Ehdr));
    if (head.empty() || std::memcmp(head[0].e_ident, ELFMAG, SELFMAG) != 0 ||
        head[0].e_ident[EI_CLASS] != ELFCLASS64 || head[0].e_shentsize != sizeof(Elf64_Shdr))
      return {};
    return table<Elf64_Shdr>(head[0].e_shoff, head[0].e_shnum * sizeof(Elf64_Shdr));
  }

  /// The string that begins there in that section.
  [[nodiscard]] std::string_view text(const Elf64_Shdr& strings, std::uint64_t at) const {
    const auto all = table<char>(strings.sh_offset, strings.sh_size);
    if (at >= all.size()) return {};
    const auto rest = all.subspan(at);
    const auto end = std::find(rest.begin(), rest.end(), '\0');
    return {rest.data(), static_cast<std::size_t>(end - rest.begin())};
  }

 private:
  std::span<const std::byte> file_;
};

}  // namespace armature::base
